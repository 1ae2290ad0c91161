// @ts-check
/** Spans as bars: fill, pattern, text that fits, exit codes, and the merge that keeps the worst when there is no room. */

import { lengthText } from "../format.js";
import { firstEndingAfter } from "../lane-search.js";
import { requestWords } from "../request-lanes.js";
import { CONDITION_STATUSES, GLYPHS } from "../tones-table.js";
import { worse } from "../tones.js";

const NARROW_PX = 1.6;
const TEXT_PAD = 6;
const INFERRED = "≈ ";

/**
 * @typedef {object} Pen  what every drawing function needs
 * @property {CanvasRenderingContext2D} context
 * @property {any} palette
 * @property {any} viewport
 * @property {number} end_ms  newest moment: open spans end here
 * @property {number | null} [imported_ms]  where an imported past ends
 */

/** @typedef {{ y: number, h: number, size: number }} Box  size is that of the text */

/**
 * Draw the spans of a lane that are on screen.
 * @param {Pen} pen
 * @param {any} row
 * @param {any[]} spans
 * @param {Box} box
 * @returns {{ x0: number, x1: number, marks: any[] }[]} the exit tags drawn
 */
export function drawSpans(pen, row, spans, box) {
  const { viewport, end_ms } = pen;
  const tags = /** @type {{ x0: number, x1: number, marks: any[] }[]} */ ([]);
  /** @type {{ x0: number, x1: number, tone: string } | null} */
  let merged = null;
  const flush = () => {
    if (merged) drawMerged(pen, merged, box);
    merged = null;
  };
  for (let index = firstEndingAfter(spans, viewport.start_ms); index < spans.length; index += 1) {
    const span = spans[index];
    if (span.t0 > viewport.end_ms || span.t0 > end_ms) break;
    const x0 = viewport.xOf(span.t0);
    const x1 = viewport.xOf(Math.min(span.t1, end_ms));
    const tag = index > 0 ? exitTag(pen, row, spans[index - 1], span) : null;
    if (tag) {
      drawExitTag(pen, tag, x0, box);
      const ending = row.lane.endings.get(spans[index - 1].data.instance) ?? { t: span.t0, seq: span.seq, type: "exit", text: tag.code, data: span.data };
      tags.push({ x0: x0 - tag.width - 1, x1: x0 - 1, marks: [ending] });
    }
    if (x1 - x0 < NARROW_PX) {
      if (span.tone === "absent") continue;
      if (merged && x0 - merged.x1 < 1) merged = { x0: merged.x0, x1: Math.max(merged.x1, x1), tone: worse(merged.tone, span.tone) };
      else {
        flush();
        merged = { x0, x1, tone: span.tone };
      }
      continue;
    }
    flush();
    drawBar(pen, row, span, { x0, x1, reserve: exitTag(pen, row, span, spans[index + 1])?.width ?? 0 }, box);
  }
  flush();
  return tags;
}

/** @param {Pen} pen @param {{ x0: number, x1: number, tone: string }} merged @param {Box} box */
function drawMerged({ context, palette }, { x0, x1, tone }, { y, h }) {
  context.fillStyle = tone === "unknown" ? palette.tones.unknown.ink : palette.tones[tone].fill;
  context.fillRect(Math.round(x0), y, Math.max(2, x1 - x0), h);
}

/**
 * @param {Pen} pen
 * @param {any} row
 * @param {any} span
 * @param {{ x0: number, x1: number, reserve: number }} edges  reserve is taken by the exit tag of the next span
 * @param {Box} box
 */
function drawBar(pen, row, span, { x0, x1, reserve }, box) {
  const { context, palette, viewport } = pen;
  if (span.tone === "absent") {
    baseline(pen, x0, x1, box);
    return;
  }
  const left = Math.max(-8, x0) + 0.5;
  const right = Math.min(viewport.width + 8, x1) - 0.5;
  const width = Math.max(1, right - left);
  const { fill } = palette.tones[span.tone];
  context.save();
  shape(pen, row, span, { left, right, width }, box);
  paint(pen, span.tone, fill, { x0, left, right, width }, box);
  if (span.data.inferred) paintInferred(pen, fill, x0, box);
  context.restore();
  label(pen, row, span, { left: Math.max(left, 0), right: Math.min(right - reserve, viewport.width) }, box);
}

/**
 * Hatched with a dashed edge: worked out from an imported text that does not date it. The label has a mark of its own.
 * @param {Pen} pen
 * @param {string} fill
 * @param {number} x0
 * @param {Box} box
 */
function paintInferred({ context, palette, viewport, imported_ms }, fill, x0, { y, h }) {
  const edge = imported_ms === null || imported_ms === undefined ? viewport.width : viewport.xOf(imported_ms);
  if (edge <= x0) return;
  // What the simulation has added to the state since the import is known.
  const outline = new Path2D();
  outline.rect(x0 - 2, y - 2, edge - x0 + 2, h + 4);
  context.clip(outline);
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
 * Trace the outline of a bar; the shape tells the state, too.
 * @param {Pen} pen
 * @param {any} row
 * @param {any} span
 * @param {{ left: number, right: number, width: number }} edges
 * @param {Box} box
 */
function shape({ context, viewport }, row, span, { left, right, width }, { y, h }) {
  context.beginPath();
  if (span.tone === "failed" && width > 9) {
    const notch = Math.min(5, h / 3);
    polygon(context, [[left, y], [right, y], [right - notch, y + h / 2], [right, y + h], [left, y + h]]);
  } else if (span.tone === "terminating" && row.lane.kind === "status" && Number.isFinite(row.pod.deadline_ms) && width > 12) {
    const end = viewport.xOf(Math.max(row.pod.deadline_ms, span.t0 + 1));
    const start = viewport.xOf(span.t0);
    const thin = (/** @type {number} */ x) => (h / 2) * 0.62 * Math.min(1, Math.max(0, (x - start) / Math.max(1, end - start)));
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
    // Filled to two thirds only: running, but not serving.
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
 * The longest text that fits.
 * @param {Pen} pen
 * @param {any} row
 * @param {any} span
 * @param {{ left: number, right: number }} edges
 * @param {Box} box
 */
function label({ context, palette, end_ms }, row, span, { left, right }, { y, h, size }) {
  const room = right - left - TEXT_PAD * 2;
  if (room < 6 || size === 0) return;
  context.font = palette.font(size, span.tone === "ready" || row.lane.kind === "phase" ? 560 : 620);
  const sign = span.data.inferred ? INFERRED : "";
  const words = wordings(row, span, end_ms).map((wording) => sign + wording).find((candidate) => palette.width(context, candidate) <= room);
  if (!words) return;
  const lift = span.tone === "notready" ? h * 0.13 : 0;
  const { ink, fill } = palette.tones[span.tone];
  if (sign || span.tone === "backoff" || span.tone === "starting" || span.tone === "waiting") {
    context.fillStyle = fill;
    context.fillRect(left + TEXT_PAD - 3, y + 2, palette.width(context, words) + 6, h - 4);
  }
  context.fillStyle = ink;
  context.textAlign = "left";
  context.fillText(words, left + TEXT_PAD, y + h / 2 + lift + 0.5);
}

/**
 * What a bar may say, the fullest first.
 * @param {any} row
 * @param {any} span
 * @param {number} end_ms
 * @returns {string[]}
 */
function wordings({ lane }, span, end_ms) {
  const glyph = GLYPHS[span.tone] || "";
  const length = lengthText(Math.round((Math.min(span.t1, end_ms) - span.t0) / 100) * 100);
  if (lane.kind === "condition") return [glyphOfCondition(span)];
  if (lane.kind === "phase") return [span.text, span.text.charAt(0)];
  if (lane.kind === "status") {
    const ready = span.data.ready && span.tone !== "absent" ? ` ${span.data.ready}` : "";
    return [`${glyph} ${span.text}${ready}`, `${glyph} ${span.text}`, glyph];
  }
  if (lane.kind === "node" || lane.kind === "part" || lane.kind === "workload") return [`${glyph} ${span.text.replaceAll("_", " ")}`, glyph];
  if (lane.kind === "requests") return [`${glyph} ${requestWords(span)}`, `${glyph} ${span.data.total || ""}`, glyph];
  const instance = span.data.instance ?? 0;
  if (span.text === "Running") return [`#${instance} Running`, `#${instance}`];
  if (span.tone === "failed" && span.data.exit_code !== undefined) return [`${glyph} ${span.text} ${span.data.exit_code}`, String(span.data.exit_code), glyph];
  if (span.tone === "backoff") return [`${glyph} ${span.text} ${length}`, `${glyph} ${length}`, glyph];
  return [`${glyph} ${span.text}`, glyph];
}

/** @param {any} span */
function glyphOfCondition({ text }) {
  return CONDITION_STATUSES[text] ?? CONDITION_STATUSES.Unknown;
}

/**
 * How an instance ended, as a tag on the end of its bar: wherever the ended state itself is not drawn or has no room for its code.
 * @param {Pen} pen
 * @param {any} row
 * @param {any} span   the bar that would carry the tag
 * @param {any} next   what came after it
 * @returns {{ code: string, tone: string, width: number } | null}
 */
function exitTag({ context, palette, viewport, end_ms }, row, span, next) {
  if (row.lane.kind !== "container" || !next || next.t0 > end_ms || span.tone === "absent" || next.tone === "absent") return null;
  const ended = next.data.exit_code ?? (span.text === "Running" && next.data.instance !== span.data.instance ? row.lane.endings.get(span.data.instance)?.text : undefined);
  if (ended === undefined || (next.tone === span.tone && next.data.exit_code !== undefined)) return null;
  const code = String(ended);
  context.font = palette.font(10, 700);
  const width = palette.width(context, code) + 8;
  const x0 = viewport.xOf(next.t0);
  const saysItself = next.data.exit_code !== undefined && viewport.xOf(Math.min(next.t1, end_ms)) - x0 >= width + TEXT_PAD;
  if (saysItself || x0 - Math.max(0, viewport.xOf(span.t0)) < width + 14) return null;
  return { code, tone: code === "0" ? "succeeded" : "failed", width };
}

/** @param {Pen} pen @param {{ code: string, tone: string, width: number }} tag @param {number} x0 @param {Box} box */
function drawExitTag({ context, palette }, { code, tone, width }, x0, { y, h }) {
  const { fill, ink } = palette.tones[tone];
  context.fillStyle = fill;
  context.beginPath();
  context.roundRect(x0 - width - 1, y + 3, width, h - 6, [3, 0, 0, 3]);
  context.fill();
  context.fillStyle = ink;
  context.font = palette.font(10, 700);
  context.textAlign = "center";
  context.fillText(code, x0 - width / 2 - 1, y + h / 2 + 0.5);
}
