// @ts-check
/** The menu of branches. */

import { find } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** Open the way to a comparison: the menu of branches, with its links and the field for another run's address. @param {HTMLElement} main */
export function openComparison(main) {
  const menu = /** @type {HTMLDetailsElement | null} */ (find("#branches", main.ownerDocument));
  if (!menu) return;
  menu.open = true;
  find("[data-compare-with]", menu)?.focus();
}

/**
 * Submit the menu's form with the moment now shown: the one that came with the page may be out of date.
 * @param {{ sel: string, playhead: { t_ms: number, seq: number } }} page
 */
export function branchHere({ sel, playhead }) {
  const form = /** @type {HTMLFormElement | null} */ (find("form[data-branch]"));
  if (!form) {
    toast(text("branch.none"), "warn");
    return;
  }
  const moment = { t: String(Math.round(playhead.t_ms)), seq: String(playhead.seq), sel };
  for (const [name, value] of Object.entries(moment)) /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  form.requestSubmit();
}
