// @ts-check
/** The exam that this browser is in, as the page of the exam and the pages of its tasks know it. */

const KEY = "podscope.exam";

/** @typedef {{ passed: boolean, report: { at_ms: number | null, seq: number, subject: string, reason: string, text?: string }[] }} ExamResult */
/** @typedef {{ key: string, title: string, run?: string, result?: ExamResult }} ExamTask */
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

/** @param {Exam} exam */
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
