// @ts-check
/** What this browser keeps of how a visitor likes the pages. Where storage is refused, choices last for the page only. */

const PREFIX = "podscope.";
/** That the hints of the first minute have been seen. */
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
 * @param {string | null} value  null forgets it
 */
export function setPreference(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The choice then lasts for this page only.
  }
}
