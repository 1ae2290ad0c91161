// @ts-check
/** A link to an instant of the run: to the record that decided it, with the Why panel, or just to the moment. */

import { make } from "../base/dom.js";
import { secondsText } from "../base/format.js";

/** @param {number} at_ms @param {number} seq @param {string | undefined} subject @param {string} words */
export function instantLink(at_ms, seq, subject, words) {
  const more = seq ? `&sel=${encodeURIComponent(subject ?? "")}&rec=${seq}&tab=why` : "";
  const seek = seq ? { "data-seek-seq": String(seq), "data-open-tab": "why" } : { "data-seek": String(at_ms) };
  return make("a", { class: "num", href: `?t=${secondsText(at_ms)}${more}`, ...seek, text: words });
}
