// @ts-check
/** Draw marks as glyphs and pills: every probe attempt and event, where the layout put them. */

import { besideFont } from "./mark-layout.js";

const REACH_PX = 9;

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */
/** @typedef {{ x0: number, x1: number, marks: any[], worst: any, left: number, right: number, words: string, from: number, to: number }} Item */

/**
 * Draw the attempts of a probe row.
 * @param {Pen} pen
 * @param {Item[]} items  as layoutMarks made them
 * @param {number} y  middle of the row
 */
export function drawAttempts(pen, items, y) {
  const { context, palette } = pen;
  for (const item of items) {
    const colour = palette.results[item.worst.type] || palette.results.error;
    if (item.marks.length > 1) {
      drawPill(pen, item, y, colour, item.worst.type === "suppressed");
      continue;
    }
    drawResult(context, item.worst.type, item.x0, y, colour, palette.surface["tl-bg"]);
    drawBeside(pen, item, y, colour);
  }
}

/**
 * Draw the events of a pod: ○ Normal, △ Warning.
 * @param {Pen} pen
 * @param {Item[]} items
 * @param {number} y
 */
export function drawEvents(pen, items, y) {
  const { surface } = pen.palette;
  for (const item of items) {
    const warning = item.worst.type === "Warning";
    const colour = warning ? surface["tone-warn"] : surface.muted;
    if (item.marks.length > 1) {
      drawPill(pen, item, y, colour, !warning);
      continue;
    }
    drawEvent(pen, warning, item.x0, y, colour);
    drawBeside(pen, item, y, colour);
  }
}

/** Draw the text next to a lone glyph. @param {Pen} pen @param {Item} item @param {number} y @param {string} colour */
export function drawBeside({ context, palette }, { worst, words, from, to }, y, colour) {
  if (!words) return;
  context.font = palette.font(...besideFont(worst));
  context.fillStyle = palette.surface["tl-bg"];
  context.fillRect(from - 1, y - 6, to - from, 12);
  context.fillStyle = colour;
  context.textAlign = "left";
  context.fillText(words, from, y + 0.5);
}

/**
 * @param {Pen} pen
 * @param {Item} item
 * @param {number} y
 * @param {string} colour
 * @param {boolean} hollow
 */
export function drawPill({ context, palette }, { left, right, words, from, to }, y, colour, hollow) {
  const width = Math.max(2, right - left);
  const half = 6.5 * palette.scale;
  context.beginPath();
  context.roundRect(left, y - half, width, 2 * half, Math.min(half, width / 2));
  context.fillStyle = palette.surface["tl-bg"];
  context.fill();
  context.fillStyle = colour;
  context.globalAlpha = hollow ? 0.08 : 0.2;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1.2;
  context.strokeStyle = colour;
  context.stroke();
  if (!words) return;
  context.font = palette.font(10, 650);
  context.fillStyle = palette.surface.text;
  context.textAlign = "center";
  context.fillText(words, (from + to) / 2, y + 0.5);
}

/** @param {Pen} pen @param {boolean} warning @param {number} x @param {number} y @param {string} colour */
function drawEvent({ context }, warning, x, y, colour) {
  context.beginPath();
  context.lineWidth = 1.6;
  context.strokeStyle = colour;
  context.lineJoin = "round";
  if (!warning) {
    context.arc(x, y, 4.2, 0, 7);
    context.stroke();
    return;
  }
  context.moveTo(x, y - 5.5);
  context.lineTo(x + 5.5, y + 4.5);
  context.lineTo(x - 5.5, y + 4.5);
  context.closePath();
  context.globalAlpha = 0.25;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
}

/**
 * Draw the glyph of one result; every shape differs, whatever its colour.
 * @param {CanvasRenderingContext2D} context
 * @param {string} result
 * @param {number} x
 * @param {number} y
 * @param {string} colour
 * @param {string} back
 */
export function drawResult(context, result, x, y, colour, back) {
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.beginPath();
  if (result === "success") {
    context.arc(x, y, 5.5, 0, 7);
    context.fill();
    stroke(context, back, 1.6, [[x - 2.4, y + 0.2], [x - 0.7, y + 1.9], [x + 2.5, y - 1.7]]);
  } else if (result === "failure") {
    stroke(context, colour, 2.4, [[x - 4, y - 4], [x + 4, y + 4]]);
    stroke(context, colour, 2.4, [[x + 4, y - 4], [x - 4, y + 4]]);
  } else if (result === "timeout") {
    context.strokeRect(x - 5, y - 5, 10, 10);
    stroke(context, colour, 1.3, [[x - 2.3, y - 2.6], [x + 2.3, y - 2.6], [x - 2.3, y + 2.6], [x + 2.3, y + 2.6], [x - 2.3, y - 2.6]]);
  } else if (result === "suppressed") {
    context.arc(x, y, 1.7, 0, 7);
    context.fill();
  } else {
    context.arc(x, y, 5.2, 0, 7);
    context.stroke();
    context.font = "700 9px sans-serif";
    context.textAlign = "center";
    context.fillText("?", x, y + 0.5);
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} colour @param {number} width @param {number[][]} points */
function stroke(context, colour, width, points) {
  context.beginPath();
  context.strokeStyle = colour;
  context.lineWidth = width;
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
}

/**
 * The item under a point of a row's groups.
 * @param {Item[] | undefined} groups
 * @param {number} x
 * @returns {Item | null}
 */
export function groupAt(groups, x) {
  if (!groups) return null;
  let best = null;
  let nearest = REACH_PX;
  for (const group of groups) {
    const distance = x < group.x0 ? group.x0 - x : Math.max(0, x - group.x1);
    if (distance < nearest) {
      nearest = distance;
      best = group;
    }
  }
  return best;
}
