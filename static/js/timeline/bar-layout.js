// @ts-check
/**
 * Where the bars of a row are, and which labels have room on them. Pure: it draws nothing.
 *
 * All labels of a row share one line. They claim room by weight: codes of failed exits, warnings, acts, other signals, clean exits, hooks,
 * and last the labels of the bars, which move along their bar or become shorter. A label that finds no room is left out; its pole, and the
 * card, still show it.
 */

import { GLYPHS } from "../base/tones-table.js";
import { worse } from "../base/tones.js";
import { firstEndingAfter, firstMarkFrom, spanAt } from "../lanes/lane-search.js";
import { labelsOf } from "./bar-words.js";
import { Slot } from "./slots.js";

const NARROW_PX = 1.6;
const TEXT_PAD = 6;
/** How far a label extends beyond its letters, so that it can have a background of its own. */
const GROUND_PX = 3;
/** Flags as close as this are drawn as one, with a count. */
const SAME_POLE_PX = 4;
/** How much of a bar stays visible beside the code of its end. */
const BAR_LEFT_PX = 4;
const REACH_PX = 4;

/**
 * @typedef {object} Room  what the layout needs to know about the screen
 * @property {any} viewport
 * @property {number} end_ms  newest moment: open spans end here
 * @property {(size: number, weight: number, words: string) => number} measure  width of a text in px
 */

/** @typedef {{ span: any, x0: number, x1: number }} Bar */
/** @typedef {{ x0: number, x1: number, tone: string }} Sliver  spans too short for a bar, drawn in the worst of their tones */
/** @typedef {{ x: number, x1: number, flags: any[], worst: any }} Pole */
/** @typedef {{ hook: any, left: number, right: number }} Hook */

/**
 * @typedef {object} Word
 * @property {"exit" | "flag" | "hook" | "bar" | "ghost"} kind
 * @property {string} words
 * @property {number} x0
 * @property {number} x1
 * @property {number} size
 * @property {number} weight
 * @property {string} tone  of exits and ghosts; type of flags
 * @property {any} of  the span, hook or mark it is about
 */

/** @typedef {{ bars: Bar[], slivers: Sliver[], hooks: Hook[], poles: Pole[], words: Word[], targets: { x0: number, x1: number, marks: any[] }[] }} BarLayout */

/**
 * @param {any} lane
 * @param {Room} room
 * @param {number} size  font size of the labels on bars
 * @returns {BarLayout}
 */
export function layoutBars(lane, room, size) {
  const slot = new Slot();
  const { bars, slivers, exits } = standing(lane, room);
  const poles = polesOf(lane.flags, room);
  const hooks = hooksOf(lane.hooks, room);
  // Poles have fixed positions; labels go around them.
  for (const { x, x1 } of poles) slot.take(x - 1, x1 + 1);
  /** @type {Word[]} */
  const words = [];
  const claims = [...exits.map((exit) => ({ weight: exit.tone === "failed" ? 6 : 2, place: () => exitWord(slot, exit) })), ...poles.map((pole) => ({ weight: weightOf(pole.worst), place: () => flagWord(slot, pole, room) }))];
  // By weight, not from left to right: a failed exit must not lose its code to the label of an earlier bar.
  for (const { place } of claims.sort((a, b) => b.weight - a.weight)) words.push(...[place() ?? []].flat());
  for (const hook of hooks) words.push(...[hookWord(slot, hook, room) ?? []].flat());
  // A hook has its own background, on which a label of the bar below would be read as the hook's.
  for (const { left, right } of hooks) slot.take(left, right);
  for (const bar of bars) words.push(...[barWord(slot, lane, bar, room, size) ?? []].flat());
  words.push(...ghostWords(lane, room));
  return { bars, slivers, hooks, poles, words, targets: targetsOf(lane, poles, words) };
}

/**
 * Bars on screen, and the ends of instances.
 * @param {any} lane
 * @param {Room} room
 */
function standing({ kind, spans, endings }, room) {
  const { viewport, end_ms } = room;
  /** @type {Bar[]} */
  const bars = [];
  /** @type {Sliver[]} */
  const slivers = [];
  /** @type {Exit[]} */
  const exits = [];
  for (let index = firstEndingAfter(spans, viewport.start_ms); index < spans.length; index += 1) {
    const span = spans[index];
    // Nothing has begun after the newest moment; when compared with a future, there are records that are not shown yet.
    if (span.t0 > viewport.end_ms || span.t0 > end_ms) break;
    const x0 = viewport.xOf(span.t0);
    const x1 = viewport.xOf(Math.min(span.t1, end_ms));
    if (kind === "container") exits.push(...exitAt(room, endings, spans[index - 1], span, { x0, x1 }));
    if (x1 - x0 >= NARROW_PX) bars.push({ span, x0, x1 });
    else if (span.tone !== "absent") joinSliver(slivers, { x0, x1, tone: span.tone });
  }
  return { bars, slivers, exits };
}

/** @param {Sliver[]} slivers @param {Sliver} next */
function joinSliver(slivers, next) {
  const last = slivers[slivers.length - 1];
  if (!last || next.x0 - last.x1 >= 1) {
    slivers.push(next);
    return;
  }
  last.x1 = Math.max(last.x1, next.x1);
  last.tone = worse(last.tone, next.tone);
}

/** @typedef {{ code: string, tone: string, low: number, high: number, width: number, of: any }} Exit */

/**
 * How an instance ended: shown wherever the terminated state itself is not drawn or has no room for its code.
 * @param {Room} room
 * @param {Map<number, any>} endings
 * @param {any} span  the span before
 * @param {any} next
 * @param {{ x0: number, x1: number }} edges  of the span after
 * @returns {Exit[]}
 */
function exitAt({ viewport, measure }, endings, span, next, { x0, x1 }) {
  if (!span || span.tone === "absent" || next.tone === "absent") return [];
  const ending = endings.get(span.data.instance);
  const ended = next.data.exit_code ?? (span.text === "Running" && next.data.instance !== span.data.instance ? ending?.text : undefined);
  if (ended === undefined || (next.tone === span.tone && next.data.exit_code !== undefined)) return [];
  const code = String(ended);
  const width = measure(10, 700, code) + 8;
  if (next.data.exit_code !== undefined && x1 - x0 >= width + TEXT_PAD) return [];
  const low = Math.max(0, viewport.xOf(span.t0)) + BAR_LEFT_PX;
  // The code may cover the end of the bar before it, but never all of it.
  if (x0 - 1 - width < low) return [];
  return [{ code, tone: code === "0" ? "succeeded" : "failed", low, high: x0 - 1, width, of: ending ?? { t: next.t0, seq: next.seq, type: "exit", text: code, data: next.data } }];
}

/** @param {Slot} slot @param {Exit} exit @returns {Word | null} */
function exitWord(slot, { code, tone, low, high, width, of }) {
  const pole = slot.taken.find((other) => other.x0 > high - width && other.x0 < high);
  for (const x1 of pole ? [high, pole.x0] : [high]) {
    if (x1 - width >= low && slot.claim(x1 - width, x1)) return { kind: "exit", words: code, x0: x1 - width, x1, size: 10, weight: 700, tone, of };
  }
  return null;
}

/** @param {any} flag */
function weightOf({ type }) {
  return type === "Warning" ? 5 : type === "accepted" ? 4 : 3;
}

/**
 * Flags on screen; those in one place share a pole, and the weightiest of them has the label.
 * @param {any[]} flags
 * @param {Room} room
 * @returns {Pole[]}
 */
function polesOf(flags, { viewport, end_ms }) {
  /** @type {Pole[]} */
  const poles = [];
  for (let index = firstMarkFrom(flags, viewport.tOf(-80)); index < flags.length; index += 1) {
    const flag = flags[index];
    if (flag.t > viewport.end_ms || flag.t > end_ms) break;
    const x = Math.round(viewport.xOf(flag.t));
    const last = poles[poles.length - 1];
    if (!last || x - last.x1 >= SAME_POLE_PX) {
      poles.push({ x, x1: x, flags: [flag], worst: flag });
      continue;
    }
    last.x1 = x;
    last.flags.push(flag);
    if (weightOf(flag) >= weightOf(last.worst)) last.worst = flag;
  }
  return poles;
}

/** @param {Slot} slot @param {Pole} pole @param {Room} room @returns {Word | null} */
function flagWord(slot, { x, x1, flags, worst }, { measure }) {
  const more = flags.length > 1 ? ` +${flags.length - 1}` : "";
  for (const words of new Set([worst.text + more, worst.text])) {
    const width = measure(9, 700, words) + 6;
    for (const left of [x1 + 1, x - 1 - width]) {
      if (slot.claim(left, left + width)) return { kind: "flag", words, x0: left, x1: left + width, size: 9, weight: 700, tone: worst.type, of: worst };
    }
  }
  return null;
}

/** @param {any[]} hooks @param {Room} room @returns {Hook[]} */
function hooksOf(hooks, { viewport, end_ms }) {
  const shown = [];
  for (let index = firstEndingAfter(hooks, viewport.start_ms); index < hooks.length; index += 1) {
    const hook = hooks[index];
    if (hook.t0 > viewport.end_ms || hook.t0 > end_ms) break;
    const left = Math.max(-8, viewport.xOf(hook.t0)) + 1;
    const right = Math.min(viewport.width + 8, viewport.xOf(Math.min(hook.t1, end_ms))) - 1;
    shown.push({ hook, left, right: Math.max(left + 3, right) });
  }
  return shown;
}

/** @param {Slot} slot @param {Hook} bar @param {Room} room @returns {Word | null} */
function hookWord(slot, { hook, left, right }, { measure, viewport }) {
  const failed = hook.tone === "failed" ? [`${GLYPHS.failed} ${hook.text}`] : [];
  for (const words of [...failed, hook.text]) {
    const width = measure(10, 600, words) + 2 * GROUND_PX;
    const x0 = slot.claimWithin(Math.max(left, 0) + 2, Math.min(right, viewport.width) - 2, width);
    if (x0 !== null) return { kind: "hook", words, x0, x1: x0 + width, size: 10, weight: 600, tone: hook.tone, of: hook };
  }
  return null;
}

/** @param {Slot} slot @param {any} lane @param {Bar} bar @param {Room} room @param {number} size @returns {Word | null} */
function barWord(slot, lane, { span, x0, x1 }, { viewport, end_ms, measure }, size) {
  if (span.tone === "absent") return null;
  const left = Math.max(x0, 0) + TEXT_PAD - GROUND_PX;
  const right = Math.min(x1, viewport.width) - TEXT_PAD + GROUND_PX;
  if (right - left < 2 * TEXT_PAD) return null;
  const weight = span.tone === "ready" || lane.kind === "phase" ? 560 : 620;
  for (const words of labelsOf(lane, span, end_ms)) {
    const width = measure(size, weight, words) + 2 * GROUND_PX;
    const at = slot.claimWithin(left, right, width);
    if (at !== null) return { kind: "bar", words, x0: at, x1: at + width, size, weight, tone: span.tone, of: span };
  }
  return null;
}

/**
 * Exits of processes whose object was already gone: only the node knew of them. They are drawn on the node's line.
 * @param {any} lane
 * @param {Room} room
 * @returns {Word[]}
 */
function ghostWords({ kind, node, spans }, { viewport, end_ms, measure }) {
  if (kind !== "container") return [];
  const slot = new Slot();
  /** @type {Word[]} */
  const found = [];
  for (let index = firstEndingAfter(node, viewport.start_ms); index < node.length; index += 1) {
    const span = node[index];
    if (span.t0 > viewport.end_ms || span.t0 > end_ms) break;
    if (span.text !== "exited" || span.data.exit_code === undefined || spanAt(spans, span.t0)?.tone !== "absent") continue;
    const words = `${GLYPHS.failed} ${span.data.exit_code}`;
    const x0 = viewport.xOf(span.t0) + 4;
    const x1 = x0 + measure(10.5, 650, words);
    if (slot.claim(x0, x1)) found.push({ kind: "ghost", words, x0, x1, size: 10.5, weight: 650, tone: "failed", of: span });
  }
  return found;
}

/**
 * What can be pointed at: poles with their labels, and codes of exits.
 * @param {any} lane
 * @param {Pole[]} poles
 * @param {Word[]} words
 */
function targetsOf({ flags }, poles, words) {
  if (!flags.length && !words.some((word) => word.kind === "exit")) return [];
  const chips = words.filter((word) => word.kind === "flag").map((word) => ({ x0: word.x0, x1: word.x1, marks: /** @type {Pole} */ (poles.find((pole) => pole.flags.includes(word.of))).flags }));
  const exits = words.filter((word) => word.kind === "exit").map(({ x0, x1, of }) => ({ x0, x1, marks: [of] }));
  // A pole is thin: next to it, other targets come first.
  return [...chips, ...exits, ...poles.map(({ x, x1, flags: marks }) => ({ x0: x - REACH_PX, x1: x1 + REACH_PX, marks }))];
}
