// @ts-check
/** What happened to pods, containers and Services within a stretch of time, in numbers. Pure. */

import { firstEndingAfter, firstMarkFrom } from "../lanes/lane-search.js";

/** Outcomes of requests that are failures to their client. */
const FAILED = ["error", "refused", "timeout", "reset"];

/**
 * @typedef {object} Part  a container within the stretch
 * @property {string} subject
 * @property {string} name
 * @property {number} ready_ms
 * @property {number} restarts  restarts of the process
 * @property {string[]} exits   exit codes, in order
 * @property {Record<string, { ok: number, all: number }>} probes  attempts by kind of probe
 * @property {[string, number][]} states  how long it was in each state, the longest first
 */

/**
 * @typedef {object} PodPart
 * @property {string} key
 * @property {number} ready_ms  how long its Ready condition was True
 * @property {number} warnings
 * @property {Part[]} containers
 */

/** @typedef {{ key: string, name: string, failed: number, all: number }} Requests  as counted whenever their outcome changed */

/**
 * @param {any} lanes
 * @param {number} from_ms
 * @param {number} to_ms  not beyond the newest moment
 * @returns {{ pods: PodPart[], services: Requests[] }} pods without anything in the stretch are left out
 */
export function statsOf(lanes, from_ms, to_ms) {
  const pods = [...lanes.pods.values()].filter((pod) => isThere(pod, from_ms, to_ms)).map((pod) => podPart(pod, from_ms, to_ms));
  return { pods, services: [...lanes.services.values()].map((service) => requestsOf(service, from_ms, to_ms)) };
}

/** @param {any} pod @param {number} from_ms @param {number} to_ms */
function isThere({ status }, from_ms, to_ms) {
  return overlaps(status.spans, from_ms, to_ms).some(({ span }) => span.tone !== "absent");
}

/**
 * The spans within the stretch, and for how much of it each lasts.
 * @param {any[]} spans
 * @param {number} from_ms
 * @param {number} to_ms
 */
function overlaps(spans, from_ms, to_ms) {
  const found = [];
  for (let index = firstEndingAfter(spans, from_ms); index < spans.length && spans[index].t0 < to_ms; index += 1) {
    found.push({ span: spans[index], ms: Math.min(spans[index].t1, to_ms) - Math.max(spans[index].t0, from_ms) });
  }
  return found;
}

/** @param {any[]} marks @param {number} from_ms @param {number} to_ms */
function within(marks, from_ms, to_ms) {
  return marks.slice(firstMarkFrom(marks, from_ms), firstMarkFrom(marks, to_ms));
}

/** @param {any} pod @param {number} from_ms @param {number} to_ms @returns {PodPart} */
function podPart(pod, from_ms, to_ms) {
  const ready = [...pod.conditions.values()].find((lane) => lane.name === "Ready");
  const ready_ms = sum(overlaps(ready?.spans ?? [], from_ms, to_ms).filter(({ span }) => span.text === "True"));
  const warnings = within(pod.events.marks, from_ms, to_ms).filter(({ type }) => type === "Warning").length;
  return { key: pod.key, ready_ms, warnings, containers: [...pod.containers.values()].map((lane) => part(pod, lane, from_ms, to_ms)) };
}

/** @param {{ ms: number }[]} items */
function sum(items) {
  return items.reduce((total, { ms }) => total + ms, 0);
}

/**
 * The first and the last Event within the stretch; null if there is none. With `only`, just those of these pods.
 * @param {any} lanes
 * @param {number} from_ms
 * @param {number} to_ms
 * @param {Set<string>} [only]
 */
export function eventsOf(lanes, from_ms, to_ms, only) {
  const owners = [...lanes.pods.values()].filter(({ key }) => !only || only.has(key)).concat(only ? [] : [...lanes.nodes.values()]);
  const found = owners.flatMap(({ events }) => within(events.marks, from_ms, to_ms)).sort((a, b) => a.t - b.t || a.seq - b.seq);
  return { first: found[0] ?? null, last: found.at(-1) ?? null };
}

/** @param {any} pod @param {any} lane @param {number} from_ms @param {number} to_ms @returns {Part} */
function part(pod, lane, from_ms, to_ms) {
  const shown = overlaps(lane.spans, from_ms, to_ms).filter(({ span }) => span.tone !== "absent");
  /** @type {Map<string, number>} */
  const states = new Map();
  for (const { span, ms } of shown) states.set(span.text, (states.get(span.text) ?? 0) + ms);
  const begun = lane.node.filter((/** @type {any} */ span) => span.text === "running" && Number(span.data.instance ?? 0) > 0 && span.t0 >= from_ms && span.t0 < to_ms);
  return {
    subject: lane.subject,
    name: lane.name,
    ready_ms: sum(shown.filter(({ span }) => span.tone === "ready")),
    restarts: begun.length,
    exits: [...lane.endings.values()].filter(({ t }) => t >= from_ms && t < to_ms).map(({ text }) => text),
    probes: probesOf(pod, lane, from_ms, to_ms),
    states: [...states].sort((a, b) => b[1] - a[1]),
  };
}

/** @param {any} pod @param {any} lane @param {number} from_ms @param {number} to_ms */
function probesOf(pod, lane, from_ms, to_ms) {
  const prefix = `probe/${lane.subject.slice("container/".length)}/`;
  /** @type {Part["probes"]} */
  const found = {};
  for (const probe of pod.probes.values()) {
    if (!probe.subject.startsWith(prefix)) continue;
    const attempts = within(probe.marks, from_ms, to_ms).filter(({ type }) => type !== "suppressed");
    if (attempts.length) found[probe.name] = { ok: attempts.filter(({ type }) => type === "success").length, all: attempts.length };
  }
  return found;
}

/** @param {any} service @param {number} from_ms @param {number} to_ms @returns {Requests} */
function requestsOf({ key, head, counts }, from_ms, to_ms) {
  const [before, after] = [countedBy(counts, from_ms), countedBy(counts, to_ms)];
  const gained = (/** @type {string} */ word) => Math.max(0, Number(after[word] || 0) - Number(before[word] || 0));
  const failed = FAILED.reduce((total, word) => total + gained(word), 0);
  return { key, name: head.name, failed, all: failed + gained("answered") + gained("retried") };
}

/** The counts as of a moment. @param {{ t: number, data: Record<string, any> }[]} counts @param {number} t_ms */
function countedBy(counts, t_ms) {
  return counts[firstMarkFrom(counts, t_ms + 1) - 1]?.data ?? {};
}
