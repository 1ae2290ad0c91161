// @ts-check
/** Comforts for plain pages: line numbers and marks beside the YAML field, filters, and details that stay as they were left. */

import { find, findAll, make } from "./dom.js";

/** A textarea with a gutter. The field itself stays the form's field. */
class LineField {
  /** @param {HTMLTextAreaElement} field */
  constructor(field) {
    this.field = field;
    this.gutter = make("div", { class: "editor__gutter", "aria-hidden": "true" });
    const frame = make("div", { class: "editor" });
    field.replaceWith(frame);
    frame.append(this.gutter, field);
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

  /** @param {number} line 1-based */
  goTo(line) {
    const lines = this.field.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, words) => sum + words.length + 1, 0);
    this.field.focus();
    this.field.setSelectionRange(start, start + (lines[line - 1] || "").length);
    const height = this.field.scrollHeight / Math.max(1, lines.length);
    this.field.scrollTop = Math.max(0, (line - 4) * height);
  }
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

/** @param {HTMLElement} element */
function remember(element) {
  if (!(element instanceof HTMLDetailsElement)) return;
  const key = `podscope.open.${element.dataset.remember}`;
  try {
    const kept = localStorage.getItem(key);
    if (kept !== null) element.open = kept === "1";
    element.addEventListener("toggle", () => localStorage.setItem(key, element.open ? "1" : "0"));
  } catch {
    // Not remembered where storage is refused.
  }
}

export function wireForms() {
  const fields = findAll("textarea[data-editor]").map((field) => new LineField(/** @type {HTMLTextAreaElement} */ (field)));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("[data-line]") : null;
    if (!(link instanceof HTMLElement) || fields.length === 0) return;
    event.preventDefault();
    fields[0].goTo(Number(link.dataset.line));
  });
  // A menu made of <details> closes when something else is clicked.
  document.addEventListener("click", (event) => {
    for (const menu of findAll("details.menu[open]")) {
      if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute("open");
    }
  });
  findAll("[data-filter-list]").forEach(wireFilter);
  findAll("details[data-remember]").forEach(remember);
}
