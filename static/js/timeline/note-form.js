// @ts-check
/** Where notes are written, and the list of all. */

import { make } from "../dom.js";
import { clockText } from "../format.js";
import { text } from "../i18n.js";

export class NoteForm {
  /** @param {any} notes  the Notes */
  constructor(notes) {
    this.notes = notes;
    this.at_ms = 0;
    notes.input.placeholder = text("notes.placeholder");
    this.title = make("h3");
    this.list = make("ul", { class: "notes__list" });
    this.form = make("form", { class: "notes__form" }, [notes.input, make("button", { class: "button button--small", text: text("notes.save") })]);
    notes.element.append(this.title, this.form, this.list);
    this.wire();
  }

  wire() {
    const element = /** @type {HTMLElement} */ (this.notes.element);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
    element.addEventListener("click", (event) => this.clicked(event));
  }

  /** Write one on a moment. @param {number} at_ms */
  open(at_ms) {
    this.at_ms = at_ms;
    this.title.textContent = text("notes.at", { time: clockText(at_ms) });
    this.show();
    this.notes.input.focus();
  }

  save() {
    this.notes.put(this.at_ms, this.notes.input.value.trim());
    this.close();
  }

  close() {
    const { element, timeline } = this.notes;
    element.hidden = true;
    timeline.element.focus({ preventScroll: true });
  }

  show() {
    if (this.notes.element.hidden) return;
    const lines = this.notes.all.map((/** @type {{ t_ms: number, words: string }} */ { t_ms, words }) => make("li", {}, [
      make("button", { type: "button", class: "linkbtn", "data-note": String(t_ms), text: `${clockText(t_ms)} ${words}` }),
      make("button", { type: "button", class: "iconbtn notes__drop", "data-drop": String(t_ms), "aria-label": text("notes.drop", { time: clockText(t_ms) }), title: text("notes.drop", { time: clockText(t_ms) }), text: "×" }),
    ]));
    this.list.replaceChildren(...lines);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-note], [data-drop]") : null;
    if (!(button instanceof HTMLElement)) return;
    if (button.dataset.drop) this.notes.put(Number(button.dataset.drop), "");
    else this.notes.goTo(Number(button.dataset.note), false);
  }
}
