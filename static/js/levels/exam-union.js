// @ts-check
/**
 * Exams as part of the progress: validating stored exams, and merging two states of one exam. The site does the same
 * (simulator/runs/services/exam_document.py); both are tested against tests/levels/progress.json.
 */

/** @typedef {{ at_ms: number | null, seq: number, subject: string, reason: string, text?: string }} Missed  a check that was not kept */
/** @typedef {{ passed: boolean, at?: number, report: Missed[] }} ExamResult  `at` is when it was submitted */
/** @typedef {{ key: string, title: string, run?: string, result?: ExamResult }} ExamTask */
/** @typedef {{ minutes: number, ended: number, tasks: ExamTask[] }} ExamRecord  keyed by its starting time */

/** How many exams are kept, the latest ones. */
export const EXAMS_MAX = 5;
const TASKS_MAX = 20;
const MISSED_MAX = 3;
const TEXT_MAX = 200;
const MOMENT_MAX = 2 ** 53;
const TIME_MAX = 1_000_000_000;
const BEGUN = /^[1-9]\d{0,15}$/;
const KEY = /^[a-z0-9-]{1,80}$/;
const RUN = /^\/r\/[0-9a-f-]{36}\/$/;

/** @param {unknown} value @param {number} most @returns {value is number} */
const isWhole = (value, most) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;
/** @param {unknown} value */
const line = (value) => (typeof value === "string" ? [...value].slice(0, TEXT_MAX).join("") : "");

/** @param {any} missed @returns {Missed | null} */
function cleanMissed(missed) {
  const { at_ms, seq, subject, reason, text } = missed ?? {};
  if (!isWhole(seq, TIME_MAX) || (at_ms !== null && !isWhole(at_ms, TIME_MAX))) return null;
  return { at_ms, seq, subject: line(subject), reason: line(reason), text: line(text) };
}

/** @param {any} result @returns {ExamResult | null} */
function cleanResult(result) {
  if (typeof result?.passed !== "boolean" || !Array.isArray(result.report)) return null;
  const report = result.report.map(cleanMissed).filter((/** @type {Missed | null} */ each) => each !== null);
  return { passed: result.passed, at: isWhole(result.at, MOMENT_MAX) ? result.at : 0, report: report.slice(0, MISSED_MAX) };
}

/** @param {any} task @returns {ExamTask | null} */
function cleanTask(task) {
  if (typeof task?.key !== "string" || !KEY.test(task.key)) return null;
  const result = cleanResult(task.result);
  return { key: task.key, title: line(task.title), ...(typeof task.run === "string" && RUN.test(task.run) ? { run: task.run } : {}), ...(result ? { result } : {}) };
}

/** @param {any} exam @returns {ExamRecord | null} */
function cleanExam(exam) {
  if (!isWhole(exam?.minutes, 1000) || !Array.isArray(exam.tasks)) return null;
  const tasks = exam.tasks.map(cleanTask).filter((/** @type {ExamTask | null} */ task) => task !== null).slice(0, TASKS_MAX);
  return tasks.length ? { minutes: exam.minutes, ended: isWhole(exam.ended, MOMENT_MAX) ? exam.ended : 0, tasks } : null;
}

/** @param {Record<string, ExamRecord>} exams */
const latest = (exams) => Object.fromEntries(Object.entries(exams).sort(([one], [other]) => Number(one) - Number(other)).slice(-EXAMS_MAX));

/** @param {any} part @returns {Record<string, ExamRecord>} */
export function cleanExams(part) {
  const rows = Object.entries(part && typeof part === "object" && !Array.isArray(part) ? part : {}).filter(([begun]) => BEGUN.test(begun));
  return latest(/** @type {Record<string, ExamRecord>} */ (Object.fromEntries(rows.map(([begun, exam]) => [begun, cleanExam(exam)]).filter(([, exam]) => exam !== null))));
}

/** A string that orders two states of a task. @param {ExamTask} task */
const order = ({ run = "", title, result }) => [run, title, JSON.stringify(result ? result.report.map(({ at_ms, seq, subject, reason, text }) => [at_ms, seq, subject, reason, text ?? ""]) : [])].join("\n");

/** The last submission counts. @param {ExamTask} one @param {ExamTask} other */
function laterTask(one, other) {
  /** @param {ExamTask} task */
  const at = ({ result }) => (result ? (result.at ?? 0) : -1);
  const differences = [at(one) - at(other), Number(one.result?.passed ?? false) - Number(other.result?.passed ?? false), Number("run" in one) - Number("run" in other), order(one) < order(other) ? -1 : 1];
  return (differences.find((difference) => difference !== 0) ?? 0) < 0 ? other : one;
}

/** @param {ExamRecord} exam */
const keysOf = ({ minutes, tasks }) => `${String(minutes).padStart(4, "0")} ${tasks.map(({ key }) => key).join(" ")}`;

/** Merge one exam as two browsers know it: the earlier end counts, and for each task the last submission. @param {ExamRecord} one @param {ExamRecord} other */
function unitedExam(one, other) {
  if (keysOf(one) !== keysOf(other)) return keysOf(one) < keysOf(other) ? other : one; // one of them is invalid
  const ends = [one.ended, other.ended].filter((ended) => ended > 0);
  return { minutes: one.minutes, ended: ends.length ? Math.min(...ends) : 0, tasks: one.tasks.map((task, n) => laterTask(task, other.tasks[n])) };
}

/** @param {Record<string, ExamRecord>} one @param {Record<string, ExamRecord>} other */
export function unitedExams(one, other) {
  const all = Object.keys({ ...one, ...other }).map((begun) => [begun, !(begun in one) ? other[begun] : !(begun in other) ? one[begun] : unitedExam(one[begun], other[begun])]);
  return latest(Object.fromEntries(all));
}
