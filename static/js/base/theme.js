// @ts-check
/** Choosing between the system's theme, light and dark. The choice is applied before first paint by boot.js. */

import { announce, findAll } from "./dom.js";
import { text } from "./i18n.js";

const KEY = "podscope.theme";
export const THEMES = ["auto", "light", "dark"];

export function currentTheme() {
  const theme = document.documentElement.dataset.theme || "auto";
  return THEMES.includes(theme) ? theme : "auto";
}

/** Go to the next theme. */
export function cycleTheme() {
  chooseTheme(THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length]);
}

/** Show a theme and remember it. @param {string} name  one of THEMES */
export function chooseTheme(name) {
  document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // The choice then lasts for this page only.
  }
  showTheme();
  announce("theme:changed");
}

/** Write the name of the theme into the page's switches. */
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
