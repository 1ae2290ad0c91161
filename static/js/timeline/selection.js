// @ts-check
/** How a selection made anywhere on the page appears on the lanes. Pure. */

import { marksOf } from "./hits.js";

/** @typedef {{ lane: string, seq: number, t0: number, t1: number }} Selected  the selected record; its end moves while it lasts */

/**
 * The lane that shows a subject, or its chosen record.
 * @param {any} store
 * @param {string} subject
 * @param {number} rec  0 for none
 */
export function laneOf(store, subject, rec) {
  const { lanes } = store;
  const record = rec ? store.get(rec) : null;
  if (record?.kind === "event") return lanes.byId.get(subject.startsWith("node/") ? `events:${subject}` : `events:pod/${lanes.byId.get(subject)?.pod ?? subject.slice(4)}`) ?? null;
  if (record?.machine === "phase") return lanes.byId.get(`phase:${subject}`) ?? null;
  return lanes.byId.get(subject) ?? lanes.byId.get(`status:${subject}`) ?? null;
}

/**
 * The span or mark of a lane that a record made.
 * @param {any} lane
 * @param {number} rec
 * @returns {Selected | null}
 */
export function selectedOn(lane, rec) {
  const mark = marksOf(lane).find(({ seq }) => seq === rec);
  if (mark) return { lane: lane.id, seq: rec, t0: mark.t, t1: mark.t };
  const span = lane.spans.find((/** @type {any} */ item) => item.seq === rec);
  if (!span || span.tone === "absent" || lane.kind === "probe") return null;
  return { lane: lane.id, seq: rec, t0: span.t0, get t1() { return span.t1; } };
}
