// @ts-check
/** Draw spans as bars: fill, pattern and shape. Their positions and labels have been laid out before. */

import { drawPoles, drawWords } from "./words.js";

/**
 * @typedef {object} Pen  what every drawing function needs
 * @property {CanvasRenderingContext2D} context
 * @property {any} palette
 * @property {any} viewport
 * @property {number} end_ms  newest moment: open spans end here
 * @property {number | null} [imported_ms]  where an imported past ends
 */

/** @typedef {{ y: number, h: number, size: number }} Box  size: of the text */

/**
 * Draw a row of bars with everything that lies over them.
 * @param {Pen} pen
 * @param {any} row
 * @param {any} layout  as layoutBars made it
 * @param {Box} box
 */
export function drawBars(pen, row, layout, box) {
  // Slivers first: a bar next to one keeps its outline.
  for (const sliver of layout.slivers) drawSliver(pen, sliver, box);
  for (const bar of layout.bars) drawBar(pen, row, bar, box);
  for (const hook of layout.hooks) drawHook(pen, hook, box);
  drawPoles(pen, layout.poles, box);
  drawWords(pen, layout.words, box);
}

/** @param {Pen} pen @param {{ x0: number, x1: number, tone: string }} sliver @param {Box} box */
function drawSliver({ context, palette }, { x0, x1, tone }, { y, h }) {
  context.fillStyle = tone === "unknown" ? palette.tones.unknown.ink : palette.tones[tone].fill;
  context.fillRect(Math.round(x0), y, Math.max(2, x1 - x0), h);
}

/**
 * @param {Pen} pen
 * @param {any} row
 * @param {{ span: any, x0: number, x1: number }} bar
 * @param {Box} box
 */
function drawBar(pen, row, { span, x0, x1 }, box) {
  const { context, palette, viewport } = pen;
  if (span.tone === "absent") {
    baseline(pen, x0, x1, box);
    return;
  }
  // Cut off a little outside the canvas: drawing a bar of a million pixels is slow, and its rounded end must not be visible.
  const left = Math.max(-8, x0) + 0.5;
  const right = Math.min(viewport.width + 8, x1) - 0.5;
  const width = Math.max(1, right - left);
  const { fill } = palette.tones[span.tone];
  context.save();
  shape(pen, row, span, { left, right, width }, box);
  paint(pen, span.tone, fill, { x0, left, right, width }, box);
  if (span.data.inferred) paintInferred(pen, fill, x0, box, () => shape(pen, row, span, { left, right, width }, box));
  else if (span.data.stale) paintHatched(pen, fill, x0, box, () => shape(pen, row, span, { left, right, width }, box));
  context.restore();
}

/**
 * Hatched with a dashed edge: inferred from an imported text that gives no time for it. The label has a mark of its own.
 * @param {Pen} pen
 * @param {string} fill
 * @param {number} x0
 * @param {Box} box
 * @param {() => void} trace  traces the bar's path again
 */
function paintInferred(pen, fill, x0, { y, h }, trace) {
  const { context, viewport, imported_ms } = pen;
  const edge = imported_ms === null || imported_ms === undefined ? viewport.width : viewport.xOf(imported_ms);
  if (edge <= x0) return;
  // What the simulation has added to the state since the import is known.
  context.beginPath();
  context.rect(x0 - 2, y - 2, edge - x0 + 2, h + 4);
  context.clip();
  paintHatched(pen, fill, x0, { y }, trace);
}

/**
 * Hatched with a dashed edge: not known to be so at this moment.
 * @param {Pen} pen
 * @param {string} fill
 * @param {number} x0
 * @param {{ y: number }} box
 * @param {() => void} trace  traces the bar's path again
 */
function paintHatched({ context, palette }, fill, x0, { y }, trace) {
  trace();
  overlay(context, palette.pattern(context, "inferred", x0, y));
  context.setLineDash([4, 3]);
  context.lineWidth = 1.5;
  context.strokeStyle = fill;
  context.stroke();
}

/** Before creation, after removal: a line where the bar would be. */
function baseline(/** @type {Pen} */ { context, palette }, /** @type {number} */ x0, /** @type {number} */ x1, /** @type {Box} */ { y, h }) {
  context.fillStyle = palette.surface["tl-grid-strong"];
  context.fillRect(x0, y + h - 1, x1 - x0, 1);
}

/**
 * Trace the outline of a bar; the shape shows the state, too.
 * @param {Pen} pen
 * @param {any} row
 * @param {any} span
 * @param {{ left: number, right: number, width: number }} edges
 * @param {Box} box
 */
function shape({ context, viewport }, row, span, { left, right, width }, { y, h, size }) {
  context.beginPath();
  // Each state has a shape or a pattern besides its colour; if there is no room for it, the glyph of its label shows the state.
  if (span.tone === "failed" && width > 9) {
    const notch = Math.min(5, h / 3);
    polygon(context, [[left, y], [right, y], [right - notch, y + h / 2], [right, y + h], [left, y + h]]);
  } else if (span.tone === "terminating" && row.lane.kind === "status" && Number.isFinite(row.pod.deadline_ms) && width > 12) {
    const end = viewport.xOf(Math.max(row.pod.deadline_ms, span.t0 + 1));
    // The wedge runs from the deletion to the deadline and is cut where the span ends: it shows how much of the grace period was used.
    const start = viewport.xOf(span.t0);
    // It stays thick enough for the label on it.
    const most = Math.max(0, (h - Math.max(size + 3, h * 0.4)) / 2);
    const thin = (/** @type {number} */ x) => most * Math.min(1, Math.max(0, (x - start) / Math.max(1, end - start)));
    polygon(context, [[left, y + thin(left)], [right, y + thin(right)], [right, y + h - thin(right)], [left, y + h - thin(left)]]);
  } else {
    context.roundRect(left, y, width, h, Math.min(4, width / 2, h / 2));
  }
}

/** @param {CanvasRenderingContext2D} context @param {number[][]} points */
function polygon(context, points) {
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
}

/**
 * @param {Pen} pen
 * @param {string} tone
 * @param {string} fill
 * @param {{ x0: number, left: number, right: number, width: number }} edges
 * @param {Box} box
 */
function paint({ context, palette }, tone, fill, { x0, left, right, width }, { y, h }) {
  if (tone === "unknown") {
    overlay(context, palette.pattern(context, tone, x0, y));
    context.setLineDash([5, 3]);
    context.lineWidth = 2;
    context.strokeStyle = fill;
    context.stroke();
    return;
  }
  if (tone === "notready") {
    // Filled to only two thirds: running, but not serving.
    context.globalAlpha = 0.16;
    context.fillStyle = fill;
    context.fill();
    context.globalAlpha = 1;
    context.save();
    context.clip();
    context.fillRect(left, y + Math.round(h * 0.28), width, h);
    context.restore();
    context.lineWidth = 1;
    context.strokeStyle = palette.edge;
    context.stroke();
    return;
  }
  context.fillStyle = fill;
  context.fill();
  overlay(context, palette.pattern(context, tone, x0, y));
  if (palette.outlined) {
    context.lineWidth = 1;
    context.strokeStyle = palette.edge;
    context.stroke();
  }
  if (tone === "succeeded" && width > 8) {
    context.fillStyle = palette.tones.succeeded.ink;
    context.globalAlpha = 0.5;
    context.fillRect(right - 3, y, 1.5, h);
  }
}

/** @param {CanvasRenderingContext2D} context @param {CanvasPattern | null} pattern */
function overlay(context, pattern) {
  if (!pattern) return;
  context.fillStyle = pattern;
  context.fill();
}

/**
 * A hook while it runs, as a bar within the bar.
 * @param {Pen} pen
 * @param {{ hook: any, left: number, right: number }} edges
 * @param {Box} box
 */
function drawHook({ context, palette }, { hook, left, right }, { y, h }) {
  context.beginPath();
  context.roundRect(left, y + 3, right - left, h - 6, Math.min(4, (right - left) / 2));
  context.fillStyle = palette.surface["tl-bg"];
  context.globalAlpha = 0.92;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.strokeStyle = hook.tone === "failed" ? palette.surface["tone-bad"] : palette.tones.starting.fill;
  context.stroke();
}
