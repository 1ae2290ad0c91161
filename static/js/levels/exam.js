// @ts-check
/** An exam: which tasks, how long, and the report. It is kept in this browser, so that leaving the page loses nothing. */

import { find, setHidden, jsonBlock, make } from "../base/dom.js";
import { clockText, secondsText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";
import { endExam, examEnds_ms, putExamAway, readEarlier, readExam, writeExam } from "./exam-state.js";

/** @typedef {{ key: string, title: string, exams: string[] }} ExamLevel */

/** @param {HTMLElement} main */
export function wireExam(main) {
  const levels = /** @type {ExamLevel[]} */ (jsonBlock("exam-levels") ?? []);
  find("[data-exam-begin]", main)?.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const of = String(fields.get("of") ?? "");
    begin(levels.filter(({ exams }) => !of || exams.includes(of)), Number(fields.get("size")), Number(main.dataset.minutesEach));
    show(main);
  });
  find("[data-exam-end]", main)?.addEventListener("click", () => {
    const left = readExam()?.tasks.filter(({ result }) => !result).length ?? 0;
    if (!confirm(text(left ? "exam.sure_left" : "exam.sure", { left }))) return;
    endExam();
    show(main);
    find("#exam-report", main)?.focus();
  });
  find("[data-exam-new]", main)?.addEventListener("click", () => {
    putExamAway();
    show(main);
    find("[data-exam-begin] input", main)?.focus();
  });
  main.addEventListener("click", ({ target }) => {
    const key = target instanceof HTMLElement ? target.dataset.examOpen : undefined;
    const form = /** @type {HTMLFormElement | null} */ (find("[data-exam-form]", main));
    if (!key || !form) return;
    /** @type {HTMLInputElement} */ (form.elements.namedItem("key")).value = key;
    form.submit();
  });
  show(main);
  window.setInterval(() => tick(main), 1000);
}

/** @param {ExamLevel[]} levels @param {number} size @param {number} minutesEach */
function begin(levels, size, minutesEach) {
  const left = [...levels];
  const tasks = [];
  while (left.length && tasks.length < size) {
    const [{ key, title }] = left.splice(crypto.getRandomValues(new Uint32Array(1))[0] % left.length, 1);
    tasks.push({ key, title });
  }
  writeExam({ begun: Date.now(), minutes: minutesEach * tasks.length, tasks, ended: 0 });
}

/** @param {HTMLElement} main */
function tick(main) {
  const exam = readExam();
  if (!exam || exam.ended) return;
  const left_ms = examEnds_ms(exam) - Date.now();
  const left = clockText(Math.max(0, left_ms)).replace(/\.\d$/, "");
  find("[data-exam-clock]", main)?.replaceChildren(text("exam.left", { left }));
  if (left_ms > 0) return;
  endExam();
  show(main);
}

/** @param {HTMLElement} main */
function show(main) {
  const exam = readExam();
  const state = !exam ? "begin" : exam.ended ? "report" : "running";
  for (const name of ["begin", "running", "report"]) {
    const part = find(`[data-exam-${name}]`, main);
    if (part) setHidden(part, name !== state);
  }
  showEarlier(main);
  if (!exam) return;
  find("[data-exam-tasks]", main)?.replaceChildren(...exam.tasks.map(({ key, title, run, result, isAway }) => make("li", { class: "levels__row", "data-done": result ? true : undefined }, [
    make("strong", { text: title }), " ", make("span", { text: result ? text("exam.submitted") : "" }), " ",
    run && !isAway ? make("a", { class: "button button--small", href: run, text: text("exam.go_on"), "aria-label": text("exam.go_on_with", { title }) }) : make("button", { type: "button", class: "button button--small", "data-exam-open": key, text: text("exam.open"), "aria-label": text("exam.open_task", { title }) }),
  ])));
  find("[data-exam-score]", main)?.replaceChildren(score(exam.tasks));
  find("[data-exam-rows]", main)?.replaceChildren(...exam.tasks.map(reportRow));
  tick(main);
}

/** @param {import("./exam-state.js").ExamTask[]} tasks */
const score = (tasks) => text("exam.score", { passed: tasks.filter(({ result }) => result?.passed).length, all: tasks.length });

/** The reports of earlier exams, the latest first. @param {HTMLElement} main */
function showEarlier(main) {
  const part = find("[data-exam-earlier]", main);
  const exams = Object.entries(readEarlier()).sort(([one], [other]) => Number(other) - Number(one));
  if (!part) return;
  setHidden(part, !exams.length);
  find("[data-exam-earlier-list]", part)?.replaceChildren(...exams.map(([begun, { tasks }]) => make("details", {}, [
    make("summary", {}, [make("time", { datetime: new Date(Number(begun)).toISOString(), text: new Date(Number(begun)).toLocaleString(document.documentElement.lang) }), " · ", score(tasks)]),
    make("ol", { class: "levels" }, tasks.map(reportRow)),
  ])));
}

/** @param {import("./exam-state.js").ExamTask} task */
function reportRow({ key, title, run, result }) {
  const verdict = text(!result ? "exam.nothing" : result.passed ? "level.passed" : "exam.not_passed");
  const missed = (result?.report ?? []).map(({ at_ms, seq, subject, reason, text: words = "" }) => {
    const moment = at_ms === null ? "" : `?t=${secondsText(at_ms)}${seq ? `&sel=${encodeURIComponent(subject)}&rec=${seq}&tab=why` : ""}`;
    return make("li", {}, [make("strong", {}, inline(words)), " ", ...inline(reason), " ", ...(run && at_ms !== null ? [make("a", { href: run + moment, text: clockText(at_ms) })] : [])]);
  });
  return make("li", { class: "levels__row", "data-done": result?.passed ? true : undefined }, [make("a", { class: "levels__title", href: `/levels/${key}/`, text: title }), " ", verdict, make("ul", {}, missed)]);
}
