// @ts-check
/** Short messages in the corner. The container is a live region of the page. */

import { find, make } from "./dom.js";

const SHOWN_MS = 4500;
const KEPT = 4;

/**
 * Show a message for a few seconds.
 * @param {string} message
 * @param {"info" | "ok" | "warn" | "bad"} [tone]
 */
export function toast(message, tone = "info") {
  const region = find("#toasts");
  if (!region || !message) return;
  const item = make("div", { class: "toast", "data-tone": tone, text: message });
  region.append(item);
  // A burst of messages must not cover the page; the oldest has been shown for a while.
  while (region.children.length > KEPT) region.firstElementChild?.remove();
  window.setTimeout(() => item.remove(), tone === "bad" ? SHOWN_MS * 2 : SHOWN_MS);
}
