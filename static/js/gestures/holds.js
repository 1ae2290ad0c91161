// @ts-check
/**
 * What of a lane can be taken hold of, and what moving it means: the end of a container's bar, the end of a pod's grace, an attempt of
 * a probe. Pure. Which act stands behind it only the server knows.
 */

import { spanAt } from "../lanes/lane-search.js";

/** @typedef {import("../lanes/lane-set.js").Lane} Lane */

/**
 * @typedef {object} Hold
 * @property {"end" | "deadline" | "tick"} kind
 * @property {string} lane     id
 * @property {string} subject
 * @property {number} from_ms  where what ends there began
 * @property {number} at_ms    where it stands now; Infinity for the present
 * @property {number} min_ms   between these it may be moved
 * @property {number} max_ms
 * @property {string} value    what is chosen at first
 * @property {number | null} seq  the record after which the act is given, at the moment `from_ms`; null: it is given where the hold is
 * @property {number[]} stops  the only places for it, in order; none: anywhere
 * @property {number[]} begins of each stop the moment just before it began
 */

const SECOND = 1000;
/** So far ahead of the present an end may be moved, as far as the server looks. */
const AHEAD_MS = 30 * 60 * SECOND;
/** As the API server takes a grace period at most here. */
const GRACE_MAX_MS = 3600 * SECOND;
const STEP_MS = 100;

/**
 * The hold of a lane that is nearest to a moment; null where there is none.
 * @param {any} store
 * @param {Lane} lane
 * @param {number} t_ms
 * @param {{ end_ms: number, reach_ms: number }} where  the newest moment, and how far a probe's attempt is looked for
 * @returns {Hold | null}
 */
export function holdAt(store, lane, t_ms, { end_ms, reach_ms }) {
  if (lane.kind === "container") return endOf(lane, Math.min(t_ms, end_ms), end_ms);
  if (lane.kind === "status") return deadlineOf(store, lane, t_ms);
  if (lane.kind === "probe") return tickOf(lane, t_ms, reach_ms);
  return null;
}

/** @param {Lane} lane @param {number} t_ms @param {number} end_ms @returns {Hold | null} */
function endOf(lane, t_ms, end_ms) {
  const span = spanAt(lane.spans, t_ms);
  if (!span || span.text !== "Running") return null;
  // It runs on: it can be ended now, or be meant to end later, up to as far as the server looks.
  const isOpen = span.t1 > end_ms;
  const max_ms = isOpen ? end_ms + AHEAD_MS : span.t1;
  return { kind: "end", lane: lane.id, subject: lane.subject, from_ms: span.t0, at_ms: isOpen ? Infinity : span.t1, min_ms: span.t0 + STEP_MS, max_ms, value: "1", seq: null, stops: [], begins: [] };
}

/** Only a deletion that was asked for can be asked for otherwise, and its flag stands no later than its pod. @param {any} store @param {Lane} lane @param {number} t_ms @returns {Hold | null} */
function deadlineOf(store, lane, t_ms) {
  const own = store.lanes.ends.all.filter((/** @type {any} */ each) => each.kind === "deadline" && each.subject === lane.subject && each.from_ms <= t_ms);
  const known = own[own.length - 1];
  const command = known ? commandBehind(store, known.seq) : null;
  if (!known || !command || command.subject !== lane.subject || !String(command.data.do).startsWith("delete_")) return null;
  const from_ms = known.from_ms;
  return { kind: "deadline", lane: lane.id, subject: lane.subject, from_ms, at_ms: Math.min(known.until_ms, known.ended_ms), min_ms: from_ms + SECOND, max_ms: from_ms + GRACE_MAX_MS, value: "", seq: command.seq - 1, stops: [], begins: [] };
}

/** The command of the same instant that a record follows from. @param {any} store @param {number} seq */
function commandBehind(store, seq) {
  const first = store.get(seq);
  for (let record = first; record && record.at_ms === first.at_ms; record = store.get(record.cause)) {
    if (record.kind === "command") return record;
  }
  return null;
}

/** @param {Lane} lane @param {number} t_ms @param {number} reach_ms @returns {Hold | null} */
function tickOf(lane, t_ms, reach_ms) {
  const marks = lane.marks.filter(({ type }) => type !== "suppressed");
  const near = marks.reduce((best, mark) => (best === null || Math.abs(mark.t - t_ms) < Math.abs(best.t - t_ms) ? mark : best), /** @type {any} */ (null));
  if (!near || Math.abs(near.t - t_ms) > reach_ms) return null;
  const stops = marks.map(({ t }) => t);
  const begins = marks.map(({ t, data }) => Math.max(0, t - Number(data.took_ms || 0) - 1));
  return { kind: "tick", lane: lane.id, subject: lane.subject, from_ms: near.t, at_ms: near.t, min_ms: stops[0], max_ms: stops[stops.length - 1], value: near.type === "success" ? "failure" : "success", seq: null, stops, begins };
}

/**
 * Where a hold stands that is moved to a moment.
 * @param {Hold} hold
 * @param {number} t_ms
 * @param {{ end_ms: number, near_ms: number }} now  the present, and what counts as at it
 * @returns {number} Infinity for the present
 */
export function movedTo(hold, t_ms, { end_ms, near_ms }) {
  if (hold.stops.length) return hold.stops.reduce((best, stop) => (Math.abs(stop - t_ms) < Math.abs(best - t_ms) ? stop : best));
  if (hold.at_ms === Infinity && Math.abs(t_ms - end_ms) <= near_ms) return Infinity;
  const clipped = Math.min(hold.max_ms, Math.max(hold.min_ms, t_ms));
  if (hold.kind !== "deadline") return Math.min(hold.max_ms, Math.max(hold.min_ms, Math.round(clipped / STEP_MS) * STEP_MS));
  return hold.from_ms + Math.max(1, Math.round((clipped - hold.from_ms) / SECOND)) * SECOND;
}

/** @type {Record<string, number>} steps of the keys in ms; with Shift they are a tenth */
export const STEPS = { ArrowLeft: -SECOND, ArrowRight: SECOND, PageUp: -10 * SECOND, PageDown: 10 * SECOND };

/**
 * Where a hold stands after a step of the keys.
 * @param {Hold} hold
 * @param {number} at_ms  where it stands; Infinity for the present
 * @param {number} by_ms
 * @param {number} end_ms
 */
export function steppedBy(hold, at_ms, by_ms, end_ms) {
  if (hold.stops.length) return hold.stops[Math.min(hold.stops.length - 1, Math.max(0, hold.stops.indexOf(at_ms) + Math.sign(by_ms)))];
  const least = hold.kind === "deadline" ? Math.sign(by_ms) * Math.max(SECOND, Math.abs(by_ms)) : by_ms;
  return movedTo(hold, (at_ms === Infinity ? end_ms : at_ms) + least, { end_ms, near_ms: 0 });
}

/**
 * @typedef {object} Meaning  the moment of the act that a hold stands for, and where that is
 * @property {"now" | "past" | "ahead"} when
 * @property {number} at_ms
 * @property {number | null} at_seq
 * @property {string} value
 */

/**
 * @param {Hold} hold
 * @param {number} at_ms  where it stands; Infinity for the present
 * @param {string} value
 * @param {number} end_ms
 * @returns {Meaning}
 */
export function meaningOf(hold, at_ms, value, end_ms) {
  if (hold.kind === "deadline") return { when: "past", at_ms: hold.from_ms, at_seq: hold.seq, value: String(Math.round((at_ms - hold.from_ms) / SECOND)) };
  if (hold.kind === "tick") return { when: "past", at_ms: hold.begins[hold.stops.indexOf(at_ms)] ?? 0, at_seq: null, value };
  if (at_ms === Infinity) return { when: "now", at_ms: Math.round(end_ms), at_seq: null, value };
  return { when: at_ms > end_ms ? "ahead" : "past", at_ms, at_seq: null, value };
}

/** The fields with which a form says when its act is to be given. @param {Meaning} meaning @returns {Record<string, string>} */
export function momentFields({ when, at_ms, at_seq }) {
  if (when === "now") return {};
  if (when === "ahead") return { run_to_ms: String(at_ms) };
  return at_seq === null ? { at_ms: String(at_ms) } : { at_ms: String(at_ms), at_seq: String(at_seq) };
}
