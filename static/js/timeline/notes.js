// @ts-check
/** Notes on instants: kept in this browser, carried by links, shown on the ruler. */

import { make } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { later } from "../later/load.js";

/** @typedef {{ t_ms: number, words: string }} Note */

const WORDS_MAX = 120;
const NOTES_MAX = 40;
/** Maximum length of all notes together in a link. */
const LINK_MAX = 1200;

export class Notes {
  /** @param {any} timeline @param {string} run  whose notes they are */
  constructor(timeline, run) {
    this.painted = "";
    this.timeline = timeline;
    this.place = `notes:${run}`;
    /** @type {Note[]} in order of time */
    this.all = readNotes(stored(this.place));
    this.flags = make("div", { class: "timeline__notes" });
    this.input = /** @type {HTMLInputElement} */ (make("input", { class: "input", maxlength: String(WORDS_MAX) }));
    this.form = make("form", { class: "notes__form" }, [this.input]);
    this.element = make("section", { class: "notes", "aria-label": text("notes.title"), hidden: true }, [this.form]);
    /** @type {any} the NoteBook, once it has been asked for */
    this.book = null;
    this.wire();
  }

  wire() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      // Enter may be pressed before the rest has loaded; the field has the text.
      later().then(() => this.book.save(), () => {});
    });
    this.flags.addEventListener("pointerdown", (event) => event.stopPropagation());
    this.flags.addEventListener("click", (event) => {
      const flag = event.target instanceof Element ? event.target.closest("[data-note]") : null;
      if (flag instanceof HTMLElement) this.goTo(Number(flag.dataset.note), true);
    });
  }

  /** Write a note on the moment shown. The field takes what is typed at once, even before the rest of it has loaded. */
  open() {
    this.element.hidden = false;
    if (this.book) this.input.value = "";
    this.input.focus();
    later().then(({ NoteBook }) => (this.book ??= new NoteBook(this)).open(), () => {});
  }

  /** @param {number} at_ms @param {string} words  empty removes the note */
  put(at_ms, words) {
    const others = this.all.filter(({ t_ms }) => t_ms !== at_ms);
    this.all = (words ? [...others, { t_ms: at_ms, words: words.slice(0, WORDS_MAX) }] : others).sort((a, b) => a.t_ms - b.t_ms).slice(-NOTES_MAX);
    this.changed();
  }

  /** Add the notes of a link to those that are here. @param {string} word */
  read(word) {
    // A link adds notes, it never removes any.
    const here = new Set(this.all.map(({ t_ms }) => t_ms));
    const fresh = readNotes(word).filter(({ t_ms }) => !here.has(t_ms));
    if (!fresh.length) return;
    this.all = [...this.all, ...fresh].sort((a, b) => a.t_ms - b.t_ms);
    this.changed();
  }

  changed() {
    try {
      localStorage.setItem(this.place, writeNotes(this.all));
    } catch {
      // A browser that keeps nothing still has them in the address.
    }
    this.timeline.run.looked();
    this.timeline.touch();
    this.book?.show();
  }

  /** As links carry them. */
  get word() {
    const word = writeNotes(this.all);
    return word.length <= LINK_MAX ? word : "";
  }

  /** @param {number} t_ms @param {boolean} edit */
  goTo(t_ms, edit) {
    const { run } = this.timeline;
    run.playhead.seek(t_ms);
    this.timeline.reveal(t_ms);
    if (edit) this.open();
  }

  /** @param {1 | -1} step  from the moment shown */
  step(step) {
    const { t_ms } = this.timeline.run.playhead;
    const next = step > 0 ? this.all.find((note) => note.t_ms > t_ms + 0.5) : this.all.filter((note) => note.t_ms < t_ms - 0.5).pop();
    if (next) this.goTo(next.t_ms, false);
  }

  /** Position the flags on the ruler. Called with every frame drawn. */
  paint() {
    const { viewport } = this.timeline;
    const shown = this.all.filter(({ t_ms }) => viewport.xOf(t_ms) > -8 && viewport.xOf(t_ms) < viewport.width + 8);
    const key = shown.map(({ t_ms, words }) => `${t_ms} ${words}`).join("\n");
    if (key !== this.painted) {
      this.painted = key;
      this.flags.replaceChildren(...shown.map(({ t_ms, words }) => make("button", { type: "button", class: "note", tabindex: "-1", "data-note": String(t_ms), title: `${clockText(t_ms)} ${words}`, "aria-label": `${clockText(t_ms)} ${words}` })));
    }
    shown.forEach(({ t_ms }, index) => /** @type {HTMLElement} */ (this.flags.children[index]).style.setProperty("transform", `translateX(${Math.round(viewport.xOf(t_ms))}px)`));
  }
}

/**
 * `75015_why so late~80000_again`.
 * @param {Note[]} notes
 */
export function writeNotes(notes) {
  return notes.map(({ t_ms, words }) => `${t_ms}_${words.replaceAll("~", "-")}`).join("~");
}

/** @param {string} word @returns {Note[]} */
export function readNotes(word) {
  return word.split("~").flatMap((part) => {
    const [, t, words] = /^(\d{1,12})_(.+)$/.exec(part) ?? [];
    return words ? [{ t_ms: Number(t), words: words.slice(0, WORDS_MAX) }] : [];
  }).slice(0, NOTES_MAX);
}

/** @param {string} place */
function stored(place) {
  try {
    return localStorage.getItem(place) ?? "";
  } catch {
    return "";
  }
}
