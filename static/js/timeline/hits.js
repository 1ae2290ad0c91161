// @ts-check
/** What is under a point of the lanes. */

import { spanAt } from "../lanes/lane-search.js";
import { groupAt } from "./marks.js";
import { rowAt } from "./rows.js";

/** The kind of lane on which a known end is outlined. */
export const LANE_OF_END = /** @type {Record<string, string>} */ ({ backoff: "container", kill: "container", deadline: "status", taint: "status", probe: "probe" });

/** How far from its centre the ring of a probe's next attempt can be pointed at. */
const RING_PX = 8;

/**
 * @typedef {object} Hit  what is under a point
 * @property {any} row
 * @property {any} lane
 * @property {any} span
 * @property {any[] | null} marks
 * @property {boolean} [isOld]  whether it belongs to the old future of a branch
 */

/**
 * @param {any} timeline
 * @param {number} x
 * @param {number} y  from the stage's top
 * @returns {Hit | null}
 */
export function hitAt(timeline, x, y) {
  const { rows, body, viewport, groups, run } = timeline;
  const row = rowAt(rows, y + body.scrollTop);
  if (!row) return null;
  const t_ms = viewport.tOf(x);
  if (row.isOld || (row.old && t_ms >= run.ghost.from_ms && y + body.scrollTop >= row.y + row.h - row.old_h)) return run.ghost.hitAt(timeline, row, x);
  const { lane } = row;
  // From the top down: marks, then flags and codes, then known ends, hooks, and finally the bar itself.
  const group = groupAt(groups.get(lane.id), x);
  if (group) return { row, lane, span: null, marks: group.marks };
  const target = (timeline.targets.get(lane.id) ?? []).find((/** @type {any} */ item) => item.x0 <= x && x <= item.x1);
  if (target) return { row, lane, span: null, marks: target.marks };
  const known = knownEndAt(run, lane, t_ms, viewport.msPerPx * RING_PX);
  if (known) return { row, lane, span: null, marks: [known] };
  const hook = spanAt(lane.hooks, t_ms);
  if (hook && hook.t1 > t_ms && t_ms <= run.playhead.end_ms) return { row, lane, span: hook, marks: null };
  const span = t_ms <= run.playhead.end_ms ? nearSpan(viewport, lane, t_ms) : null;
  return { row, lane, span: span && span.tone !== "absent" ? span : lane.kind === "probe" ? span : null, marks: null };
}

/**
 * The span at a moment; a short failure has a larger target than its width.
 * @param {any} viewport
 * @param {any} lane
 * @param {number} t_ms
 */
export function nearSpan(viewport, lane, t_ms) {
  // A container that failed for a tenth of a second is one pixel wide, and is what the reader wants to point at.
  const reach = viewport.msPerPx * 4;
  for (const at of [t_ms, t_ms + reach, t_ms - reach]) {
    const span = spanAt(lane.spans, at);
    if (span && (at === t_ms ? span.tone !== "absent" : span.t1 - span.t0 < reach && span.tone === "failed")) return span;
  }
  return spanAt(lane.spans, t_ms);
}

/**
 * The outline of an end that is known beforehand, as a mark of the record that announced it.
 * @param {any} run
 * @param {any} lane
 * @param {number} t_ms
 * @param {number} reach_ms  how far from an instant it can be pointed at
 */
function knownEndAt({ store, playhead }, lane, t_ms, reach_ms) {
  if (!playhead.live || t_ms <= playhead.end_ms - reach_ms) return null;
  const isUnder = (/** @type {any} */ { kind, until_ms }) => (kind === "probe" ? Math.abs(t_ms - until_ms) <= reach_ms : playhead.end_ms < t_ms && t_ms <= until_ms);
  const found = store.pending(playhead.t_ms).find((/** @type {any} */ each) => LANE_OF_END[each.kind] === lane.kind && each.subject === lane.subject && isUnder(each));
  return found ? { t: found.from_ms, seq: found.seq, type: "known-end", text: found.kind, data: {}, until_ms: found.until_ms } : null;
}

/**
 * Everything on a lane that is an instant: its own marks, signals and acts, and exits of instances.
 * @param {any} lane
 * @returns {any[]}
 */
export function marksOf(lane) {
  const all = [...lane.marks, ...lane.flags, ...lane.endings.values()];
  return lane.marks.length === all.length ? lane.marks : all.sort((a, b) => a.t - b.t || a.seq - b.seq);
}
