// @ts-check
/** The lanes as they would be, drawn as outlines over those that they would replace. */

import { firstEndingAfter, firstMarkFrom } from "../lanes/lane-search.js";
import { LaneSet } from "../lanes/lane-set.js";
import { labelsOf } from "../timeline/bar-words.js";
import { layoutMarks } from "../timeline/mark-layout.js";
import { drawAttempts, drawEvents } from "../timeline/marks.js";
import { BARS } from "../timeline/painter.js";
import { inParts } from "../timeline/pins.js";
import { decode } from "../wire/record.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/**
 * The alternative future.
 * @typedef {object} Hollow
 * @property {LaneSet} lanes
 * @property {number} at_ms    the moment of the act
 * @property {number} from_ms  its beginning: that moment, or the present if that is earlier
 * @property {number} until_ms
 * @property {Set<string>} changed  ids of lanes that would differ
 */

/**
 * Fold an answer of the server into lanes.
 * @param {any} store   the run's own RecordStore
 * @param {any} answer  with the records that follow record `after`
 * @param {number} at_ms  the moment of the act
 * @param {number} end_ms  the newest moment of the run
 * @returns {Hollow}
 */
export function hollowOf(store, answer, at_ms, end_ms) {
  // From the beginning: lanes are folded from records, and only so is it known where an open span comes from.
  const lanes = new LaneSet();
  for (const record of store.records.slice(0, answer.after)) lanes.add(record);
  for (const row of answer.records) lanes.add(decode(row));
  const changed = new Set();
  for (const [id, lane] of lanes.byId) if (differs(store.lanes.byId.get(id), lane, { from_ms: at_ms, end_ms, until_ms: answer.until_ms })) changed.add(id);
  return { lanes, at_ms, from_ms: Math.min(at_ms, end_ms), until_ms: answer.until_ms, changed };
}

/**
 * Whether a lane would differ from a moment on; the future counts only if something would begin there.
 * @param {any} is
 * @param {any} would
 * @param {{ from_ms: number, end_ms: number, until_ms: number }} stretch
 */
export function differs(is, would, { from_ms, end_ms, until_ms }) {
  // Up to the present both are known and can be compared; what comes later cannot differ from anything yet.
  const to_ms = Math.min(end_ms, until_ms);
  const contentOf = (/** @type {any} */ lane) => {
    if (!lane) return "";
    const spans = lane.spans.slice(firstEndingAfter(lane.spans, from_ms)).filter((/** @type {any} */ span) => span.t0 < to_ms && span.tone !== "absent");
    const marks = lane.marks.slice(firstMarkFrom(lane.marks, from_ms)).filter((/** @type {any} */ mark) => mark.t <= to_ms);
    return [...spans.map((/** @type {any} */ span) => `${span.t0}-${Math.min(span.t1, to_ms)} ${span.tone} ${span.text}`), ...marks.map((/** @type {any} */ mark) => `${mark.t} ${mark.type} ${mark.text}`)].join("|");
  };
  if (contentOf(is) !== contentOf(would)) return true;
  const after_ms = Math.max(from_ms, end_ms);
  return would.spans.some((/** @type {any} */ span) => span.t0 > after_ms || (span.t1 > after_ms && span.t1 <= until_ms)) || would.marks.some((/** @type {any} */ mark) => mark.t > after_ms);
}

/**
 * The statuses that kubectl would print for a pod, in order.
 * @param {Hollow} hollow
 * @param {string} pod
 * @returns {{ t_ms: number, word: string }[]}
 */
export function statusAfter({ lanes, at_ms }, pod) {
  const spans = lanes.pods.get(pod)?.status.spans ?? [];
  return spans.filter(({ t0 }) => t0 >= at_ms).map(({ t0, text, data }) => ({ t_ms: t0, word: text === "Running" && data.ready ? `${text} ${data.ready}` : text }));
}

/**
 * @param {Pen} pen
 * @param {any[]} rows  on screen
 * @param {number} top  scroll position
 * @param {Hollow} hollow
 */
export function paintHollow(pen, rows, top, hollow) {
  const { context, viewport } = pen;
  const x0 = Math.max(0, viewport.xOf(hollow.from_ms));
  const x1 = Math.min(viewport.width, viewport.xOf(hollow.until_ms));
  if (x1 <= x0) return;
  context.save();
  context.translate(0, -top);
  context.beginPath();
  context.rect(x0, top, x1 - x0, 1e5);
  context.clip();
  inParts(context, rows, { top, width: viewport.width, height: 1e5 }, (part) => paintRows(pen, part, hollow, { x0, x1 }));
  context.restore();
}

/** @param {Pen} pen @param {any[]} rows @param {Hollow} hollow @param {{ x0: number, x1: number }} edges */
function paintRows(pen, rows, hollow, { x0, x1 }) {
  const { context, palette } = pen;
  for (const row of rows) {
    if (!hollow.changed.has(row.lane.id)) continue;
    context.fillStyle = palette.surface["tl-bg"];
    context.globalAlpha = 0.94;
    context.fillRect(x0, row.y + 1, x1 - x0, row.h - 2);
    context.globalAlpha = 1;
    paintRow(pen, row, /** @type {any} */ (hollow.lanes.byId.get(row.lane.id)), hollow);
  }
}

/** @param {Pen} pen @param {any} row @param {any} lane @param {Hollow} hollow */
function paintRow(pen, row, lane, hollow) {
  const bars = BARS[row.lane.kind];
  if (bars) {
    const box = { y: row.y + bars.above, h: row.h - bars.above - bars.below, size: bars.size };
    for (let index = firstEndingAfter(lane.spans, hollow.from_ms); index < lane.spans.length; index += 1) {
      const span = lane.spans[index];
      if (span.t0 > hollow.until_ms) break;
      if (span.tone !== "absent") paintBar(pen, lane, span, box, hollow);
    }
    return;
  }
  const marks = lane.marks.slice(firstMarkFrom(lane.marks, hollow.from_ms));
  const items = layoutMarks({ ...lane, marks }, { viewport: pen.viewport, end_ms: hollow.until_ms, measure: (size, weight, words) => pen.palette.measure(size, weight, words) });
  paintLine(pen, row, hollow);
  pen.context.globalAlpha = 0.82;
  (row.lane.kind === "probe" ? drawAttempts : drawEvents)(pen, items, row.y + row.h / 2);
  pen.context.globalAlpha = 1;
}

/** If there are no bars, a dashed line says that this has not happened yet. @param {Pen} pen @param {any} row @param {Hollow} hollow */
function paintLine({ context, palette, viewport }, row, hollow) {
  context.save();
  context.setLineDash([4, 3]);
  context.lineWidth = 1;
  context.strokeStyle = palette.surface["border-strong"];
  context.beginPath();
  context.moveTo(viewport.xOf(hollow.from_ms), row.y + row.h - 2.5);
  context.lineTo(viewport.xOf(hollow.until_ms), row.y + row.h - 2.5);
  context.stroke();
  context.restore();
}

/** @param {Pen} pen @param {any} lane @param {any} span @param {{ y: number, h: number, size: number }} box @param {Hollow} hollow */
function paintBar({ context, palette, viewport }, lane, span, { y, h, size }, hollow) {
  const left = Math.max(viewport.xOf(Math.max(span.t0, hollow.from_ms)), -6) + 1;
  const right = Math.min(viewport.xOf(Math.min(span.t1, hollow.until_ms)), viewport.width + 6) - 1;
  if (right <= left) return;
  const tone = palette.tones[span.tone];
  context.save();
  context.beginPath();
  context.roundRect(left, y + 0.75, Math.max(1, right - left), h - 1.5, Math.min(4, (right - left) / 2));
  context.fillStyle = tone.fill;
  context.globalAlpha = 0.13;
  context.fill();
  context.globalAlpha = 1;
  context.setLineDash([4, 3]);
  context.lineWidth = 1.6;
  context.strokeStyle = span.tone === "unknown" ? tone.ink : tone.fill;
  context.stroke();
  context.restore();
  const from = Math.max(left, 0);
  const words = labelsOf(lane, span, hollow.until_ms).find((each) => palette.measure(size, 620, each) + 12 <= Math.min(right, viewport.width) - from);
  if (!words) return;
  context.font = palette.font(size, 620);
  context.fillStyle = palette.surface.text;
  context.textAlign = "left";
  context.fillText(words, from + 6, y + h / 2 + 0.5);
}

/** Draw the held moment through all lanes. @param {any} pen @param {number} t_ms @param {number} height */
export function paintMoment({ context, palette, viewport }, t_ms, height) {
  context.fillStyle = palette.surface.accent;
  context.fillRect(Math.round(viewport.xOf(t_ms)) - 1, 0, 2, height);
}
