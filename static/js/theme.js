// @ts-check
/** Choosing between the system's theme, light and dark. The choice is applied before first paint by boot.js. */

import { announce, findAll } from "./dom.js";
import { text } from "./i18n.js";

const KEY = "podscope.theme";
const ORDER = ["auto", "light", "dark"];

export function currentTheme() {
  const theme = document.documentElement.dataset.theme || "auto";
  return ORDER.includes(theme) ? theme : "auto";
}

/** Go to the next theme and remember it. */
export function cycleTheme() {
  const next = ORDER[(ORDER.indexOf(currentTheme()) + 1) % ORDER.length];
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The choice then lasts for this page only.
  }
  showTheme();
  announce("theme:changed");
}

/** Write the theme's name into the switches of the page. */
export function showTheme() {
  const name = text(`theme.${currentTheme()}`);
  for (const button of findAll('[data-do="theme"]')) {
    button.setAttribute("title", name);
    button.setAttribute("aria-label", name);
  }
  for (const label of findAll("[data-theme-label]")) label.textContent = name;
}

/** @param {() => void} listener called when colours may have changed */
export function onThemeChange(listener) {
  document.addEventListener("theme:changed", listener);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
  matchMedia("(forced-colors: active)").addEventListener("change", listener);
}
