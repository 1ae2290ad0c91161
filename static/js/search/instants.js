// @ts-check
/** The instants of a run that match a query: records, or states that last long or short enough. Pure. */

import { MACHINES } from "../base/tones-table.js";
import { isVisible } from "../lanes/record-store.js";
import { weight } from "../lanes/sentences.js";
import { parseSubject } from "../wire/record.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */
/** @typedef {{ seq: number, at_ms: number, subject: string, pod: string, length_ms: number | null }} Found  an instant; with a length if a state was asked for */

/** The fields of a record's data that are searched. */
const FIELDS = ["reason", "message", "do", "signal", "hook", "output", "taint", "key", "node"];
const STATES = new Set(["status", "phase", "condition", "container", "probe", "node", "part", "workload", "requests"]);

/**
 * @param {any} store
 * @param {any} query  from parseQuery
 * @param {Set<string> | null} pods  only these; null: all
 * @returns {Found[]} in order of time
 */
export function findInstants(store, query, pods) {
  const inScope = scopeOf(query, pods);
  const found = query.lasting ? findStates(store, query, inScope) : findRecords(store, query, inScope);
  if (query.which === "first") return found.slice(0, 1);
  return query.which === "last" ? found.slice(-1) : found;
}

/** @param {any} query @param {Set<string> | null} pods @returns {(subject: string) => boolean} */
function scopeOf(query, pods) {
  return (subject) => {
    const { type, pod, container, name } = parseSubject(subject);
    if (pods && !pods.has(pod)) return false;
    if (query.pod && !pod.toLowerCase().includes(query.pod)) return false;
    if (query.container && !container.toLowerCase().includes(query.container)) return false;
    return !query.node || (type === "node" && name.toLowerCase().includes(query.node));
  };
}

/**
 * Records that contain all words; of those of one pod at one moment, the weightiest represents all.
 * @param {any} store
 * @param {any} query
 * @param {(subject: string) => boolean} inScope
 * @returns {Found[]}
 */
function findRecords(store, query, inScope) {
  const tests = testsOf(store.lanes, query.words);
  /** @type {Map<string, Rec>} */
  const found = new Map();
  for (let index = store.seqAt(query.from_ms - 1); index < store.records.length; index += 1) {
    /** @type {Rec} */
    const record = store.records[index];
    if (record.at_ms > query.to_ms) break;
    if (!isVisible(record) || !inScope(record.subject) || !matches(record, tests)) continue;
    // An Event, a status and a condition of one moment are one thing to a reader who looks for it.
    const place = `${record.at_ms}|${parseSubject(record.subject).pod || record.subject}`;
    const other = found.get(place);
    if (!other || weight(record) > weight(other)) found.set(place, record);
  }
  return [...found.values()].map(({ seq, at_ms, subject }) => ({ seq, at_ms, subject, pod: parseSubject(subject).pod, length_ms: null })).sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
}

/**
 * @typedef {object} WordTest
 * @property {string} low
 * @property {boolean} isCode  a number: an exit code
 * @property {boolean} isCondition  the name of a condition, which must match in full
 */

/** @param {any} lanes @param {string[]} words @returns {WordTest[]} */
function testsOf(lanes, words) {
  const conditions = new Set();
  for (const pod of lanes.pods.values()) for (const lane of pod.conditions.values()) conditions.add(lane.name.toLowerCase());
  return words.map((word) => ({ low: word.toLowerCase(), isCode: /^\d{1,3}$/.test(word), isCondition: conditions.has(word.toLowerCase()) }));
}

/** @param {Rec} record @param {WordTest[]} tests */
function matches(record, tests) {
  if (!tests.length) return true;
  let words = "";
  for (const test of tests) {
    if (test.isCode) {
      if (String(record.data.exit_code) !== test.low) return false;
      continue;
    }
    if (test.isCondition && record.machine === "condition") {
      if (parseSubject(record.subject).name.toLowerCase() !== test.low) return false;
      continue;
    }
    // Built only for records that passed the cheaper tests.
    words = words || wordsOf(record);
    if (!words.includes(test.low)) return false;
  }
  return true;
}

/** Everything that a record can be found by. @param {Rec} record */
function wordsOf({ kind, subject, machine, target, data }) {
  const said = FIELDS.map((field) => data[field]).filter((value) => value !== undefined && value !== null && value !== "");
  const ended = data.exit_code === undefined ? "" : `exit ${data.exit_code}`;
  const act = kind === "command" ? `${String(data.do || "").replaceAll("_", " ")} you` : "";
  const type = kind === "event" ? String(data.type || "Normal") : "";
  return `${subject} ${machine} ${target} ${type} ${act} ${ended} ${said.join(" ")}`.toLowerCase();
}

/**
 * States that last longer, or shorter, than asked for.
 * @param {any} store
 * @param {any} query
 * @param {(subject: string) => boolean} inScope
 * @returns {Found[]}
 */
function findStates(store, { words, lasting, from_ms, to_ms }, inScope) {
  const tests = testsOf(store.lanes, words);
  /** @type {Found[]} */
  const found = [];
  for (const lane of store.lanes.byId.values()) {
    if (!STATES.has(lane.kind) || !inScope(lane.subject)) continue;
    for (const span of lane.spans) {
      // A probe's results have no tone; on any other lane there is nothing to find.
      if (span.tone === "absent" && lane.kind !== "probe") continue;
      const length_ms = Math.min(span.t1, store.head_ms) - span.t0;
      if (span.t0 < from_ms || span.t0 > to_ms || length_ms > lasting.than_ms !== lasting.longer || !holds(lane, span, tests)) continue;
      found.push({ seq: span.seq, at_ms: span.t0, subject: lane.subject, pod: lane.pod, length_ms });
    }
  }
  return found.sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
}

/** @param {any} lane @param {any} span @param {WordTest[]} tests */
function holds(lane, span, tests) {
  const words = `${lane.kind} ${lane.name} ${span.text} ${span.data.reason ?? ""}`.toLowerCase();
  return tests.every((test) => {
    if (test.isCode) return String(span.data.exit_code) === test.low;
    if (test.isCondition && lane.kind === "condition") return lane.name.toLowerCase() === test.low;
    return words.includes(test.low);
  });
}

/** The states that `is:` accepts besides the tones. */
export const TROUBLED = new Set(["notready", "terminating", "unknown", "backoff", "failed"]);

/** All words that can follow `is:`. */
export const STATE_WORDS = ["trouble", ...new Set(Object.values(MACHINES).flatMap((machine) => Object.values(machine)))].filter((word) => word !== "absent");

/**
 * The index of the first instant after a moment, or of the last one before it; wraps around at the ends.
 * @param {{ at_ms: number }[]} found
 * @param {number} t_ms
 * @param {1 | -1} step
 */
export function placeFrom(found, t_ms, step) {
  if (step > 0) return Math.max(0, found.findIndex(({ at_ms }) => at_ms > t_ms));
  return (found.filter(({ at_ms }) => at_ms < t_ms).length || found.length) - 1;
}
