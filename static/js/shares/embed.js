// @ts-check
/**
 * The player in a frame and the page around it, over postMessage. docs/sharing.md describes this for that page's author.
 *
 * In:  { podscope: 1, type: "seek", t: 48 } · { type: "play", rate?: 4 } · { type: "pause" } · { type: "state" }
 * Out: { podscope: 1, type: "ready" | "state", t, duration, playing, rate }
 */

import { find, throttle } from "../base/dom.js";
import { secondsText } from "../base/format.js";

const VERSION = 1;
const TELL_MS = 250;

/** @param {any} page  the RunPage, framed by a page of another site */
export function wireEmbed(page) {
  /** @param {"ready" | "state"} type */
  const tell = (type) => window.parent.postMessage({ podscope: VERSION, type, ...stateOf(page) }, "*"); // nothing in it is secret: anybody may open the link
  const tellState = throttle(TELL_MS, () => tell("state"));
  window.addEventListener("message", (event) => {
    // Other frames and windows can post messages as well.
    if (event.source === window.parent && obey(page, event.data)) tell("state");
  });
  // A playhead that stands still draws no further frame: the first one reports the state.
  if (document.documentElement.dataset.ready === "run") tell("ready");
  else document.addEventListener("run:ready", () => tell("ready"), { once: true });
  document.addEventListener("run:playhead", () => {
    if (document.documentElement.dataset.ready === "run") tellState();
    const open = find("[data-embed-open]");
    if (open) open.setAttribute("href", `${(open.getAttribute("href") || "").split("?")[0]}?t=${secondsText(page.playhead.t_ms)}`);
  });
}

/** @param {any} page */
function stateOf({ playhead }) {
  return { t: playhead.t_ms / 1000, duration: playhead.end_ms / 1000, playing: playhead.moving, rate: playhead.rate / 1000 };
}

/**
 * Carry out a message. True if it was one of ours.
 * @param {any} page
 * @param {any} message
 */
function obey(page, message) {
  if (!message || typeof message !== "object" || message.podscope !== VERSION) return false;
  const { playhead } = page;
  switch (message.type) {
    case "seek":
      if (!Number.isFinite(message.t)) return false;
      playhead.seek(message.t * 1000);
      page.timeline?.reveal(playhead.t_ms);
      return true;
    case "play":
      if (Number.isFinite(message.rate) && message.rate > 0) playhead.rate = Math.min(600_000, message.rate * 1000);
      // Otherwise a second "play" would pause.
      if (!playhead.replaying) page.transport.play();
      return true;
    case "pause":
      playhead.freeze();
      return true;
    default:
      return message.type === "state";
  }
}
