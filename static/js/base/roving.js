// @ts-check
/** Roving tabindex: one Tab stop for a group of links or buttons; the arrow keys move within it, Home and End go to its ends. */

import { findAll, setAttributes } from "./dom.js";

const ALONG = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowLeft: -1 });
const ACROSS = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
const STOPS = ":is(a[href], button, summary):not([data-roving-skip])";

/** The visible stops of a group; a group that is not shown at all keeps its order. @param {HTMLElement} group */
function stopsOf(group) {
  const stops = findAll(STOPS, group);
  const seen = stops.filter((stop) => stop.checkVisibility());
  return seen.length ? seen : stops;
}

/** @type {Set<HTMLElement>} roots that have changed since the tab stops were last updated */
const changed = new Set();

/**
 * Make what is inside `[data-roving]` one tab stop; call it again after changes. The stop is the element that has focus, is current or is
 * marked with `data-roving-stop`, else the first. It is done after the page has been drawn: by then it is known what is visible, and asking
 * in the middle of changes would force a layout for each of them.
 * @param {HTMLElement} root
 */
export function rove(root) {
  if (!changed.size) requestAnimationFrame(() => setTimeout(order));
  changed.add(root);
}

function order() {
  const roots = [...changed];
  changed.clear();
  // A panel within a region that changed as well is covered by that region.
  for (const root of roots) if (!roots.some((other) => other !== root && other.contains(root))) orderIn(root);
}

/** @param {HTMLElement} root */
function orderIn(root) {
  for (const group of findAll("[data-roving]", root)) {
    const stops = stopsOf(group);
    const stop = stops.find((each) => each === document.activeElement) || stops.find((each) => each.ariaCurrent === "true") || stops.find((each) => "rovingStop" in each.dataset) || stops[0];
    for (const each of findAll(STOPS, group)) setAttributes(each, { tabindex: each === stop ? "0" : "-1" });
  }
}

/**
 * Let the arrow keys move within the groups of `root`: in a toolbar only left and right, in a column only up and down.
 * @param {HTMLElement} root
 */
export function wireRoving(root) {
  root.addEventListener("keydown", (event) => {
    const from = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(STOPS)) : null;
    // Links in a picture behave like any others: their group is an SVG element, which has everything that is used here.
    const group = /** @type {HTMLElement | null} */ (from?.closest("[data-roving]"));
    if (!group || !from || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const stops = inOrder(group);
    const at = stops.indexOf(from);
    const next = event.key in stepsOf(group) ? at + stepsOf(group)[event.key] : ends(group, stops.length)[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (!stops[next]) return;
    for (const item of stops) item.tabIndex = item === stops[next] ? 0 : -1;
    stops[next].focus();
  });
}

/** @param {HTMLElement} group */
function stepsOf(group) {
  if (group.role === "toolbar") return ALONG;
  return group.dataset.roving === "column" ? ACROSS : { ...ALONG, ...ACROSS };
}

/** In toolbars and next to the lanes, Home and End keep moving through time. @param {HTMLElement} group @param {number} count @returns {Record<string, number>} */
function ends(group, count) {
  return group.role === "toolbar" || group.dataset.roving === "column" ? {} : { Home: 0, End: count - 1 };
}

/** A column in visual order: rows built while scrolling are in no particular order in the document. @param {HTMLElement} group */
function inOrder(group) {
  const stops = stopsOf(group);
  if (group.dataset.roving !== "column") return stops;
  return stops.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
}
