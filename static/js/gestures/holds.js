// @ts-check
/**
 * What can be grabbed on a lane, and what moving it means: the end of a container's bar, the end of a pod's grace period, an attempt of a
 * probe. Pure. Only the server knows which act it stands for.
 */

import { spanAt } from "../lanes/lane-search.js";

/** @typedef {import("../lanes/lane-set.js").Lane} Lane */

/**
 * @typedef {object} Hold
 * @property {"end" | "deadline" | "tick"} kind
 * @property {string} lane     id
 * @property {string} subject
 * @property {number} from_ms  beginning of what ends there
 * @property {number} at_ms    its current position; Infinity for the present
 * @property {number} min_ms   range in which it may be moved
 * @property {number} max_ms
 * @property {string} value    the initial value
 * @property {number | null} seq  the record after which the act takes place, at `from_ms`; null: it takes place where the hold is
 * @property {number[]} stops  its only possible positions, in order; empty: anywhere
 * @property {number[]} begins for each stop, the moment just before it began
 */

const SECOND = 1000;
/** How far ahead of the present an end may be moved: as far as the server looks. */
const AHEAD_MS = 30 * 60 * SECOND;
/** The longest grace period that the API server accepts here. */
const GRACE_MAX_MS = 3600 * SECOND;
const STEP_MS = 100;

/**
 * The hold of a lane nearest to a moment; null if there is none.
 * @param {any} store
 * @param {Lane} lane
 * @param {number} t_ms
 * @param {{ end_ms: number, reach_ms: number }} where  the newest moment, and the radius for a probe's attempt
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
  // It keeps running: it can be ended now, or scheduled to end later, as far ahead as the server looks.
  const isOpen = span.t1 > end_ms;
  const max_ms = isOpen ? end_ms + AHEAD_MS : span.t1;
  return { kind: "end", lane: lane.id, subject: lane.subject, from_ms: span.t0, at_ms: isOpen ? Infinity : span.t1, min_ms: span.t0 + STEP_MS, max_ms, value: "1", seq: null, stops: [], begins: [] };
}

/** Only a deletion that was requested can be requested differently, and its deadline is no later than its pod. @param {any} store @param {Lane} lane @param {number} t_ms @returns {Hold | null} */
function deadlineOf(store, lane, t_ms) {
  const own = store.lanes.ends.all.filter((/** @type {any} */ each) => each.kind === "deadline" && each.subject === lane.subject && each.from_ms <= t_ms);
  const known = own[own.length - 1];
  const command = known ? commandBehind(store, known.seq) : null;
  if (!known || !command || command.subject !== lane.subject || !String(command.data.do).startsWith("delete_")) return null;
  const from_ms = known.from_ms;
  return { kind: "deadline", lane: lane.id, subject: lane.subject, from_ms, at_ms: Math.min(known.until_ms, known.ended_ms), min_ms: from_ms + SECOND, max_ms: from_ms + GRACE_MAX_MS, value: "", seq: command.seq - 1, stops: [], begins: [] };
}

/** The command at the same instant that caused a record. @param {any} store @param {number} seq */
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
 * The position of a hold that is moved to a moment.
 * @param {Hold} hold
 * @param {number} t_ms
 * @param {{ end_ms: number, near_ms: number }} now  the present, and what counts as near it
 * @returns {number} Infinity for the present
 */
export function movedTo(hold, t_ms, { end_ms, near_ms }) {
  if (hold.stops.length) return hold.stops.reduce((best, stop) => (Math.abs(stop - t_ms) < Math.abs(best - t_ms) ? stop : best));
  if (hold.at_ms === Infinity && Math.abs(t_ms - end_ms) <= near_ms) return Infinity;
  const clipped = Math.min(hold.max_ms, Math.max(hold.min_ms, t_ms));
  if (hold.kind !== "deadline") return Math.min(hold.max_ms, Math.max(hold.min_ms, Math.round(clipped / STEP_MS) * STEP_MS));
  return hold.from_ms + Math.max(1, Math.round((clipped - hold.from_ms) / SECOND)) * SECOND;
}

/** @type {Record<string, number>} steps of the keys in ms; a tenth of that with Shift */
export const STEPS = { ArrowLeft: -SECOND, ArrowRight: SECOND, PageUp: -10 * SECOND, PageDown: 10 * SECOND };

/**
 * The position of a hold after a step of the keys.
 * @param {Hold} hold
 * @param {number} at_ms  its position; Infinity for the present
 * @param {number} by_ms
 * @param {number} end_ms
 */
export function steppedBy(hold, at_ms, by_ms, end_ms) {
  if (hold.stops.length) return hold.stops[Math.min(hold.stops.length - 1, Math.max(0, hold.stops.indexOf(at_ms) + Math.sign(by_ms)))];
  const least = hold.kind === "deadline" ? Math.sign(by_ms) * Math.max(SECOND, Math.abs(by_ms)) : by_ms;
  return movedTo(hold, (at_ms === Infinity ? end_ms : at_ms) + least, { end_ms, near_ms: 0 });
}

/**
 * @typedef {object} Meaning  the moment and value of the act that a hold stands for
 * @property {"now" | "past" | "ahead"} when
 * @property {number} at_ms
 * @property {number | null} at_seq
 * @property {string} value
 */

/**
 * @param {Hold} hold
 * @param {number} at_ms  its position; Infinity for the present
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

/** The form fields that say when the act takes place. @param {Meaning} meaning @returns {Record<string, string>} */
export function momentFields({ when, at_ms, at_seq }) {
  if (when === "now") return {};
  if (when === "ahead") return { run_to_ms: String(at_ms) };
  return at_seq === null ? { at_ms: String(at_ms) } : { at_ms: String(at_ms), at_seq: String(at_seq) };
}
