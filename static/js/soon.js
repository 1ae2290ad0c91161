// @ts-check
/** Parts that are loaded when somebody first wants them, and what stands in their place until then. */

import { make } from "./dom.js";
import { text } from "./i18n.js";
import { toast } from "./toast.js";

/** @type {Promise<any> | null} */
let loading = null;

/** The parts of later.js, asked for once. Where they do not come, the reader is told, and the next wish asks again. */
export function later() {
  loading ??= import("./later.js").catch((error) => {
    loading = null;
    toast(text("panel.failed"), "warn");
    throw error;
  });
  return loading;
}

/** The card of what is pointed at. Until it is there the last wish counts. */
export class SoonCard {
  /** @param {HTMLElement} parent @param {any} run */
  constructor(parent, run) {
    this.parent = parent;
    this.run = run;
    /** @type {any} the HoverCard */
    this.card = null;
    /** @type {((card: any) => void) | null} */
    this.wish = null;
  }

  /** @param {any} hit @param {{ x: number, y: number }} point @param {number} end_ms */
  aim(hit, point, end_ms) {
    if (this.card || hit?.marks || hit?.span) this.want((card) => card.aim(hit, point, end_ms));
    else this.wish = null;
  }

  /** @param {any} hit @param {{ x: number, y: number }} point @param {number} end_ms */
  pin(hit, point, end_ms) {
    this.want((card) => card.pin(hit, point, end_ms));
  }

  hide() {
    this.wish = null;
    this.card?.hide();
  }

  unpin() {
    this.wish = null;
    this.card?.unpin();
  }

  /** @param {(card: any) => void} wish */
  want(wish) {
    if (this.card) {
      wish(this.card);
      return;
    }
    this.wish = wish;
    later().then(({ HoverCard }) => {
      this.card ??= new HoverCard(this.parent, this.run);
      this.wish?.(this.card);
      this.wish = null;
    }, () => {});
  }
}

/** The menu of acts. */
export class SoonMenu {
  /** @param {any} page  the RunPage @param {string} base  address of the panels */
  constructor(page, base) {
    this.page = page;
    this.base = base;
    /** @type {any} the FaultMenu */
    this.menu = null;
  }

  /** @param {string} subject @param {{ x: number, y: number }} point  on the screen @param {string} lane */
  open(subject, point, lane) {
    this.want((menu) => menu.open(subject, point, lane));
  }

  openAtSelection() {
    this.want((menu) => menu.openAtSelection());
  }

  /** @param {(menu: any) => void} wish */
  want(wish) {
    later().then(({ FaultMenu }) => wish((this.menu ??= new FaultMenu(this.page, this.base))), () => {});
  }
}

/** Handles on the picture, from the first time that somebody points at it or asks for them. */
export class SoonGestures {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {any} the Gestures */
    this.made = null;
    if (!timeline.run.main?.dataset.outlookUrl) return;
    for (const name of ["pointermove", "pointerup"]) timeline.content.addEventListener(name, () => this.want(() => {}), { once: true });
  }

  begin() {
    if (this.timeline.run.main?.dataset.outlookUrl) this.want((gestures) => gestures.begin());
  }

  /** @param {(gestures: any) => void} wish */
  want(wish) {
    later().then(({ Gestures }) => wish((this.made ??= new Gestures(this.timeline))), () => {});
  }
}

/** The field of the search; what is typed into it before the search is there is searched for then. */
export class SoonSearch {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {any} the SearchBox */
    this.box = null;
    this.input = /** @type {HTMLInputElement} */ (make("input", { type: "search", class: "find__input", role: "combobox", "aria-expanded": "false", "aria-controls": "find-list", "aria-autocomplete": "list", "aria-keyshortcuts": "/", "aria-label": text("find.label"), placeholder: text("find.placeholder"), autocomplete: "off", spellcheck: "false", enterkeyhint: "search" }));
    this.list = make("div", { id: "find-list", role: "listbox", class: "find__options", "aria-label": text("find.results") });
    this.panel = make("div", { class: "find__panel", hidden: true }, [this.list]);
    this.element = make("div", { class: "find", role: "search" }, [this.input, this.panel]);
    this.input.addEventListener("focus", () => this.want((box) => box.opened()), { once: true });
    this.input.addEventListener("keydown", (event) => this.pressed(event));
  }

  get isActive() {
    return this.box?.isActive ?? false;
  }

  /** @type {any[]} what was found */
  get found() {
    return this.box?.found ?? [];
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  /** @param {string | null} words */
  set(words) {
    this.input.value = words ?? "";
    this.want((box) => box.set(words));
  }

  /** @returns {boolean} whether there was anything to forget */
  clear() {
    return this.box?.clear() ?? false;
  }

  /** @param {1 | -1} step */
  jump(step) {
    this.box?.jump(step);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (this.box) this.box.pressed(event);
    else if (["Enter", "ArrowDown", "ArrowUp", "Escape"].includes(event.key)) this.want((box) => box.pressed(event));
  }

  /** @param {(box: any) => void} wish */
  want(wish) {
    if (this.box) wish(this.box);
    else later().then(({ SearchBox }) => wish((this.box ??= new SearchBox(this.timeline, this))), () => {});
  }
}
