// @ts-check
/** What surrounds the field for writing a note: its moment, the buttons to keep it, and the list of existing notes. */

import { make, setAttributes } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";

export class NoteBook {
  /** @param {any} notes  the Notes it belongs to; typed without its module, which loads this one */
  constructor(notes) {
    this.notes = notes;
    this.element = notes.element;
    this.at_ms = 0;
    this.input = /** @type {HTMLInputElement} */ (notes.input);
    setAttributes(this.input, { "aria-label": text("notes.label"), placeholder: text("notes.placeholder") });
    this.title = make("h3");
    this.list = make("ul", { class: "notes__list" });
    notes.form.append(make("button", { class: "button button--small", text: text("notes.save") }));
    this.element.prepend(this.title);
    this.element.append(this.list);
    this.wire();
  }

  wire() {
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
    this.element.addEventListener("click", (/** @type {MouseEvent} */ event) => this.clicked(event));
  }

  /** Open it for the moment shown. */
  open() {
    const { all, timeline } = this.notes;
    this.at_ms = Math.round(timeline.run.playhead.t_ms);
    this.title.textContent = text("notes.at", { time: clockText(this.at_ms) });
    this.input.value ||= all.find((/** @type {{ t_ms: number }} */ { t_ms }) => t_ms === this.at_ms)?.words ?? "";
    this.show();
  }

  save() {
    this.notes.put(this.at_ms, this.input.value.trim());
    this.close();
  }

  close() {
    this.input.value = "";
    this.element.hidden = true;
    this.notes.timeline.element.focus({ preventScroll: true });
  }

  show() {
    if (this.element.hidden) return;
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
