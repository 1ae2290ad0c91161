// @ts-check
/**
 * A learner's progress in levels, predictions and stories as one document, and how two of them are merged. The site does the same
 * (simulator/runs/services/progress_document.py); both are tested against tests/levels/progress.json.
 */

/** @typedef {{ passed?: string, acts?: number, tries?: number }} LevelRecord  `passed` is the day of the first pass */
/** @typedef {{ right: number, due: number, text?: string, home?: string }} AskRecord  number of right answers in a row, and when it comes back */
/** @typedef {{ levels: Record<string, LevelRecord>, asks: Record<string, AskRecord>, stories: Record<string, string[]>, exams: Record<string, import("./exam-union.js").ExamRecord> }} Progress */

import { cleanExams, unitedExams } from "./exam-union.js";

export const DAY_MS = 86_400_000;
/** Days until a prediction comes back, by the number of right answers in a row. */
export const SPACING = [1, 3, 7, 21];

const ENTRIES_MAX = 1000;
const STEPS_MAX = 100;
const KEY_MAX = 120;
const TEXT_MAX = 600;
const COUNT_MAX = 1_000_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const STEP = /^[a-z0-9-]{1,40}$/;
const HOME = /^(\/[A-Za-z0-9~_-]+)+\/$/;

/** The page of a prediction, or none if the address is not on this site. @param {unknown} value */
export const homeOf = (value) => (typeof value === "string" && value.length <= 200 && HOME.test(value) ? value : undefined);

/** @param {unknown} value @param {number} [most] @returns {value is number} */
const isCount = (value, most = COUNT_MAX) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;

/** @param {any} level @returns {LevelRecord} */
const cleanLevel = ({ passed, acts, tries }) => ({ ...(typeof passed === "string" && DAY.test(passed) ? { passed } : {}), ...(isCount(acts) ? { acts } : {}), ...(isCount(tries) && tries ? { tries } : {}) });

/** @param {any} ask @returns {AskRecord | null} */
function cleanAsk({ right, due, text, home }) {
  if (!isCount(right) || !isCount(due, 2 ** 53)) return null;
  const page = homeOf(home);
  return { right, due, ...(typeof text === "string" && text ? { text: text.slice(0, TEXT_MAX) } : {}), ...(page ? { home: page } : {}) };
}

/** @param {any} steps */
const cleanSteps = (steps) => (Array.isArray(steps) ? [...new Set(steps.filter((step) => typeof step === "string" && STEP.test(step)))].slice(0, STEPS_MAX).sort() : null);

/** @template T @param {any} part @param {(value: any) => T | null} clean @returns {Record<string, T>} */
function cleanPart(part, clean) {
  const rows = Object.entries(part && typeof part === "object" && !Array.isArray(part) ? part : {}).filter(([key, value]) => key && key.length <= KEY_MAX && value && typeof value === "object");
  return /** @type {Record<string, T>} */ (Object.fromEntries(rows.map(([key, value]) => [key, clean(value)]).filter(([, value]) => value !== null).slice(-ENTRIES_MAX)));
}

/** The valid part of a value: storage may be tampered with, and a file may come from anywhere. @param {any} value @returns {Progress} */
export function cleaned(value) {
  return { levels: cleanPart(value?.levels, cleanLevel), asks: cleanPart(value?.asks, cleanAsk), stories: cleanPart(value?.stories, cleanSteps), exams: cleanExams(value?.exams) };
}

/** Passed stays passed, with the earlier day and the fewer acts. Attempts of two browsers cannot be told apart: the larger number counts. @param {LevelRecord} one @param {LevelRecord} other @returns {LevelRecord} */
function unitedLevel(one, other) {
  const passed = [one.passed, other.passed].filter((day) => day !== undefined).sort()[0];
  const acts = [one.acts, other.acts].filter((each) => each !== undefined);
  const tries = Math.max(one.tries ?? 0, other.tries ?? 0);
  return { ...(passed ? { passed } : {}), ...(acts.length ? { acts: Math.min(...acts) } : {}), ...(tries ? { tries } : {}) };
}

/** When a prediction was last answered, derived from when it comes back. @param {AskRecord} ask */
const answered_ms = ({ right, due }) => due - SPACING[Math.min(Math.max(right, 1), SPACING.length) - 1] * DAY_MS;

/** The latest answer counts; of two at the same moment the wrong one, so that the prediction comes back sooner. @param {AskRecord} one @param {AskRecord} other */
function laterAsk(one, other) {
  const differences = [answered_ms(one) - answered_ms(other), other.right - one.right, (one.text ?? "") < (other.text ?? "") ? -1 : 1];
  return (differences.find((difference) => difference !== 0) ?? 0) < 0 ? other : one;
}

/** @template T @param {Record<string, T>} one @param {Record<string, T>} other @param {(one: T, other: T) => T} both @returns {Record<string, T>} */
function unitedPart(one, other, both) {
  return Object.fromEntries(Object.keys({ ...one, ...other }).map((key) => [key, !Object.hasOwn(one, key) ? other[key] : !Object.hasOwn(other, key) ? one[key] : both(one[key], other[key])]));
}

/** Merge two documents: what was done in either is done. @param {Progress} one @param {Progress} other @returns {Progress} */
export function united(one, other) {
  return {
    levels: unitedPart(one.levels, other.levels, unitedLevel),
    asks: unitedPart(one.asks, other.asks, laterAsk),
    stories: unitedPart(one.stories, other.stories, (mine, theirs) => [...new Set([...mine, ...theirs])].sort()),
    exams: unitedExams(one.exams, other.exams),
  };
}
