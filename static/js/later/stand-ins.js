// @ts-check
/**
 * Stand-ins for parts that are loaded later, when they are first wanted.
 *
 * Each has the methods of the part it stands for, so that its callers need not know whether that is loaded. A request that cannot be
 * repeated (a click, a key, a submitted form) is kept and carried out when the part has arrived; of requests that replace each other, such
 * as the position of the pointer, only the last one is kept. The class in later.js is instantiated once and keeps its own state; the
 * stand-in only delegates.
 */

import { find, make } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { later } from "./load.js";

/** @typedef {{ tab: string, line: string, did: number, namespace: string }} Panel  what a command line changes of the drawer's panel (panels/panel.js) */

/** How long a finger must rest to open the menu of acts. */
export const HOLD_MS = 500;

/** The card for what the pointer is over. Until it is loaded, the last request counts. */
export class LaterCard {
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
    // Over empty lanes there is no card, and so no reason to load one.
    if (this.card || hit?.marks || hit?.span) this.want((card) => card.aim(hit, point, end_ms));
    else this.wish = null;
  }

  /** @param {any} hit @param {number} x  of the stage */
  pin(hit, x) {
    this.want((card) => card.pin(hit, x));
  }

  hide() {
    this.wish = null;
    this.card?.hide();
  }

  /** @returns {boolean} whether it was kept open */
  unpin() {
    this.wish = null;
    return this.card?.unpin() ?? false;
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
export class LaterMenu {
  /** @param {any} page  the RunPage @param {string} base  address of the panels */
  constructor(page, base) {
    this.page = page;
    this.base = base;
    this.held = /** @type {any} */ (0);
    /** @type {any} the ActMenu */
    this.menu = null;
    // On the document: the map is replaced with each moment, and its tiles with it.
    for (const name of ["contextmenu", "pointerdown", "pointermove", "pointerup", "pointercancel"]) document.addEventListener(name, (event) => this.onTile(event));
  }

  /** Right click or long press on the map: show the object's acts, as on its lane. @param {any} event */
  onTile(event) {
    clearTimeout(this.held);
    const tile = event.target.closest?.(".map [data-select]");
    if (!tile) return;
    const open = () => this.open(tile.dataset.select, { x: event.clientX + 2, y: event.clientY + 2 });
    if (event.pointerType === "touch" && event.type === "pointerdown") this.held = setTimeout(open, HOLD_MS);
    if (event.type !== "contextmenu") return;
    event.preventDefault();
    open();
  }

  /** @param {string} subject @param {{ x: number, y: number }} point  on the screen @param {string} [lane] */
  open(subject, point, lane) {
    this.want((menu) => menu.open(subject, point, lane));
  }

  openAtSelection() {
    this.want((menu) => menu.openAtSelection());
  }

  /** @param {(menu: any) => void} wish */
  want(wish) {
    later().then(({ ActMenu }) => wish((this.menu ??= new ActMenu(this.page, this.base))), () => {});
  }
}

/** Rows tinted under the pointer, and handles on the picture: loaded when the reader first points at the lanes or asks for them. */
export class LaterGestures {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {any} the Gestures */
    this.made = null;
    // A reader who points at the lanes may drag something next.
    for (const name of ["pointermove", "pointerup"]) timeline.content.addEventListener(name, () => this.want(() => {}), { once: true });
  }

  begin() {
    this.want((gestures) => gestures.begin());
  }

  /** @param {(gestures: any) => void} wish  if this reader can act */
  want(wish) {
    const { timeline } = this;
    later().then(({ Gestures, tintRows }) => {
      tintRows(timeline);
      if (timeline.run.main?.dataset.outlookUrl) wish((this.made ??= new Gestures(timeline)));
    }, () => {});
  }
}

/** The field of the search; what is typed before the search is loaded is searched for then. */
export class LaterSearch {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {any} the SearchBox */
    this.box = null;
    this.input = /** @type {HTMLInputElement} */ (make("input", { type: "search", class: "find__input", role: "combobox", "aria-expanded": "false", "aria-controls": "find-list", "aria-autocomplete": "list", "aria-keyshortcuts": "/", "aria-label": text("find.label"), placeholder: text("find.placeholder"), autocomplete: "off", spellcheck: "false", enterkeyhint: "search" }));
    this.list = make("div", { id: "find-list", role: "listbox", class: "find__options", "aria-label": text("find.results") });
    this.panel = make("div", { class: "find__panel", hidden: true }, [this.list]);
    this.element = make("div", { class: "find", role: "search" }, [this.input, this.panel]);
    // The first focus loads it: the list of examples is what a reader sees first.
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

  /** @returns {boolean} whether there was anything to clear */
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

/** The table of lanes: until it is asked for, a button in its place for screen readers; everybody else has the menu and the keys. */
export class LaterGrid {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {any} the TreeGrid */
    this.grid = null;
    const stop = make("button", { type: "button", class: "button", tabindex: "-1", text: text("timeline.table") });
    stop.addEventListener("click", () => this.want((grid) => grid.enter()));
    this.element = make("div", { class: "treegrid visually-hidden" }, [stop]);
  }

  toggle() {
    this.want((grid) => grid.toggle());
  }

  /** @param {(grid: any) => void} wish */
  want(wish) {
    later().then(({ TreeGrid }) => wish((this.grid ??= new TreeGrid(this.element, this.timeline))), () => {});
  }
}

/** Load the lanes that are folded at first, once one is opened. @param {any} timeline @param {boolean} [isTurned]  turn the log lines of all containers on or off */
export function laterFolded(timeline, isTurned) {
  const { view, run } = timeline;
  if (run.panelBase && (isTurned || (view.open.size && !view.more))) later().then(({ FoldedLanes }) => (view.more ??= new FoldedLanes(timeline)).show(isTurned), () => {});
}

/** The command line of the drawer: what is submitted before it is loaded is carried out then. */
export class LaterCommandLine {
  /** @param {HTMLElement} drawer @param {Panel} panel @param {any} page  the RunPage */
  constructor(drawer, panel, page) {
    this.about = /** @type {[HTMLElement, Panel, any]} */ ([drawer, panel, page]);
    /** @type {any} the CommandLine */
    this.line = null;
    // The page may come with an answer; its line is then in the field, and nowhere else.
    if (panel.tab === "kubectl") {
      panel.line = /** @type {HTMLInputElement | null} */ (find("#kubectl-line", drawer))?.value || "";
      const { did, ns } = find("[data-kubectl]", drawer)?.dataset ?? {};
      panel.did = Number(did || 0);
      panel.namespace = ns || "";
    }
    drawer.addEventListener("focusin", ({ target }) => target instanceof Element && target.id === "kubectl-line" && this.want(() => {}));
    drawer.addEventListener("submit", (event) => this.submitted(event));
    document.addEventListener("click", (event) => this.clicked(event));
  }

  open() {
    this.want((line) => line.open());
  }

  /** @param {string} line  typed elsewhere */
  typed(line) {
    this.want((made) => made.typed(line));
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    const { target, submitter } = event;
    if (!(target instanceof HTMLFormElement) || !target.matches("[data-kubectl], #kubectl-act")) return;
    event.preventDefault();
    this.want((line) => line.submitted(target, submitter));
  }

  /** A link that stands for a kubectl line. @param {MouseEvent} event */
  clicked(event) {
    const link = event.target instanceof Element ? event.target.closest("[data-ask]") : null;
    if (!(link instanceof HTMLElement) || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.want((line) => line.follow(link));
  }

  /** @param {(line: any) => void} wish */
  want(wish) {
    if (this.line) wish(this.line);
    else later().then(({ CommandLine }) => wish((this.line ??= new CommandLine(...this.about))), () => {});
  }
}

/** The edges between the parts of the page: what is done with one before its script is loaded is done then. @param {HTMLElement} main @param {() => void} onResize */
export function wireLaterSplitters(main, onResize) {
  /** @type {any} the splitters by their edges */
  let made = null;
  const early = (/** @type {any} */ event) => {
    const edge = event.target.closest?.("[data-splitter]");
    if (made || !edge) return;
    if (event.type === "keydown" && event.key.startsWith("Arrow")) {
      event.preventDefault();
      event.stopImmediatePropagation(); // these keys also move through time
    }
    later().then(({ wireSplitters }) => (made ??= wireSplitters(main, onResize)).get(edge).use(event), () => {});
  };
  for (const type of ["pointerover", "pointerdown", "focusin", "keydown", "dblclick"]) main.addEventListener(type, early);
}

/** The options of a link, wherever it is shown. */
export function wireLaterLinkOptions() {
  for (const kind of ["change", "click"]) {
    document.addEventListener(kind, (event) => {
      if (event.target instanceof Element && event.target.closest("[data-ways]")) later().then(({ linkOptionUsed }) => linkOptionUsed(event.type, event.target), () => {});
    });
  }
}
