// @ts-check
/**
 * The reader's changes to the keys, kept by the browser. They are also stored on the page's root element, where every script reads the
 * same, and where they last for the page if the browser can keep nothing.
 */

import { preference, setPreference } from "../base/preferences.js";

/**
 * @typedef {object} CustomKeys
 * @property {Record<string, string>} own  key, with its modifiers → action; empty if the key no longer does anything
 * @property {boolean} off  whether keys of a single letter, digit or sign are turned off
 */

const PLACE = "keys";
/** @type {CustomKeys} */
const NONE = { own: {}, off: false };

let read = "";
let known = NONE;

/** @returns {CustomKeys} */
export function customKeys() {
  const words = document.documentElement?.dataset.ownKeys ?? preference(PLACE) ?? "";
  // Called on every key press, and by both bundles.
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

/** Whether anything differs from the defaults. */
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
