// @ts-check
/** How many look at the run. */

import { findAll } from "../base/dom.js";
import { text } from "../base/i18n.js";

/** @param {number} viewers  a single viewer is not told of */
export function showViewers(viewers) {
  for (const place of findAll("[data-presence]")) {
    place.hidden = viewers < 2;
    place.textContent = text(viewers === 1 ? "presence.one" : "presence.many", { n: viewers });
  }
}
