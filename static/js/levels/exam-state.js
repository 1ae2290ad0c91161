// @ts-check
/** The exam that this browser is taking, shared by the page of the exam and the pages of its tasks. */

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
    return null; // Nothing is remembered where storage is blocked, or if its content is invalid.
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

/** Exams before the one that this browser shows, by their starting time. */
export function readEarlier() {
  try {
    return cleanExams(JSON.parse(localStorage.getItem(EARLIER) || "{}"));
  } catch {
    return {}; // Nothing is remembered where storage is blocked, or if its content is invalid.
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

/** Every exam that this browser knows, as part of the progress. */
export function ownExams() {
  const exam = readExam();
  return unitedExams(readEarlier(), cleanExams(exam ? { [exam.begun]: exam } : {}));
}

/** Move the current exam to the earlier ones, so that another may be started. */
export function putExamAway() {
  writeEarlier(ownExams());
  writeExam(null);
}

/**
 * Take in the exams of all of a learner's browsers. One that is under way elsewhere continues here, too; runs of another browser can only
 * be viewed.
 * @param {Record<string, import("./exam-union.js").ExamRecord>} exams  merged with those of this browser
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

/** Forget exams that are over; one that is under way continues. */
export function forgetExams(now = Date.now()) {
  const exam = readExam();
  if (exam && (exam.ended || now >= examEnds_ms(exam))) writeExam(null);
  writeEarlier({});
}

/** @param {Pick<Exam, "begun" | "minutes">} exam */
export const examEnds_ms = ({ begun, minutes }) => begun + minutes * 60_000;

/**
 * Whether the exam that a task belongs to is still under way in this browser: until it is over, its page shows no verdict.
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

/** Store the run of a task and the result of its last submission. After the end nothing counts. @param {string} key @param {Partial<ExamTask>} change */
export function changeTask(key, change) {
  const exam = readExam();
  if (!exam || exam.ended || examEnds_ms(exam) < Date.now()) return false;
  writeExam({ ...exam, tasks: exam.tasks.map((task) => (task.key === key ? { ...task, ...change } : task)) });
  return true;
}
