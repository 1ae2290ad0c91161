// @ts-check
/** Progress in the stories, kept in this browser: marks on the gallery's cards and tracks. */

import { find, findAll } from "../base/dom.js";
import { text } from "../base/i18n.js";

const KEY = "podscope.stories";

/** @typedef {Record<string, string[]>} Progress  names of the steps that are done, by story */

/** @returns {Progress} */
export function readProgress() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || "{}");
    return Object.fromEntries(Object.entries(kept ?? {}).filter(([, steps]) => Array.isArray(steps)));
  } catch {
    return {}; // Nothing is remembered where storage is blocked, or if its content is invalid.
  }
}

/**
 * @param {string} story
 * @param {Iterable<string>} steps  the completed steps
 */
export function keepProgress(story, steps) {
  writeProgress({ ...readProgress(), [story]: [...new Set(steps)] });
}

/** @param {Progress} progress */
export function writeProgress(progress) {
  try {
    localStorage.setItem(KEY, JSON.stringify(progress));
  } catch {
    // It then lasts for this page only.
  }
}

/** Show the progress on every card and track. */
export function showProgress() {
  const progress = readProgress();
  for (const card of findAll("[data-story]")) {
    const all = (card.dataset.steps || "").split(" ").filter(Boolean);
    const done = all.filter((step) => progress[card.dataset.story || ""]?.includes(step)).length;
    card.dataset.done = all.length && done === all.length ? "all" : done ? "some" : "none";
    const place = find("[data-story-progress]", card);
    if (place) place.textContent = !done ? "" : done === all.length ? text("progress.story_done") : text("progress.story", { done, all: all.length });
  }
  for (const track of findAll("[data-track]")) {
    const place = find("[data-track-progress]", track);
    if (place) place.textContent = text("progress.track", { done: findAll('[data-done="all"]', track).length, all: findAll("[data-story]", track).length });
  }
  const forget = find("[data-forget-progress]");
  if (forget) forget.hidden = !Object.values(progress).some((steps) => steps.length);
}

/** Show what to watch for in a story once it has been watched. */
function showSeen() {
  const progress = readProgress();
  for (const line of findAll("[data-watch]")) {
    if (!progress[line.dataset.of || ""]?.includes(line.dataset.watch || "")) continue;
    line.dataset.state = "done";
    find(".veil", line)?.setAttribute("open", "");
  }
}

/** Set up the gallery, including cards that a search brings later, and a story's own page. */
export function wireProgress() {
  showSeen();
  if (!find("#tracks")) return;
  showProgress();
  document.addEventListener("htmx:afterSwap", showProgress);
  window.addEventListener("pageshow", showProgress);
  find("[data-forget-progress]")?.addEventListener("click", () => {
    try {
      localStorage.removeItem(KEY);
    } catch {
      // There was nothing to forget.
    }
    showProgress();
  });
}
