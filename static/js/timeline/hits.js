// @ts-check
/** What lies under a point of the lanes. */

import { spanAt } from "../lane-search.js";
import { groupAt } from "./marks.js";
import { rowAt } from "./rows.js";

const FLAG_PX = 4;

/**
 * @typedef {object} Hit  what is under a point
 * @property {any} row
 * @property {any} lane
 * @property {any} span
 * @property {any[] | null} marks
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
  const { lane } = row;
  const t_ms = viewport.tOf(x);
  const group = groupAt(groups.get(lane.id), x);
  if (group) return { row, lane, span: null, marks: group.marks };
  const flag = lane.flags.find((/** @type {any} */ item) => Math.abs(viewport.xOf(item.t) - x) < FLAG_PX);
  if (flag) return { row, lane, span: null, marks: [flag] };
  const hook = spanAt(lane.hooks, t_ms);
  if (hook && hook.t1 > t_ms && t_ms <= run.playhead.end_ms) return { row, lane, span: hook, marks: null };
  const span = t_ms <= run.playhead.end_ms ? nearSpan(viewport, lane, t_ms) : null;
  return { row, lane, span: span && span.tone !== "absent" ? span : lane.kind === "probe" ? span : null, marks: null };
}

/**
 * The span at a moment; a short failure is easier to hit than its width says.
 * @param {any} viewport
 * @param {any} lane
 * @param {number} t_ms
 */
function nearSpan(viewport, lane, t_ms) {
  const reach = viewport.msPerPx * 4;
  for (const at of [t_ms, t_ms + reach, t_ms - reach]) {
    const span = spanAt(lane.spans, at);
    if (span && (at === t_ms ? span.tone !== "absent" : span.t1 - span.t0 < reach && span.tone === "failed")) return span;
  }
  return spanAt(lane.spans, t_ms);
}
