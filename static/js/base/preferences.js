// @ts-check
/** A visitor's preferences, kept by this browser. Where storage is blocked, choices last for the page only. */

const PREFIX = "podscope.";
/** The hints for the first minute have been seen. */
export const COACHED = "coached";

/**
 * @param {string} name
 * @returns {string | null}
 */
export function preference(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string | null} value  null removes it
 */
export function setPreference(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The choice then lasts for this page only.
  }
}
