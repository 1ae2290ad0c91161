// @ts-check
/** The parts of a run page around the lanes: which are open, which one a small screen shows, and how high the lanes are. */

import { find, findAll } from "../base/dom.js";
import { setPreference, preference } from "../base/preferences.js";

/** For this long a run counts as new, and a page as loading: only then may the lanes grow by themselves. */
const YOUNG_MS = 10_000;

/**
 * Open or close a region of the page, and remember it.
 * @param {HTMLElement} main
 * @param {"drawer" | "rail"} region
 */
export function toggleRegion(main, region) {
  setRegion(main, region, main.dataset[region] === "closed" ? "open" : "closed");
  setPreference(keyOf(main, region), main.dataset[region] || null);
}

/**
 * @param {HTMLElement} main
 * @param {"drawer" | "rail"} region
 * @param {string} state  open or closed
 */
function setRegion(main, region, state) {
  main.dataset[region] = state;
  for (const button of findAll(`[data-do="${region}"]`, main)) button.setAttribute("aria-expanded", String(state !== "closed"));
}

/** The left column of stories has a setting of its own, apart from runs that have nothing to say there. @param {HTMLElement} main @param {string} region */
function keyOf(main, region) {
  return region === "rail" ? `rail.${main.dataset.railKind}` : region;
}

/**
 * Restore the regions as this browser left them.
 * @param {HTMLElement} main
 */
export function restoreRegions(main) {
  main.dataset.railKind = main.dataset.rail === "open" ? "told" : "plain";
  for (const region of /** @type {const} */ (["rail", "drawer"])) {
    const state = preference(keyOf(main, region)) ?? main.dataset[region] ?? "open";
    setRegion(main, region, state === "closed" ? "closed" : "open");
  }
  showSheet(main, main.dataset.sheet || "inspector");
}

/**
 * Small screens show one panel at a time below the lanes; on others this has no visible effect.
 * @param {HTMLElement} main
 * @param {string} sheet  id of the panel
 */
export function showSheet(main, sheet) {
  main.dataset.sheet = sheet;
  for (const button of findAll("[data-sheet-of]", main)) button.setAttribute("aria-pressed", String(button.dataset.sheetOf === sheet));
}

/**
 * Give the lanes the height of their content. While the reader watches, what is below them keeps its place: they grow only as the page
 * opens, while the run is new, and when the visitor folds or unfolds something.
 */
export class LanesHeight {
  /**
   * @param {HTMLElement} main
   * @param {{ end_ms: number }} playhead
   */
  constructor(main, playhead) {
    this.main = main;
    this.playhead = playhead;
    this.openedAt = performance.now();
  }

  /** @param {number} height  px of all lanes and what is above them @param {boolean} isAsked  whether the visitor changed which lanes are shown */
  fit(height, isAsked) {
    const isYoung = this.playhead.end_ms < YOUNG_MS || performance.now() - this.openedAt < YOUNG_MS / 4;
    if (isAsked || isYoung) this.main.style.setProperty("--lanes-h", `${Math.round(height)}px`);
  }
}

/** Scroll the panel that a small screen has just switched to into view, if the page scrolls. @param {string} sheet */
export function revealSheet(sheet) {
  find(`#${sheet}`)?.scrollIntoView({ block: "nearest" });
}
