// @ts-check
/** <details> that stay as the reader left them, menus that close, and the jump from a problem to its line in the editor. */

import { find, findAll } from "./dom.js";

/**
 * Select a line of a text field and bring it into view.
 * @param {HTMLTextAreaElement} field
 * @param {number} line 1-based
 */
function goToLine(field, line) {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, words) => sum + words.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1] || "").length);
  field.scrollTop = Math.max(0, ((line - 4) * field.scrollHeight) / Math.max(1, lines.length));
}

const KEPT = "podscope.open.";

/**
 * Open or close the marked <details> below `root` as the reader last left them.
 * @param {ParentNode} root
 */
export function restoreDetails(root) {
  for (const element of findAll("details[data-remember]", root)) {
    try {
      const kept = localStorage.getItem(KEPT + element.dataset.remember);
      if (kept !== null) element.toggleAttribute("open", kept === "1");
    } catch {
      return; // Nothing is remembered where storage is blocked.
    }
  }
}

/** @param {Event} event "toggle" does not bubble, so this listens in the capture phase */
function toggled(event) {
  const { target } = event;
  if (!(target instanceof HTMLDetailsElement) || !target.dataset.remember) return;
  try {
    localStorage.setItem(KEPT + target.dataset.remember, target.open ? "1" : "0");
  } catch {
    // The choice then lasts for this page only.
  }
}

/** @param {MouseEvent} event */
function clicked(event) {
  if (!(event.target instanceof Element)) return;
  const link = event.target.closest("a[data-line]");
  const field = link && /** @type {HTMLTextAreaElement | null} */ (find("textarea[data-editor]", link.closest("form") || document) || find("textarea[data-editor]"));
  if (link instanceof HTMLElement && field) {
    event.preventDefault();
    const line = Number(link.dataset.line);
    // If an editor has replaced the field, it goes to the line itself.
    const isTaken = !field.dispatchEvent(new CustomEvent("editor:line", { detail: line, cancelable: true }));
    if (!isTaken) goToLine(field, line);
  }
  // A menu made of <details> closes when something else is clicked.
  for (const menu of findAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
}

export function wireForms() {
  document.addEventListener("click", clicked);
  document.addEventListener("toggle", toggled, true);
  restoreDetails(document);
}
