// @ts-check
/** Texts: the page's translations where it sent them, English otherwise. */

import { jsonBlock } from "./dom.js";
import { MESSAGES } from "./messages.js";

/** @type {Record<string, string>} */
const translated = jsonBlock("i18n") || {};
/** @type {Record<string, string>} */
const english = { ...MESSAGES };
/** @type {Record<string, string>} */
const rules = jsonBlock("rules") || {};

/**
 * The text of `key` with its `{names}` filled in; an unknown key shows itself.
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 */
export function text(key, values = {}) {
  const template = translated[key] || english[key] || key;
  return template.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * Texts of a part of the page that is loaded later.
 * @param {Record<string, string>} more
 */
export function addTexts(more) {
  Object.assign(english, more);
}

/**
 * True when `key` is a known text.
 * @param {string} key
 */
export function hasText(key) {
  return key in english;
}

/**
 * The sentence of a rule, or the empty string where the page sent none.
 * @param {string} id
 */
export function ruleSentence(id) {
  return rules[id] || "";
}
