// @ts-check
/**
 * What a reader has changed of the keys, kept by the browser. It stands on the page's root as well, where every script reads the same, and where
 * it lasts for the page when nothing can be kept.
 */

import { preference, setPreference } from "../base/preferences.js";

/**
 * @typedef {object} CustomKeys
 * @property {Record<string, string>} own  key, with its modifiers → action; empty where a key does nothing any more
 * @property {boolean} off  whether keys of one letter, digit or sign do nothing
 */

const PLACE = "keys";
/** @type {CustomKeys} */
const NONE = { own: {}, off: false };

let read = "";
let known = NONE;

/** @returns {CustomKeys} */
export function customKeys() {
  const words = document.documentElement?.dataset.ownKeys ?? preference(PLACE) ?? "";
  // Asked at every key press, and by both bundles.
  if (words !== read) {
    read = words;
    known = parsed(words);
  }
  return known;
}

/** @param {CustomKeys} keys */
export function setCustomKeys(keys) {
  const isAny = keys.off || Object.keys(keys.own).length > 0;
  const words = isAny ? JSON.stringify(keys) : "";
  document.documentElement.dataset.ownKeys = words;
  setPreference(PLACE, words || null);
}

/** Whether anything is otherwise than it was made. */
export function hasCustomKeys() {
  const { own, off } = customKeys();
  return off || Object.keys(own).length > 0;
}

/** @param {string} words @returns {CustomKeys} */
function parsed(words) {
  try {
    const { own, off } = JSON.parse(words);
    return { own: Object.fromEntries(Object.entries(own).filter(([, action]) => typeof action === "string")), off: off === true };
  } catch {
    return NONE;
  }
}
