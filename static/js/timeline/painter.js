// @ts-check
/**
 * The base layer: rows, grid, every lane on screen, and the time that is not simulated yet.
 *
 * Nothing is decided here. Which rows there are, where bars and marks are, and which labels have room was worked out before, by functions
 * that know no canvas; this module paints the result. It returns what was drawn where, so that the pointer finds what the eye sees.
 */

import { firstEndingAfter, firstMarkFrom } from "../lanes/lane-search.js";
import { layoutBars } from "./bar-layout.js";
import { drawBars } from "./bars.js";
import { layoutMarks } from "./mark-layout.js";
import { drawAttempts, drawEvents } from "./marks.js";
import { inParts, stuckEnd } from "./pins.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/** @type {Record<string, { above: number, below: number, size: number }>} space above and below the bars of a lane, and the font size of their labels */
export const BARS = {
  status: { above: 6, below: 6, size: 12 },
  phase: { above: 3, below: 3, size: 10 },
  condition: { above: 4, below: 4, size: 9 },
  node: { above: 5, below: 5, size: 11 },
  requests: { above: 4, below: 4, size: 10.5 },
  workload: { above: 4, below: 4, size: 11 },
  part: { above: 4, below: 4, size: 9.5 },
  endpoint: { above: 4, below: 4, size: 9 },
  container: { above: 5, below: 10, size: 11.5 },
};

/** How far marks extend on either side of their moment. */
const EDGE_PX = 16;

/** @type {Record<string, number[]>} dashes of the node line, so that its kind shows without colour */
const NODE_DASH = { starting: [5, 3], terminating: [2, 2], backoff: [1, 4], notready: [8, 2] };

/**
 * @param {Pen} pen
 * @param {any[]} rows      rows on screen
 * @param {number} top      scroll position
 * @param {number} height   of the layer
 * @param {{ finished: boolean, ghost: any }} run  ghost: the Futures of a branch
 * @returns {{ groups: Map<string, any[]>, targets: Map<string, any[]> }} by lane id, for the pointer: groups of marks, and what lies over bars
 */
export function paintBase(pen, rows, top, height, run) {
  const { context, palette, viewport } = pen;
  const found = { groups: new Map(), targets: new Map() };
  context.save();
  // Rows keep their places in the whole list; the canvas is moved instead.
  context.translate(0, -top);
  inParts(context, rows, { top, width: viewport.width, height }, (part, from, high) => {
    paintRows(pen, part, from, high);
    paintFuture(pen, from, high, run);
    for (const row of part) paintRow(pen, row, run, found);
  });
  const edge = stuckEnd(rows);
  context.fillStyle = palette.surface["border-strong"];
  if (edge !== null) context.fillRect(0, edge - 1, viewport.width, 1);
  context.restore();
  return found;
}

/** @param {Pen} pen @param {any} row @param {{ ghost: any }} run @param {{ groups: Map<string, any[]>, targets: Map<string, any[]> }} found */
function paintRow(pen, row, { ghost }, { groups, targets }) {
  if (row.isOld || row.old) ghost.paintOld(pen, row, groups, targets);
  if (row.old) paintSplit(pen, row, ghost.from_ms, groups, targets);
  else if (!row.isOld) paintLane(pen, row, groups, targets);
}

/** @param {Pen} pen @param {any[]} rows @param {number} top @param {number} height */
function paintRows({ context, palette, viewport }, rows, top, height) {
  const { surface } = palette;
  context.fillStyle = surface["tl-row"];
  for (const row of rows) if (row.depth === 1) context.fillRect(0, row.y, viewport.width, row.h);
  const { major, minor } = viewport.ticks(92);
  context.fillStyle = surface["tl-grid"];
  context.globalAlpha = 0.55;
  for (const t_ms of minor) context.fillRect(Math.round(viewport.xOf(t_ms)), top, 1, height);
  context.globalAlpha = 1;
  for (const t_ms of major) context.fillRect(Math.round(viewport.xOf(t_ms)), top, 1, height);
  context.fillStyle = surface["tl-grid-strong"];
  for (const row of rows) if (row.depth === 1) context.fillRect(0, row.y, viewport.width, 1);
}

/** Hatch the time before the run and after its newest moment. */
function paintFuture(/** @type {Pen} */ { context, palette, viewport, end_ms }, /** @type {number} */ top, /** @type {number} */ height, /** @type {{ finished: boolean }} */ run) {
  const zero = viewport.xOf(0);
  if (zero > 0) {
    context.fillStyle = palette.surface["tl-future"];
    context.globalAlpha = 0.35;
    context.fillRect(0, top, zero, height);
    context.globalAlpha = 1;
  }
  const now = viewport.xOf(end_ms);
  if (now >= viewport.width) return;
  const left = Math.max(0, now);
  // The pattern moves with time, or it would swim over the lanes while they are panned.
  context.fillStyle = palette.pattern(context, "future", viewport.xOf(0) % 8, 0) || palette.surface["tl-future"];
  context.fillRect(left, top, viewport.width - left, height);
  context.fillStyle = run.finished ? palette.surface["border-strong"] : palette.surface["tl-grid-strong"];
  if (now >= 0) context.fillRect(Math.round(now), top, 1, height);
}

/**
 * A lane with two futures: one row up to the branch point, from there on the new one above the old.
 * @param {Pen} pen
 * @param {any} row
 * @param {number} from_ms
 * @param {Map<string, any[]>} groups
 * @param {Map<string, any[]>} targets
 */
function paintSplit(pen, row, from_ms, groups, targets) {
  const { lane } = row;
  const at = firstMarkFrom(lane.marks, from_ms);
  /** @type {any[]} */
  const [items, over] = [[], []];
  // Each side is laid out on its own, then its boxes are moved to where they were drawn.
  for (const isAfter of [false, true]) {
    const found = [new Map(), new Map()];
    const marks = isAfter ? lane.marks.slice(at) : lane.marks.slice(0, at);
    const h = isAfter ? row.h - row.old_h : row.h;
    const x = within(pen, from_ms, isAfter, !BARS[lane.kind], (part) => paintLane(part, { ...row, h, lane: { ...lane, marks } }, found[0], found[1]));
    items.push(...(found[0].get(lane.id) ?? []).map((/** @type {any} */ item) => ({ ...item, x0: item.x0 + x, x1: item.x1 + x })));
    over.push(...(found[1].get(lane.id) ?? []).map((/** @type {any} */ item) => ({ ...item, x0: item.x0 + x, x1: item.x1 + x })));
  }
  (BARS[lane.kind] ? targets : groups).set(lane.id, BARS[lane.kind] ? over : items);
}

/**
 * Draw on only one side of a moment, as if the other side were not on screen: labels keep to their side.
 * @param {Pen} pen
 * @param {number} from_ms
 * @param {boolean} isAfter
 * @param {boolean} isOpen  whether what is at the edge may extend over it
 * @param {(pen: Pen) => void} draw
 * @returns {number} what has to be added to the x of what was drawn
 */
export function within(pen, from_ms, isAfter, isOpen, draw) {
  const { context, viewport } = pen;
  // Whole pixels: half a one on each side would leave a seam.
  const edge = Math.min(viewport.width, Math.max(0, Math.round(viewport.xOf(from_ms))));
  const x = isAfter ? edge : 0;
  const width = isAfter ? viewport.width - edge : edge;
  if (width <= 0) return x;
  const part = {
    width,
    msPerPx: viewport.msPerPx,
    start_ms: isAfter ? Math.max(viewport.start_ms, from_ms) : viewport.start_ms,
    end_ms: isAfter ? viewport.end_ms : Math.min(viewport.end_ms, from_ms),
    xOf: (/** @type {number} */ t_ms) => viewport.xOf(t_ms) - x,
    tOf: (/** @type {number} */ at) => viewport.tOf(at + x),
  };
  context.save();
  context.translate(x, 0);
  const over = isOpen ? EDGE_PX : 0;
  context.beginPath();
  context.rect(isAfter ? -over : 0, -1e4, width + over, 1e6);
  context.clip();
  draw({ ...pen, viewport: part });
  context.restore();
  return x;
}

/** @param {Pen} pen @param {any} row @param {Map<string, any[]>} groups @param {Map<string, any[]>} targets */
function paintLane(pen, row, groups, targets) {
  const { lane, y, h } = row;
  const room = { viewport: pen.viewport, end_ms: pen.end_ms, measure: (/** @type {number} */ size, /** @type {number} */ weight, /** @type {string} */ words) => pen.palette.measure(size, weight, words) };
  if (lane.paint) {
    groups.set(lane.id, lane.paint(pen, row, room));
    return;
  }
  const bars = BARS[lane.kind];
  if (bars) {
    const box = { y: y + bars.above, h: h - bars.above - bars.below, size: bars.size };
    const layout = layoutBars(lane, room, bars.size);
    drawBars(pen, row, layout, box);
    if (lane.kind === "container") paintNode(pen, lane.node, y + h - 7);
    targets.set(lane.id, layout.targets);
    return;
  }
  const items = layoutMarks(lane, room);
  groups.set(lane.id, items);
  if (lane.kind === "probe") paintResultLine(pen, lane.spans, y + h / 2);
  (lane.kind === "probe" ? drawAttempts : drawEvents)(pen, items, y + h / 2);
}

/**
 * What the node does with a container, as a thin line below what the API shows.
 * @param {Pen} pen
 * @param {any[]} spans
 * @param {number} y
 */
function paintNode({ context, palette, viewport, end_ms }, spans, y) {
  context.save();
  context.lineWidth = 3;
  context.lineCap = "butt";
  for (let index = firstEndingAfter(spans, viewport.start_ms); index < spans.length; index += 1) {
    const span = spans[index];
    if (span.t0 > viewport.end_ms || span.t0 > end_ms) break;
    if (span.tone === "absent") continue;
    const x0 = viewport.xOf(span.t0);
    // The line is mainly for short steps: none of them may vanish.
    const x1 = Math.max(x0 + 2, viewport.xOf(Math.min(span.t1, end_ms)));
    context.strokeStyle = palette.tones[span.tone].fill;
    context.globalAlpha = span.tone === "ready" ? 0.62 : 1;
    context.setLineDash(NODE_DASH[span.tone] || []);
    context.beginPath();
    context.moveTo(Math.max(-20, x0), y);
    context.lineTo(Math.min(viewport.width + 20, x1 - 0.5), y);
    context.stroke();
  }
  context.restore();
}

/**
 * The probe's current result between its attempts.
 * @param {Pen} pen
 * @param {any[]} spans
 * @param {number} y
 */
function paintResultLine({ context, palette, viewport, end_ms }, spans, y) {
  context.save();
  context.lineWidth = 1.5;
  for (let index = firstEndingAfter(spans, viewport.start_ms); index < spans.length; index += 1) {
    const span = spans[index];
    if (span.t0 > viewport.end_ms || span.t0 > end_ms) break;
    if (!span.text || span.text === "absent") continue;
    context.strokeStyle = palette.results[span.text] || palette.results.suppressed;
    context.globalAlpha = palette.results[span.text] ? 0.45 : 0.3;
    context.setLineDash(span.text === "success" || span.text === "failure" ? [] : [2, 4]);
    context.beginPath();
    context.moveTo(viewport.xOf(span.t0), y);
    context.lineTo(viewport.xOf(Math.min(span.t1, end_ms)), y);
    context.stroke();
  }
  context.restore();
}
