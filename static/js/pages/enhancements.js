// @ts-check
/** Conveniences for pages that show no run: line numbers and marks beside the field of a manifest, and lists that can be filtered. */

import { find, findAll, make } from "../base/dom.js";

/**
 * Move a field that may have the focus: moving an element makes it lose the focus.
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
    // Escape, then Tab leaves the field: it must not be a keyboard trap.
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

export function wireEnhancements() {
  // Fields inside panels stay plain: panels are refreshed while people type, and a frame around the field would get in the way.
  for (const field of findAll("textarea[data-editor]")) {
    if (!field.closest("[data-panel], #drawer-body")) new LineField(/** @type {HTMLTextAreaElement} */ (field));
  }
  findAll("[data-filter-list]").forEach(wireFilter);
}
