// @ts-check
/** The exam that this browser is in, as the page of the exam and the pages of its tasks know it. */

import { cleanExams, unitedExams } from "./exam-union.js";

const KEY = "podscope.exam";
/** Exams that are over, with their reports. */
const EARLIER = "podscope.exams";

/** @typedef {import("./exam-union.js").ExamTask & { isAway?: boolean }} ExamTask  `isAway`: its run belongs to another browser */
/** @typedef {{ begun: number, minutes: number, ended: number, tasks: ExamTask[] }} Exam */

/** @returns {Exam | null} */
export function readExam() {
  try {
    const exam = JSON.parse(localStorage.getItem(KEY) || "null");
    return exam && Array.isArray(exam.tasks) ? exam : null;
  } catch {
    return null; // Nothing is remembered where storage is refused or was meddled with.
  }
}

/** @param {Exam | null} exam */
export function writeExam(exam) {
  try {
    if (exam) localStorage.setItem(KEY, JSON.stringify(exam));
    else localStorage.removeItem(KEY);
  } catch {
    // It then lasts for this page only.
  }
}

/** Exams before the one that this browser shows, by the moment at which they were begun. */
export function readEarlier() {
  try {
    return cleanExams(JSON.parse(localStorage.getItem(EARLIER) || "{}"));
  } catch {
    return {}; // Nothing is remembered where storage is refused or was meddled with.
  }
}

/** @param {Record<string, import("./exam-union.js").ExamRecord>} exams */
function writeEarlier(exams) {
  try {
    localStorage.setItem(EARLIER, JSON.stringify(exams));
  } catch {
    // It then lasts for this page only.
  }
}

/** Every exam that this browser knows, as a part of progress. */
export function ownExams() {
  const exam = readExam();
  return unitedExams(readEarlier(), cleanExams(exam ? { [exam.begun]: exam } : {}));
}

/** The exam that is shown goes to the earlier ones, and another may be begun. */
export function putExamAway() {
  writeEarlier(ownExams());
  writeExam(null);
}

/**
 * Exams of all browsers of a learner. One that goes on elsewhere goes on here, too; runs of another browser can be looked at only.
 * @param {Record<string, import("./exam-union.js").ExamRecord>} exams  united with those of this browser
 */
export function takeExams(exams, now = Date.now()) {
  const own = readExam();
  const running = Object.keys(exams).filter((begun) => !exams[begun].ended && now < examEnds_ms({ begun: Number(begun), ...exams[begun] }));
  const begun = own && exams[own.begun] ? own.begun : Math.max(0, ...running.map(Number));
  const taken = exams[begun];
  const runs = new Set((own?.tasks ?? []).filter(({ isAway }) => !isAway).map(({ run }) => run));
  if (taken) writeExam({ begun, ...taken, tasks: taken.tasks.map((task) => (task.run && !runs.has(task.run) ? { ...task, isAway: true } : task)) });
  writeEarlier(Object.fromEntries(Object.entries(exams).filter(([each]) => Number(each) !== begun)));
}

/** What is over is forgotten; an exam that goes on does so. */
export function forgetExams(now = Date.now()) {
  const exam = readExam();
  if (exam && (exam.ended || now >= examEnds_ms(exam))) writeExam(null);
  writeEarlier({});
}

/** @param {Pick<Exam, "begun" | "minutes">} exam */
export const examEnds_ms = ({ begun, minutes }) => begun + minutes * 60_000;

/**
 * Whether the exam that a task belongs to still goes on in this browser: until it is over, its page tells no verdict.
 * @param {string} key  the task's @param {number} [now]
 */
export function isExamOn(key, now = Date.now()) {
  const exam = readExam();
  return exam !== null && !exam.ended && now < examEnds_ms(exam) && exam.tasks.some((task) => task.key === key);
}

export function endExam() {
  const exam = readExam();
  if (exam) writeExam({ ...exam, ended: Date.now() });
}

/** The page of a task tells where it is, and what its last submission came to. After the end nothing counts. @param {string} key @param {Partial<ExamTask>} change */
export function changeTask(key, change) {
  const exam = readExam();
  if (!exam || exam.ended || examEnds_ms(exam) < Date.now()) return false;
  writeExam({ ...exam, tasks: exam.tasks.map((task) => (task.key === key ? { ...task, ...change } : task)) });
  return true;
}
