// @ts-check
/** The time left in the exam, next to its task. */

import { find, setText } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { examEnds_ms, readExam } from "./exam-state.js";

const TICK_MS = 1000;

/** @param {HTMLElement} element  the level's card @param {() => void} ticked  called every second, after the clock was updated */
export function startExamClock(element, ticked) {
  const place = find("[data-exam-clock]", element);
  if (!place) return;
  const show = () => {
    const exam = readExam();
    setText(place, exam && !exam.ended ? clockText(Math.max(0, examEnds_ms(exam) - Date.now()), 0) : "");
  };
  show();
  window.setInterval(() => {
    show();
    ticked();
  }, TICK_MS);
}
