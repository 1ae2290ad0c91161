// @ts-check
/** Hints for the steps of a story: each press of a step's button reveals one more, and the press after the last hides them. */

import { find, findAll, make, setAttributes } from "../base/dom.js";
import { addTexts, text } from "../base/i18n.js";
import { answerTimeout } from "../base/retry.js";
import { toast } from "../base/toast.js";
import { LEARN_MESSAGES } from "./messages.js";

addTexts(LEARN_MESSAGES);
const GRADES = ["where", "meaning", "todo"];

/**
 * @param {HTMLElement} button  of a step
 * @param {{ headSeq: number, get: (seq: number) => any }} store  records of the run
 */
export async function openHint(button, store) {
  const step = /** @type {HTMLElement} */ (button.closest("[data-step]"));
  const place = find(".hints", step) ?? (await asked(button, step, store));
  if (!place) return;
  const grades = findAll("[data-hint-grade]", place);
  const shown = grades.filter((grade) => !grade.hidden).length;
  const open = shown === grades.length ? 0 : shown + 1;
  grades.forEach((grade, index) => (grade.hidden = index >= open));
  place.hidden = !open;
  const next = text(`hint.${open === grades.length ? "close" : GRADES[open]}`);
  setAttributes(button, { "aria-expanded": String(open > 0), title: next });
  const words = find("span", button);
  if (words) words.textContent = next;
}

/** @param {HTMLElement} button @param {HTMLElement} step @param {{ headSeq: number, get: (seq: number) => any }} store */
async function asked(button, step, store) {
  try {
    const answer = await fetch(button.dataset.hint || "", { credentials: "same-origin", signal: answerTimeout() });
    if (!answer.ok) throw new Error(`hint answered ${answer.status}`);
    const place = make("div", { class: "hints", role: "status" });
    place.innerHTML = await answer.text(); // the site's own markup
    for (const grade of findAll("[data-hint-grade]", place)) grade.hidden = true;
    for (const link of findAll("[data-select]", place)) if (!isKnown(store, link.dataset.select || "")) link.remove();
    return find(".hints", step) ?? step.appendChild(place);
  } catch {
    toast(text("panel.failed"), "bad");
    return null;
  }
}

/** Whether the run has this object: in another run, pods made by controllers may have other names. @param {{ headSeq: number, get: (seq: number) => any }} store @param {string} subject */
function isKnown(store, subject) {
  for (let seq = 1; seq <= store.headSeq; seq += 1) if (store.get(seq).subject === subject) return true;
  return false;
}
