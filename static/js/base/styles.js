// @ts-check
/** Style sheets that a page does without until something needs them. */

import { find, make } from "./dom.js";

/**
 * Load a style sheet that the page does not have yet. Resolves when it applies, or cannot be had: what is shown without style is better
 * than nothing.
 * @param {string} href  empty if there is none
 * @returns {Promise<void>}
 */
export function loadStyles(href) {
  if (!href || find(`link[href="${CSS.escape(href)}"]`)) return Promise.resolve();
  const link = make("link", { rel: "stylesheet", href });
  return new Promise((resolve) => {
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}
