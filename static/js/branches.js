// @ts-check
/** The menu of branches. */

import { find } from "./dom.js";

/** To the way to a comparison: the menu of branches with its links and the field for another run's. @param {HTMLElement} main */
export function openComparison(main) {
  const menu = /** @type {HTMLDetailsElement | null} */ (find("#branches", main.ownerDocument));
  if (!menu) return;
  menu.open = true;
  find("[data-compare-with]", menu)?.focus();
}
