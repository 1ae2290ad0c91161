// @ts-check
/** The top layer: selection, hover line, playhead, the known future dimmed, and ends known in advance as outlines. */

import { text } from "../base/i18n.js";
import { LANE_OF_END } from "./hits.js";
import { inParts } from "./pins.js";
import { paintStretch } from "./stretch-paint.js";

const RING_PX = 4.5;

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/**
 * @param {Pen} pen
 * @param {any[]} rows     on screen
 * @param {number} top     scroll position
 * @param {number} height
 * @param {{ t_ms: number, live: boolean, isClear?: boolean, imported_ms: number | null, futures: any, isOldShown: boolean, foot: number, hover_ms: number | null, focus: string, selected: { lane: string, seq: number, t0: number, t1: number } | null, groups: Map<string, any[]>, targets: Map<string, any[]>, pending: any[], stretch: { from_ms: number, to_ms: number } | null }} state
 */
export function paintOverlay(pen, rows, top, height, state) {
  const { context, palette, viewport } = pen;
  const x = viewport.xOf(state.t_ms);
  // When the past is shown, what came after is visible but veiled: it had not happened yet.
  if (!state.live && !state.isClear && x < viewport.width) {
    context.fillStyle = palette.surface.veil;
    const end = Math.min(viewport.width, viewport.xOf(pen.end_ms));
    if (end > x) context.fillRect(Math.max(0, x), 0, end - Math.max(0, x), height);
  }
  context.save();
  context.translate(0, -top);
  inParts(context, rows, { top, width: viewport.width, height }, (part) => {
    for (const row of part) {
      paintKnownEnds(pen, row, state);
      if (row.lane.id === state.focus) paintFocus(pen, row);
      if (state.selected && row.lane.id === state.selected.lane) paintSelection(pen, row, state.selected, wordOf(state), state.futures?.from_ms);
    }
  });
  context.restore();
  paintStretch(pen, state.stretch, height);
  if (state.hover_ms !== null) verticalLine(pen, viewport.xOf(state.hover_ms), height, palette.surface["border-strong"], [4, 3], 1);
  verticalLine(pen, x, height, palette.surface.accent, [], 2);
  // Names of instants are drawn over the lines, which would otherwise strike them through.
  state.futures?.paintPoint(pen, height, state);
  if (state.imported_ms !== null) paintImport(pen, state.imported_ms, height);
}

/**
 * Draw where an imported past ends and the simulation takes over.
 * @param {Pen} pen
 * @param {number} imported_ms
 * @param {number} height
 */
function paintImport(pen, imported_ms, height) {
  const { context, palette, viewport } = pen;
  const x = viewport.xOf(imported_ms);
  if (x < -2 || x > viewport.width + 160) return;
  verticalLine(pen, x, height, palette.surface["border-strong"], [6, 4], 1.5);
  const words = text("timeline.imported");
  context.font = palette.font(10.5, 600);
  const width = palette.width(context, words) + 10;
  context.fillStyle = palette.surface["border-strong"];
  context.fillRect(x - width, height - 46, width, 16);
  context.fillStyle = palette.surface["tl-bg"];
  context.textAlign = "left";
  context.fillText(words, x - width + 5, height - 37.5);
}

/** @param {Pen} pen @param {any} row */
function paintFocus({ context, palette, viewport }, row) {
  context.fillStyle = palette.surface.accent;
  context.globalAlpha = 0.08;
  context.fillRect(0, row.y, viewport.width, row.h);
  context.globalAlpha = 1;
}

/** The box of the selected mark's label, if it has one. @param {any} state */
function wordOf({ selected, targets }) {
  return targets.get(selected.lane)?.find((/** @type {any} */ target) => target.marks.some((/** @type {any} */ mark) => mark.seq === selected.seq));
}

/** @param {Pen} pen @param {any} row @param {{ t0: number, t1: number }} selected @param {{ x0: number, x1: number } | undefined} word @param {number | undefined} split_ms  the moment at which the row is split */
function paintSelection({ context, palette, viewport, end_ms }, row, { t0, t1 }, word, split_ms) {
  const x0 = viewport.xOf(t0);
  const x1 = viewport.xOf(Math.min(t1, end_ms));
  const isMark = t1 === t0;
  const left = Math.max(-6, !isMark ? x0 - 1 : word ? word.x0 - 3 : x0 - 9);
  const right = Math.min(viewport.width + 6, !isMark ? Math.max(x1 + 1, x0 + 5) : word ? word.x1 + 3 : x0 + 9);
  context.beginPath();
  context.roundRect(left, row.y + 2.5, right - left, row.h - (t0 < (split_ms ?? 0) ? 0 : row.old_h) - 5, isMark && !word ? 9 : 5);
  // First wide and in the background colour, so that the ring is visible on any bar.
  context.lineWidth = 4;
  context.strokeStyle = palette.surface["tl-bg"];
  context.stroke();
  context.lineWidth = 2;
  context.strokeStyle = palette.surface.accent;
  context.stroke();
}

/**
 * Draw ends known in advance, as hollow outlines beyond the newest moment.
 * @param {Pen} pen
 * @param {any} row
 * @param {{ t_ms: number, pending: any[], groups: Map<string, any[]> }} state
 */
function paintKnownEnds(pen, row, state) {
  const { context, palette, viewport, end_ms } = pen;
  for (const known of state.pending) {
    if (LANE_OF_END[known.kind] !== row.lane.kind || row.lane.subject !== known.subject) continue;
    if (known.kind === "probe") {
      const x = viewport.xOf(known.until_ms);
      if (!isTaken(state.groups.get(row.lane.id), x)) paintAttempt(pen, row, x);
      continue;
    }
    const x0 = viewport.xOf(Math.max(state.t_ms, end_ms));
    const x1 = viewport.xOf(known.until_ms);
    // An end that is due at any moment needs no outline.
    if (x1 - x0 < 2 || x0 > viewport.width) continue;
    const tone = known.kind === "backoff" ? "backoff" : "terminating";
    context.save();
    context.setLineDash([3, 3]);
    context.lineWidth = 1.5;
    context.strokeStyle = palette.tones[tone].fill;
    context.beginPath();
    context.roundRect(x0, row.y + 5.5, Math.min(x1, viewport.width + 20) - x0, row.h - row.old_h - 16, 4);
    context.stroke();
    context.restore();
  }
}

/** Whether a mark or its label is where a ring would be drawn. @param {import("./mark-layout.js").Item[] | undefined} items @param {number} x */
export function isTaken(items = [], x) {
  return items.some(({ left, right, from, to }) => x > Math.min(left, from) - RING_PX && x < Math.max(right, to) + RING_PX);
}

/** Draw a probe's next attempt: a ring where its mark will be. @param {Pen} pen @param {any} row @param {number} x */
function paintAttempt({ context, palette, viewport }, row, x) {
  if (x > viewport.width + RING_PX) return;
  context.save();
  context.setLineDash([2, 2]);
  context.lineWidth = 1.5;
  context.strokeStyle = palette.surface.muted;
  context.beginPath();
  context.arc(x, row.y + (row.h - row.old_h) / 2, RING_PX, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

/** @param {Pen} pen @param {number} x @param {number} height @param {string} colour @param {number[]} dash @param {number} width */
function verticalLine({ context, viewport }, x, height, colour, dash, width) {
  if (x < -2 || x > viewport.width + 2) return;
  context.save();
  context.setLineDash(dash);
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, height);
  context.stroke();
  context.restore();
}
