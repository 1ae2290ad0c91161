// @ts-check
/** Marks: every single probe attempt and event as a glyph; where they would touch, a counted cluster that shows the worst. */

import { firstMarkFrom } from "../lane-search.js";
import { EVENT_TYPES, PROBE_RESULTS } from "../tones-table.js";
import { RESULT_SEVERITY } from "../tones.js";

/** Equal results closer than this become one counted pill. */
const APART_PX = 13;
/** Runs narrower than this give way to their neighbours, the worst result standing for all. */
const NARROW_PX = 10;
const CLUSTER_MAX_PX = 140;
const PILL_MIN_PX = 26;
const REACH_PX = 9;

/**
 * @typedef {object} Drawn  something that can be pointed at
 * @property {number} x0
 * @property {number} x1
 * @property {any[]} marks
 */

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/**
 * Group the marks on screen: alone where there is room, in runs of equal ones where not, mixed only where even runs are too narrow.
 * @param {any} viewport
 * @param {any[]} marks
 * @param {number} end_ms
 * @returns {Drawn[]}
 */
export function groupMarks(viewport, marks, end_ms) {
  /** @type {Drawn[]} */
  const runs = [];
  const last_ms = Math.min(end_ms, viewport.tOf(viewport.width + REACH_PX));
  for (let index = firstMarkFrom(marks, viewport.tOf(-REACH_PX)); index < marks.length; index += 1) {
    const mark = marks[index];
    if (mark.t > last_ms) break;
    const x = viewport.xOf(mark.t);
    const run = runs[runs.length - 1];
    const joins = run && x - run.x1 < APART_PX && x - run.x0 < CLUSTER_MAX_PX && run.marks[0].type === mark.type;
    if (joins) {
      run.x1 = x;
      run.marks.push(mark);
    } else runs.push({ x0: x, x1: x, marks: [mark] });
  }
  return mixNarrow(runs);
}

/**
 * How near two groups may not come: two lone glyphs need more room than a glyph beside a pill, two pills need none.
 * @param {Drawn} a
 * @param {Drawn} b
 */
function tooClose(a, b) {
  const narrow = [a, b].filter(({ x0, x1 }) => x1 - x0 < NARROW_PX).length;
  return [0, NARROW_PX * 0.6, NARROW_PX][narrow];
}

/**
 * @param {Drawn[]} runs
 * @returns {Drawn[]}
 */
function mixNarrow(runs) {
  /** @type {Drawn[]} */
  const groups = [];
  for (const run of runs) {
    const group = groups[groups.length - 1];
    if (group && run.x1 - group.x0 < CLUSTER_MAX_PX && run.x0 - group.x1 < tooClose(run, group)) {
      group.x1 = run.x1;
      group.marks = group.marks.concat(run.marks);
    } else groups.push(run);
  }
  return groups;
}

/**
 * Draw the attempts of a probe row.
 * @param {Pen} pen
 * @param {any} row
 * @param {number} y  middle of the row
 * @returns {Drawn[]}
 */
export function drawAttempts(pen, row, y) {
  const groups = groupMarks(pen.viewport, row.lane.marks, pen.end_ms);
  groups.forEach((group, index) => {
    const room = (groups[index + 1]?.x0 ?? Infinity) - group.x1;
    if (group.marks.length > 1) drawCluster(pen, pillOf(groups, index), y, attemptSummary(group));
    else drawAttempt(pen, group.marks[0], group.x0, y, room);
  });
  return groups;
}

/**
 * @param {Pen} pen
 * @param {any} mark
 * @param {number} x
 * @param {number} y
 * @param {number} room  to the next glyph
 */
function drawAttempt({ context, palette }, mark, x, y, room) {
  const colour = palette.results[mark.type] || palette.results.error;
  drawResult(context, mark.type, x, y, colour, palette.surface["tl-bg"]);
  const { run, threshold } = mark.data;
  if (!run || !threshold || mark.type === "success" || mark.type === "suppressed" || room < 44) return;
  context.font = palette.font(10, 600);
  context.textAlign = "left";
  const words = `${Math.min(run, threshold)}/${threshold}`;
  context.fillStyle = palette.surface["tl-bg"];
  context.fillRect(x + 7, y - 6, palette.width(context, words) + 4, 12);
  context.fillStyle = colour;
  context.fillText(words, x + 9, y + 0.5);
}

/**
 * The glyph of one result; every shape differs, whatever its colour.
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
 * The worst result of a group, how often, and what to write.
 * @param {Drawn} group
 */
function attemptSummary({ marks }) {
  const worst = marks.map((mark) => mark.type).sort((a, b) => (RESULT_SEVERITY[b] ?? RESULT_SEVERITY.error) - (RESULT_SEVERITY[a] ?? RESULT_SEVERITY.error))[0];
  const count = marks.filter((mark) => mark.type === worst).length;
  const glyph = PROBE_RESULTS[worst] ?? PROBE_RESULTS.error;
  return { colourOf: (/** @type {any} */ palette) => palette.results[worst] || palette.results.error, words: [`${count} ${glyph}`, glyph], hollow: worst === "suppressed" };
}

/**
 * Where the pill of a group begins and ends: never over its neighbours.
 * @param {Drawn[]} groups
 * @param {number} index
 */
function pillOf(groups, index) {
  const { x0, x1 } = groups[index];
  const pad = Math.max(6, (PILL_MIN_PX - (x1 - x0)) / 2);
  const before = groups[index - 1] ? (x0 - groups[index - 1].x1) / 2 - 0.5 : pad;
  const after = groups[index + 1] ? (groups[index + 1].x0 - x1) / 2 - 0.5 : pad;
  return { x0: x0 - Math.min(pad, before), x1: x1 + Math.min(pad, after) };
}

/**
 * @param {Pen} pen
 * @param {{ x0: number, x1: number }} pill
 * @param {number} y
 * @param {{ colourOf: (palette: any) => string, words: string[], hollow: boolean }} summary
 */
function drawCluster({ context, palette }, { x0, x1 }, y, { colourOf, words, hollow }) {
  const width = Math.max(2, x1 - x0);
  const colour = colourOf(palette);
  context.beginPath();
  context.roundRect(x0, y - 6.5, width, 13, Math.min(6.5, width / 2));
  context.fillStyle = palette.surface["tl-bg"];
  context.fill();
  context.fillStyle = colour;
  context.globalAlpha = hollow ? 0.08 : 0.2;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1.2;
  context.strokeStyle = colour;
  context.stroke();
  context.font = palette.font(10, 650);
  const word = words.find((candidate) => palette.width(context, candidate) <= width - 6);
  if (!word) return;
  context.fillStyle = palette.surface.text;
  context.textAlign = "center";
  context.fillText(word, x0 + width / 2, y + 0.5);
}

/**
 * Draw the events of a pod: ○ Normal, △ Warning.
 * @param {Pen} pen
 * @param {any} row
 * @param {number} y
 * @returns {Drawn[]}
 */
export function drawEvents(pen, row, y) {
  const groups = groupMarks(pen.viewport, row.lane.marks, pen.end_ms);
  groups.forEach((group, index) => {
    const room = (groups[index + 1]?.x0 ?? pen.viewport.width) - group.x1;
    if (group.marks.length > 1) drawCluster(pen, pillOf(groups, index), y, eventSummary(group));
    else drawEvent(pen, group.marks[0], group.x0, y, room);
  });
  return groups;
}

/** @param {Drawn} group */
function eventSummary({ marks }) {
  const warnings = marks.filter((mark) => mark.type === "Warning").length;
  const colourOf = (/** @type {any} */ palette) => (warnings ? palette.surface["tone-warn"] : palette.surface.muted);
  const words = warnings ? [`${marks.length} ${EVENT_TYPES.Warning}`, EVENT_TYPES.Warning] : [`${marks.length} ${EVENT_TYPES.Normal}`, `${marks.length}`];
  return { colourOf, words, hollow: !warnings };
}

/** @param {Pen} pen @param {any} mark @param {number} x @param {number} y @param {number} room */
function drawEvent({ context, palette }, mark, x, y, room) {
  const warning = mark.type === "Warning";
  const colour = warning ? palette.surface["tone-warn"] : palette.surface.muted;
  context.beginPath();
  context.lineWidth = 1.6;
  context.strokeStyle = colour;
  context.lineJoin = "round";
  if (warning) {
    context.moveTo(x, y - 5.5);
    context.lineTo(x + 5.5, y + 4.5);
    context.lineTo(x - 5.5, y + 4.5);
    context.closePath();
    context.globalAlpha = 0.25;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
  } else context.arc(x, y, 4.2, 0, 7);
  context.stroke();
  context.font = palette.font(10.5, 500);
  const words = String(mark.text);
  if (palette.width(context, words) + 22 > room) return;
  context.fillStyle = warning ? colour : palette.surface.muted;
  context.textAlign = "left";
  context.fillText(words, x + 9, y + 0.5);
}

/**
 * What lies under a point of a row's groups.
 * @param {Drawn[] | undefined} groups
 * @param {number} x
 * @returns {Drawn | null}
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
