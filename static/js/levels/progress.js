// @ts-check
/** Exporting and importing this browser's progress: as a file, or to and from the site. What is imported is merged with what is here. */

import { readProgress, writeProgress } from "../learn/progress.js";
import { forgetExams, ownExams, takeExams } from "./exam-state.js";
import { changeKept, forgetKept, readKept } from "./kept.js";
import { cleaned, united } from "./union.js";

/** @returns {import("./union.js").Progress} */
export function ownProgress() {
  const { levels, asks } = readKept();
  return cleaned({ levels, asks, stories: readProgress(), exams: ownExams() });
}

/** @param {any} brought @returns {boolean} whether it was valid progress */
export function takeProgress(brought) {
  if (!brought || typeof brought.levels !== "object" || typeof brought.asks !== "object") return false;
  const { levels, asks, stories, exams } = united(ownProgress(), cleaned(brought));
  changeKept((kept) => Object.assign(kept, { levels, asks }));
  writeProgress(stories);
  takeExams(exams);
  return true;
}

/** @param {string} words  the content of a file @returns {boolean} whether it was such a file */
export function takeProgressFile(words) {
  try {
    return takeProgress(JSON.parse(words));
  } catch {
    return false;
  }
}

/** Forget levels, predictions, stories and exams that are over. */
export function forgetProgress() {
  forgetKept();
  writeProgress({});
  forgetExams();
}
