// @ts-check
/** Lanes of a Service with a declared load: the outcomes of its requests, overall and pod by pod. */

import { text } from "../base/i18n.js";
import { GLYPHS, MACHINES } from "../base/tones-table.js";
import { open } from "./spans.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

/** Outcomes, from best to worst. */
const ORDER = ["", "answered", "retried", "error", "refused", "timeout", "reset"];

/** Outcomes whose count is always shown next to their stretch, however short it is. */
const FAILED = new Set(["error", "refused", "timeout", "reset"]);

/** Up to this many pods always have a lane; beyond that only pods at which requests failed. */
const PODS_MAX = 8;

/** The rule of a sync of the EndpointSlice controller that changed something. */
export const ROUND = "ENDPOINTSLICE-SYNC";
/** A pod that is no longer an endpoint. */
const NONE = "-";

/**
 * What one sync changed, by pod name: the conditions that are true; null for a pod that is no longer an endpoint.
 * @param {Rec} record
 * @returns {[string, string[] | null][]}
 */
export function changesOf({ rule, data }) {
  if (rule !== ROUND || !data.pods) return [];
  return String(data.pods).split(" ").map((entry) => {
    const [name, has] = entry.split(":");
    return [name, has === NONE ? null : has.split("+").filter(Boolean)];
  });
}

export class RequestLanes {
  /**
   * @param {any} set  the LaneSet, which owns the lanes
   * @param {string} key  namespace and name of the Service
   */
  constructor(set, key) {
    this.set = set;
    this.key = `service/${key}`;
    this.head = set.lane("requests", `requests:${this.key}`, this.key, "", key.startsWith("default/") ? key.slice(8) : key);
    this.head.group = "Service";
    /** @type {Map<string, any>} by pod */
    this.pods = new Map();
    /** @type {Map<string, string>} the current outcome of requests to a pod */
    this.now = new Map();
    /** @type {Set<string>} */
    this.troubled = new Set();
    /** @type {Record<string, any>} */
    this.before = {};
    /** @type {{ t: number, data: Record<string, any> }[]} counts of each outcome so far, in order of time */
    this.counts = [];
  }

  /**
   * The lanes of the Service that a record is about.
   * @param {any} set
   * @param {Rec} record
   * @returns {RequestLanes}
   */
  static of(set, record) {
    const key = record.subject.split("/").slice(1, 3).join("/");
    const known = set.services.get(key) ?? new RequestLanes(set, key);
    set.services.set(key, known);
    return known;
  }

  /** @param {Rec} record */
  add(record) {
    const pod = record.subject.split("/")[3];
    const lane = this.lane(pod);
    // Of a Service with many pods only those in trouble have lanes, so that trouble adds one.
    if (record.target !== "" && record.target !== "answered" && !this.troubled.has(pod)) {
      this.troubled.add(pod);
      this.set.version += 1;
    }
    const cut = Number(record.data.count || 0);
    step(lane, record, record.target, Number(record.data.ended || 0) - cut, cut);
    this.now.set(pod, record.target);
    // The head shows the worst of its pods' current outcomes: requests are spread over all of them.
    const worst = ORDER[Math.max(...[...this.now.values()].map((word) => ORDER.indexOf(word)))] ?? "";
    const [last] = this.head.spans.slice(-1);
    const word = last?.text || "";
    // Requests that time out are counted when their client gives up, which may be in a later stretch; the pod's own record has their
    // number.
    const own = record.source === word ? Number(record.data.ended || 0) : 0;
    const gained = FAILED.has(word) ? own : Number(record.data[word] || 0) - Number(this.before[word] || 0);
    step(this.head, record, worst, gained, record.target === worst ? cut : 0);
    this.before = record.data;
    this.counts.push({ t: record.at_ms, data: record.data });
  }

  /** @param {string} pod */
  lane(pod) {
    const subject = `requests${this.key.slice(7)}/${pod}`;
    const lane = this.pods.get(pod) ?? this.set.lane("requests", subject, subject, "", pod === "-" ? text("requests.no_pod") : pod);
    this.pods.set(pod, lane);
    return lane;
  }

  /** Pods that are ready will get requests: add their lanes in advance, so that the first request moves nothing. @param {Rec} record  a sync of the EndpointSlices */
  expect(record) {
    for (const [pod, has] of changesOf(record)) if (has?.includes("ready")) this.lane(pod);
  }

  /** The lanes below the Service's own. @returns {any[]} */
  members() {
    const all = [...this.pods];
    const shown = all.length > PODS_MAX ? all.filter(([pod]) => this.troubled.has(pod)) : all;
    return shown.map(([, lane]) => lane);
  }
}

/**
 * Set the number of the stretch that ends, and begin another one.
 * @param {any} lane
 * @param {Rec} record
 * @param {string} word
 * @param {number} ended
 * @param {number} count
 */
function step(lane, record, word, ended, count) {
  const [last] = lane.spans.slice(-1);
  if (last && last.text) last.data = { ...last.data, total: Number(last.data.total || 0) + ended };
  if (last && FAILED.has(last.text) && last.data.total && last.text !== word) flag(lane, last);
  // A successful stretch ends the series; the next failure gets a flag of its own.
  if (!FAILED.has(word)) lane.failure = null;
  const total = last?.data.total;
  open(lane.spans, { ...record, data: { ...record.data, total: count } }, MACHINES.requests[word] ?? "absent", word);
  const [now] = lane.spans.slice(-1);
  if (now === last && now) now.data = { ...now.data, total };
}

/**
 * The number of failed requests of a stretch. Consecutive stretches share one flag: side by side they would hide each other.
 * @param {any} lane
 * @param {any} stretch
 */
function flag(lane, stretch) {
  const { total } = stretch.data;
  if (lane.failure) lane.failure.count += total;
  else {
    lane.failure = { t: stretch.t0, seq: stretch.seq, type: "Warning", count: total, data: stretch.data };
    lane.flags.push(lane.failure);
  }
  lane.failure.text = `${GLYPHS.failed} ${lane.failure.count}`;
}

/**
 * The text of a stretch: the counts of each outcome, as far as they are known yet.
 * @param {any} span
 * @returns {string}
 */
export function requestText(span) {
  if (!span.text) return "–";
  const words = text(`requests.${span.text}`);
  return span.data.total ? text("requests.number", { n: span.data.total, words }) : words;
}
