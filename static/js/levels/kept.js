// @ts-check
/**
 * This browser's progress in levels: which were passed with how many acts, the hints of each run, and predictions with the day on which
 * they come back. It belongs to the learner: it is sent only if they ask the site to keep it (site-progress.js).
 */

import { DAY_MS, SPACING } from "./union.js";

const KEY = "podscope.levels";

/** @typedef {import("./union.js").LevelRecord} LevelRecord */
/** @typedef {import("./union.js").AskRecord} AskRecord */
/** @typedef {{ fault: string, told: string, of: number, seq: number, at_ms: number, subject: string }} Found  a fault and the record that showed it */
/** @typedef {{ levels: Record<string, LevelRecord>, asks: Record<string, AskRecord>, hints: Record<string, { n: number, words: string }[]>, asked: Record<string, string[]>, found: Record<string, Found[]> }} Kept  the last three by run */

/** @returns {Kept} */
export function readKept() {
  const empty = { levels: {}, asks: {}, hints: {}, asked: {}, found: {} };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || "{}");
    return { ...empty, ...Object.fromEntries(Object.entries(kept ?? {}).filter(([name, part]) => name in empty && part !== null && typeof part === "object")) };
  } catch {
    return empty; // Nothing is remembered where storage is blocked, or if its content is invalid.
  }
}

/** @param {(kept: Kept) => void} change */
export function changeKept(change) {
  const kept = readKept();
  change(kept);
  for (const part of [kept.hints, kept.asked, kept.found]) for (const run of Object.keys(part).slice(0, -50)) delete part[run];
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // It then lasts for this page only.
  }
}

/** Note that a level was checked. @param {string} key @param {boolean} passed @param {number} acts */
export function keepCheck(key, passed, acts) {
  changeKept(({ levels }) => {
    const known = levels[key] ?? {};
    levels[key] = { ...known, tries: (known.tries ?? 0) + 1, ...(passed ? { passed: known.passed ?? new Date().toISOString().slice(0, 10), acts: Math.min(acts, known.acts ?? acts) } : {}) };
  });
}

/** Note the answer to a prediction: wrong ones come back tomorrow, right ones at growing intervals. @param {string} id @param {boolean} right @param {{ home: string, text: string }} about */
export function keepAnswer(id, right, about) {
  changeKept(({ asks }) => {
    const inRow = right ? (asks[id]?.right ?? 0) + 1 : 0;
    const days = right ? SPACING[Math.min(inRow, SPACING.length) - 1] : SPACING[0];
    asks[id] = { ...about, right: inRow, due: Date.now() + days * DAY_MS };
  });
}

export function forgetKept() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // There was nothing to forget.
  }
}

/** The predictions that are due, the most overdue first. @param {number} now */
export function dueAsks(now = Date.now()) {
  return Object.entries(readKept().asks).filter(([, { right, due }]) => due <= now && right < SPACING.length).sort(([, one], [, other]) => one.due - other.due);
}
