// @ts-check
/** One stop of the Tab key for a group of links; the arrow keys go from one to the next, Home and End to the ends. */

import { findAll } from "./dom.js";

const STEPS = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

/**
 * Make the links inside `[data-roving]` one stop; call it again when they have changed.
 * @param {HTMLElement} root
 */
export function rove(root) {
  for (const group of findAll("[data-roving]", root)) {
    const links = findAll("a[href]", group);
    const stop = links.find((link) => link === document.activeElement) || links.find((link) => link.ariaCurrent === "true") || links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  }
}

/**
 * Let the arrow keys move within the groups of `root`.
 * @param {HTMLElement} root
 */
export function wireRoving(root) {
  root.addEventListener("keydown", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const group = link?.closest("[data-roving]");
    if (!group || !link) return;
    const links = findAll("a[href]", group);
    const at = links.findIndex((item) => item === link);
    const next = event.key in STEPS ? at + STEPS[event.key] : { Home: 0, End: links.length - 1 }[event.key];
    if (next === undefined || !links[next]) return;
    event.preventDefault();
    event.stopPropagation();
    for (const item of links) item.tabIndex = item === links[next] ? 0 : -1;
    links[next].focus();
  });
}
