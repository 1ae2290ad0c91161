// @ts-check
/** How many people are viewing the run. */

import { findAll } from "../base/dom.js";
import { text } from "../base/i18n.js";

/** @param {number} viewers  nothing is shown for a single viewer */
export function showViewers(viewers) {
  for (const place of findAll("[data-presence]")) {
    place.hidden = viewers < 2;
    place.textContent = text(viewers === 1 ? "presence.one" : "presence.many", { n: viewers });
  }
}
