// @ts-check
/** Sentences of levels and predictions, in which `words in backticks` are code, as the pages' own filter `inline` shows them. */

import { make } from "./dom.js";

/** @param {string} words @returns {(Node | string)[]} */
export function inline(words) {
  return words.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", { text: part }) : part)).filter((part) => part !== "");
}
