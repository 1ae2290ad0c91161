// @ts-check
/** Comforts for plain pages: line numbers and marks beside the YAML field, filters, and details that stay as they were left. */

import { find, findAll, make } from "./dom.js";

/**
 * Move a field that somebody may be writing in already: an element that is moved loses the focus.
 * @param {HTMLTextAreaElement} field
 * @param {() => void} move
 */
function moveKeepingFocus(field, move) {
  const hadFocus = document.activeElement === field;
  const { selectionStart, selectionEnd, selectionDirection } = field;
  move();
  if (!hadFocus) return;
  field.focus({ preventScroll: true });
  field.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
}

/** A textarea with a gutter. The field itself stays the form's field. */
class LineField {
  /** @param {HTMLTextAreaElement} field */
  constructor(field) {
    this.field = field;
    this.gutter = make("div", { class: "editor__gutter", "aria-hidden": "true" });
    const frame = make("div", { class: "editor" });
    moveKeepingFocus(field, () => {
      field.replaceWith(frame);
      frame.append(this.gutter, field);
    });
    this.lines = 0;
    this.leaving = false;
    this.errors = new Set((field.dataset.errorLines || "").split(",").filter(Boolean).map(Number));
    field.addEventListener("input", () => this.number());
    field.addEventListener("scroll", () => this.gutter.scrollTo(0, field.scrollTop));
    field.addEventListener("keydown", (event) => this.pressed(event));
    this.number();
  }

  number() {
    const count = this.field.value.split("\n").length;
    if (count === this.lines) return;
    this.lines = count;
    const numbers = Array.from({ length: count }, (_, index) => make("span", { text: String(index + 1), "data-error": this.errors.has(index + 1) }));
    this.gutter.replaceChildren(...numbers);
    this.gutter.scrollTo(0, this.field.scrollTop);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.key === "Escape") {
      this.leaving = true;
      return;
    }
    const wants = event.key === "Tab" && !event.shiftKey && !this.leaving && !event.ctrlKey && !event.metaKey;
    this.leaving = false;
    if (!wants) return;
    event.preventDefault();
    this.field.setRangeText("  ", this.field.selectionStart, this.field.selectionEnd, "end");
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

}

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

/** @param {HTMLElement} input */
function wireFilter(input) {
  if (!(input instanceof HTMLInputElement)) return;
  const list = find(input.dataset.filterList || "");
  if (!list) return;
  const items = /** @type {HTMLElement[]} */ ([...list.children]);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const haystack = (item.dataset.text || item.textContent || "").toLowerCase();
      item.hidden = !words.every((word) => haystack.includes(word));
    }
  });
}

const KEPT = "podscope.open.";

/**
 * Open or close the marked details below `root` as they were left.
 * @param {ParentNode} root
 */
export function restoreDetails(root) {
  for (const element of findAll("details[data-remember]", root)) {
    try {
      const kept = localStorage.getItem(KEPT + element.dataset.remember);
      if (kept !== null) element.toggleAttribute("open", kept === "1");
    } catch {
      return; // Nothing is remembered where storage is refused.
    }
  }
}

/** @param {Event} event toggling does not bubble, so this listens on the way down */
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
  const link = event.target.closest("[data-line]");
  const field = link && /** @type {HTMLTextAreaElement | null} */ (find("textarea[data-editor]", link.closest("form") || document) || find("textarea[data-editor]"));
  if (link instanceof HTMLElement && field) {
    event.preventDefault();
    const line = Number(link.dataset.line);
    const isTaken = !field.dispatchEvent(new CustomEvent("editor:line", { detail: line, cancelable: true }));
    if (!isTaken) goToLine(field, line);
  }
  // A menu made of <details> closes when something else is clicked.
  for (const menu of findAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
}

export function wireForms() {
  // Fields inside panels stay plain: panels are refreshed while people type, and a frame around the field would be in the way.
  for (const field of findAll("textarea[data-editor]")) {
    if (!field.closest("[data-panel], #drawer-body")) new LineField(/** @type {HTMLTextAreaElement} */ (field));
  }
  document.addEventListener("click", clicked);
  document.addEventListener("toggle", toggled, true);
  findAll("[data-filter-list]").forEach(wireFilter);
  restoreDetails(document);
}
