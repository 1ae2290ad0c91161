// @ts-check
/** Sentences of levels and predictions, in which `text in backticks` is code, rendered as by the template filter `inline`. */

import { make } from "./dom.js";

/** @param {string} words @returns {(Node | string)[]} */
export function inline(words) {
  return words.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", { text: part }) : part)).filter((part) => part !== "");
}
