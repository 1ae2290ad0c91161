// @ts-check
/** The state of the page's connection, and of the shared clock, as text. */

import { findAll, setAttributes, setText, showText } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { computingText, pauseText, slowText, waitText } from "../playback/clock.js";

/** @typedef {{ main: HTMLElement, store: { head_ms: number } }} Page */

/** @type {[string, any, Page] | null} the arguments last shown, to show again when records have come */
let shown = null;
document.addEventListener("run:frame", () => shown && goalOf(...shown) && showConnection(...shown)); // only the progress of computing changes

/**
 * The moment up to which the run is being computed; 0 if it is not. A page without a socket got it when it was rendered.
 * @param {string} state
 * @param {any} frame
 * @param {Page} page
 */
function goalOf(state, frame, { main }) {
  if (!main.dataset.socket) return state === "frozen" ? 0 : Number(main.dataset.computing || 0);
  return frame.state === "released" && frame.note === "opening" ? frame.now_ms : 0;
}

/**
 * @param {string} state  of the socket
 * @param {any} frame  of the clock
 * @param {Page} page
 */
export function showConnection(state, frame, page) {
  shown = [state, frame, page];
  const computing = computingText(page.store.head_ms, goalOf(state, frame, page));
  showText("[data-wait]", waitText(frame) || slowText(frame) || computing);
  const stands = pauseText(frame);
  const words = state === "open" && stands ? `${text("socket.open")} · ${stands}` : text(`socket.${state}`);
  for (const place of findAll("[data-socket-state]")) {
    setAttributes(place, { "data-state": state });
    setText(place, words);
  }
}
