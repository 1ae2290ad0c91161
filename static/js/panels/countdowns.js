// @ts-check
/** Times in panels that change between two answers of the server: what is left, how old something is, how far a ledger has come. */

import { findAll, setHidden, setAttributes, setText } from "../base/dom.js";
import { ageText, lengthText } from "../base/format.js";

const LEDGER_WIDTH = 1000;
const LEDGER_MIN = 4;

/**
 * Fill `data-countdown`, `data-age-from` and `data-grows` elements for a moment.
 * @param {ParentNode} root
 * @param {number} t_ms
 */
export function showCountdowns(root, t_ms) {
  for (const element of findAll("[data-countdown]", root)) {
    const left = Math.max(0, Number(element.dataset.countdown) - t_ms);
    setText(element, left < 1000 ? `${(Math.floor(left / 100) / 10).toFixed(1)} s` : lengthText(left));
    // What has happened is no longer "next", even before the panel is fetched again.
    const row = /** @type {HTMLElement | null} */ (element.closest("[data-countdown-row]"));
    if (row) setHidden(row, left <= 0);
  }
  // The unfinished part of a ledger: its bar begins at a moment, lasts a number of ms, and is drawn 1000 wide.
  for (const element of findAll("[data-grows]", root)) {
    const [begin, whole] = (element.dataset.grows || "").split(" ").map(Number);
    const end = Math.floor((Math.min(Math.floor(t_ms) - begin, whole) * LEDGER_WIDTH) / whole);
    setAttributes(element, { width: String(Math.max(end - Number(element.getAttribute("x")), LEDGER_MIN)) });
  }
  for (const element of findAll("[data-age-from]", root)) setText(element, ageText(t_ms - Number(element.dataset.ageFrom)));
}
