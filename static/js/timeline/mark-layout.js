// @ts-check
/**
 * Where marks are, and their text. Pure: it draws nothing.
 *
 * A mark is drawn alone where there is room. Equal ones that would touch become a pill with their number; where even runs of equal marks
 * are too narrow, one pill holds them all and shows how many there are and how many of them are the worst.
 */

import { EVENT_TYPES, PROBE_RESULTS } from "../base/tones-table.js";
import { RESULT_SEVERITY } from "../base/tones.js";
import { firstMarkFrom } from "../lanes/lane-search.js";

/** Equal results closer than this become one counted pill. */
const APART_PX = 13;
/** Half the width of a lone glyph with the space around it. */
const GLYPH_PX = 6;
/** Runs narrower than this are merged with their neighbours. */
const NARROW_PX = 2 * GLYPH_PX;
/** The minimum that a pill extends beyond its marks on either side. */
const PILL_EDGE_PX = 1.5;
const CLUSTER_MAX_PX = 140;
/** A neighbour nearer than this may leave no room for a number. */
const CROWDED_PX = 36;
const PILL_PAD_PX = 6;

/**
 * @typedef {object} Group  marks in one place
 * @property {number} x0
 * @property {number} x1
 * @property {any[]} marks
 */

/**
 * @typedef {object} Item  a group as it is drawn and pointed at
 * @property {number} x0
 * @property {number} x1
 * @property {any[]} marks
 * @property {any} worst  the mark that represents all
 * @property {number} left   edges of glyph or pill
 * @property {number} right
 * @property {string} words  in the pill, or next to the glyph
 * @property {number} from   edges of the text
 * @property {number} to
 */

/** @typedef {{ viewport: any, end_ms: number, measure: (size: number, weight: number, words: string) => number }} Room */

/**
 * @param {any} lane  a probe's, or one of events
 * @param {Room} room
 * @returns {Item[]} in order; none of their boxes and words overlap
 */
export function layoutMarks(lane, room) {
  const probe = lane.kind === "probe";
  const items = joinUnnumbered(absorbLone(mixNarrow(runsOf(lane.marks, room))), (groups) => groups.map((group, index) => boxOf(groups, index, summaryOf(group, probe, lane.glyphs), room)));
  items.forEach((item, index) => {
    if (item.marks.length === 1) writeBeside(item, items[index + 1], besideWords(item.worst, probe), room);
  });
  return items;
}

/** @param {any[]} marks @param {Room} room @returns {Group[]} */
function runsOf(marks, { viewport, end_ms }) {
  /** @type {Group[]} */
  const runs = [];
  // Marks just outside the window belong to pills that extend into it: without them pills would change at the edge while time moves.
  const reach = 2 * CLUSTER_MAX_PX;
  const last_ms = Math.min(end_ms, viewport.tOf(viewport.width + reach));
  for (let index = firstMarkFrom(marks, viewport.tOf(-reach)); index < marks.length; index += 1) {
    const mark = marks[index];
    if (mark.t > last_ms) break;
    const x = viewport.xOf(mark.t);
    const run = runs[runs.length - 1];
    // A pill has a maximum length, so that there is never a single "240 ✓" across the whole window.
    const joins = run && x - run.x1 < APART_PX && x - run.x0 < CLUSTER_MAX_PX && run.marks[0].type === mark.type;
    if (joins) {
      run.x1 = x;
      run.marks.push(mark);
    } else runs.push({ x0: x, x1: x, marks: [mark] });
  }
  return runs;
}

/** @param {Group} group */
function isNarrow({ x0, x1 }) {
  return x1 - x0 < NARROW_PX;
}

/**
 * Whether two neighbours would touch: lone glyphs need room for two halves, a glyph next to a pill for one, pills need none.
 * @param {Group} a
 * @param {Group} b  the later one
 */
function touch(a, b) {
  const narrow = Number(isNarrow(a)) + Number(isNarrow(b));
  return b.x0 - a.x1 < [PILL_EDGE_PX, GLYPH_PX + PILL_EDGE_PX, 2 * GLYPH_PX][narrow];
}

/** @param {Group} into @param {Group} group */
function join(into, group) {
  into.x0 = Math.min(into.x0, group.x0);
  into.x1 = Math.max(into.x1, group.x1);
  into.marks = [...into.marks, ...group.marks].sort((a, b) => a.t - b.t || a.seq - b.seq);
}

/** @param {Group[]} runs @returns {Group[]} */
function mixNarrow(runs) {
  /** @type {Group[]} */
  const groups = [];
  for (const run of runs) {
    const group = groups[groups.length - 1];
    if (group && (isNarrow(group) || isNarrow(run)) && run.x1 - group.x0 < CLUSTER_MAX_PX && touch(group, run)) join(group, run);
    else groups.push(run);
  }
  return groups;
}

/**
 * Where pills were cut at their maximum length, a narrow one may be left between them: it goes to a neighbour that it touches.
 * @param {Group[]} groups
 */
function absorbLone(groups) {
  /** @type {Group[]} */
  const kept = [];
  for (const group of groups) {
    const last = kept[kept.length - 1];
    if (last && (isNarrow(group) || isNarrow(last)) && touch(last, group)) join(last, group);
    else kept.push(group);
  }
  return kept;
}

/**
 * No pill may lack its number: if a neighbour leaves no room for it, the two are joined.
 * @param {Group[]} groups
 * @param {(groups: Group[]) => Item[]} place
 */
function joinUnnumbered(groups, place) {
  // Each pass joins two groups, so this ends; most rows need none.
  for (;;) {
    const items = place(groups);
    const mute = items.findIndex(({ marks, words, right }, index) => marks.length > 1 && !words && right > 0 && gapTo(groups, index) < CROWDED_PX);
    if (mute < 0) return items;
    const [first, second] = gapAfter(groups, mute - 1) < gapAfter(groups, mute) ? [mute - 1, mute] : [mute, mute + 1];
    join(groups[first], groups[second]);
    groups.splice(second, 1);
  }
}

/** @param {Group[]} groups @param {number} index */
function gapAfter(groups, index) {
  return groups[index] && groups[index + 1] ? groups[index + 1].x0 - groups[index].x1 : Infinity;
}

/** The distance to the nearer neighbour. @param {Group[]} groups @param {number} index */
function gapTo(groups, index) {
  return Math.min(gapAfter(groups, index - 1), gapAfter(groups, index));
}

/**
 * @param {Group} group
 * @param {boolean} probe
 * @param {Record<string, string>} [glyphs]  by type, for a lane that has its own
 * @returns {{ worst: any, wordings: string[] }}
 */
function summaryOf({ marks }, probe, glyphs = EVENT_TYPES) {
  const rank = (/** @type {any} */ mark) => (probe ? (RESULT_SEVERITY[mark.type] ?? RESULT_SEVERITY.error) : Number(mark.type === "Warning"));
  const worst = marks.reduce((a, b) => (rank(b) >= rank(a) ? b : a));
  const glyph = probe ? (PROBE_RESULTS[worst.type] ?? PROBE_RESULTS.error) : (glyphs[worst.type] ?? glyphs.Normal);
  const count = marks.filter((mark) => mark.type === worst.type).length;
  if (count === marks.length) return { worst, wordings: [`${count} ${glyph}`, `${count}`, glyph] };
  return { worst, wordings: [`${count} ${glyph} / ${marks.length}`, `${count}${glyph}/${marks.length}`, glyph] };
}

/**
 * The box of a group: that of a glyph, or of a pill, as wide as its text if the neighbours leave room. The pill of marks that are in the
 * window is always complete.
 * @param {Group[]} groups
 * @param {number} index
 * @param {{ worst: any, wordings: string[] }} summary
 * @param {Room} room
 * @returns {Item}
 */
function boxOf(groups, index, { worst, wordings }, { measure, viewport }) {
  const { x0, x1, marks } = groups[index];
  if (marks.length === 1) return { x0, x1, marks, worst, left: x0 - GLYPH_PX, right: x0 + GLYPH_PX, words: "", from: x0, to: x0 };
  const low = Math.max(Math.min(0, x0), groups[index - 1] ? borderOf(groups[index - 1], groups[index]) : -Infinity);
  const high = Math.min(Math.max(viewport.width, x1), groups[index + 1] ? borderOf(groups[index], groups[index + 1]) : Infinity);
  const middle = (x0 + x1) / 2;
  for (const words of wordings) {
    const wanted = Math.max(measure(10, 650, words) + 10, x1 - x0 + 2 * PILL_PAD_PX);
    const left = Math.max(low, Math.min(middle - wanted / 2, high - wanted));
    const right = Math.min(high, left + wanted);
    const width = measure(10, 650, words);
    const centre = (left + right) / 2;
    if (right - left >= width + 6) return { x0, x1, marks, worst, left, right, words, from: centre - width / 2, to: centre + width / 2 };
  }
  return { x0, x1, marks, worst, left: Math.max(low, x0 - PILL_PAD_PX), right: Math.min(high, x1 + PILL_PAD_PX), words: "", from: x0, to: x0 };
}

/**
 * The border between the room of one group and that of the next: a glyph has its own, pills share what is left.
 * @param {Group} a
 * @param {Group} b
 */
function borderOf(a, b) {
  if (a.marks.length === 1) return a.x1 + GLYPH_PX + 0.5;
  if (b.marks.length === 1) return b.x0 - GLYPH_PX - 0.5;
  return (a.x1 + b.x0) / 2 - 0.25;
}

/** @param {any} mark @param {boolean} probe the text next to a lone glyph */
function besideWords(mark, probe) {
  if (!probe) return String(mark.text);
  const { run, threshold } = mark.data;
  return run && threshold && mark.type !== "success" && mark.type !== "suppressed" ? `${Math.min(run, threshold)}/${threshold}` : "";
}

/** @param {Item} item @param {Item | undefined} next @param {string} words @param {Room} room */
function writeBeside(item, next, words, { measure, viewport }) {
  if (!words) return;
  const [size, weight] = besideFont(item.worst);
  const from = item.right + 2;
  const to = from + measure(size, weight, words) + 2;
  if (to > Math.min(next ? next.left - 2 : Infinity, viewport.width)) return;
  Object.assign(item, { words, from, to });
}

/** Size and weight of the text next to a glyph. @param {any} mark @returns {[number, number]} */
export function besideFont(mark) {
  return mark.data.run !== undefined ? [10, 600] : [10.5, 500];
}
