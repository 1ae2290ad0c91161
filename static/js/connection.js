// @ts-check
/** How the page is connected, and whether the shared clock runs, in words. */

import { slowText, standText, waitText } from "./clock.js";
import { findAll, put, say, showWords } from "./dom.js";
import { text } from "./i18n.js";

/**
 * @param {string} state  of the socket
 * @param {any} frame  of the clock
 */
export function showConnection(state, frame) {
  showWords("[data-wait]", waitText(frame) || slowText(frame));
  const stands = standText(frame);
  const words = state === "open" && stands ? `${text("socket.open")} · ${stands}` : text(`socket.${state}`);
  for (const place of findAll("[data-socket-state]")) {
    put(place, { "data-state": state });
    say(place, words);
  }
}
