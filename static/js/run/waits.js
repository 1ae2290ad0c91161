// @ts-check
/** Which client commands wait on a paused run: a line below the transport bar, with Play. It disappears when none waits. */

import { find } from "../base/dom.js";
import { text } from "../base/i18n.js";

/** A process repeats every few seconds who waits there: one that has been silent for this long is gone. */
export const FORGOTTEN_MS = 15_000;

/** @type {Map<string, { who: string[], until: number }>} by process */
const waiting = new Map();
let timer = 0;

/**
 * @param {HTMLElement} main
 * @param {{ process: string, who: string[] }} waits  who: an empty name for each client that is only counted
 * @param {() => number} now  ms
 */
export function showWaits(main, { process, who }, now = () => performance.now()) {
  waiting.set(process, { who, until: now() + FORGOTTEN_MS });
  show(main, now);
  clearTimeout(timer);
  timer = setTimeout(() => show(main, now), FORGOTTEN_MS + 1);
}

/** @param {HTMLElement} main @param {() => number} now */
function show(main, now) {
  for (const [process, { who, until }] of waiting) if (!who.length || until < now()) waiting.delete(process);
  const all = [...waiting.values()].flatMap(({ who }) => who);
  const named = all.filter(Boolean);
  const line = find("[data-waits]", main) ?? (all.length ? made(main) : null);
  if (!line) return;
  line.hidden = !all.length;
  const words = line.firstElementChild;
  if (words && all.length) words.textContent = waitersText(named, all.length - named.length);
}

/** @param {string[]} named @param {number} n  number of clients without a name */
export function waitersText(named, n) {
  return text(n ? "waits.more" : "waits.one", { who: named.join(", "), n });
}

/** @param {HTMLElement} main */
function made(main) {
  const line = document.createElement("div");
  line.className = "transport__waits cluster";
  line.dataset.waits = "";
  line.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button--small";
  button.dataset.do = "play";
  button.textContent = text("play.play");
  line.append(document.createElement("span"), button);
  find("#transport", main)?.append(line);
  return line;
}
