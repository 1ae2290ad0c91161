// @ts-check
/** The details drawer: which panels it has, how they are opened, and what each of the page's panels shows. */

import { find, findAll } from "../base/dom.js";
import { setPreference, preference } from "../base/preferences.js";
import { later, laterStyles } from "../later/load.js";
import { LaterCommandLine } from "../later/stand-ins.js";
import { wireDiffTab } from "./diff-tab.js";
import { Panel } from "./panel.js";
import { AROUND_MS, CAUSES_MAX } from "./tracks.js";

/** Tabs whose panels need later.css, as does every choice of another part; the server adds it to a page that comes with one of them. */
const STYLED = new Set(["machine", "map", "resources", "scheduling", "diff"]);

/** The details drawer: tabs, and one panel that follows the chosen one. */
export class Drawer {
  /**
   * @param {HTMLElement} element
   * @param {Panel} panel
   * @param {() => void} onChange
   */
  constructor(element, panel, onChange) {
    this.element = element;
    this.panel = panel;
    this.onChange = onChange;
    panel.parts[panel.tab] = /** @type {HTMLElement | null} */ (element.closest("[data-tab-part]"))?.dataset.tabPart || "";
    this.tabs = findAll("[role=tab]", element);
    element.addEventListener("click", (event) => this.clicked(event));
    element.addEventListener("keydown", (event) => this.pressed(event));
    this.mark();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const tab = event.target instanceof Element ? event.target.closest("[role=tab]") : null;
    if (!(tab instanceof HTMLElement) || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    this.choose(tab.dataset.tab || "");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const at = this.tabs.findIndex((tab) => tab === event.target);
    if (at < 0) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
    this.choose(next.dataset.tab || "");
    next.focus();
  }

  /** @param {string} tab */
  choose(tab) {
    if (!this.show(tab)) return;
    // The browser remembers a tab that was chosen, but not one that an address opened.
    setPreference("tab", tab);
    this.panel.load();
    this.onChange();
  }

  /**
   * Open a tab; its panel follows with the next moment.
   * @param {string} tab
   * @returns {boolean} whether there is such a tab
   */
  show(tab) {
    if (!this.tabs.some((item) => item.dataset.tab === tab)) return false;
    this.panel.tab = tab;
    this.mark();
    return true;
  }

  /** @param {string} part  one of the things the tab can show */
  showPart(part) {
    this.panel.parts[this.panel.tab] = part;
    this.mark();
    this.panel.load();
    this.onChange();
  }

  mark() {
    if (STYLED.has(this.panel.tab) || this.panel.part) this.panel.styled = laterStyles();
    for (const tab of this.tabs) {
      const chosen = tab.dataset.tab === this.panel.tab;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (!chosen) continue;
      this.panel.body.setAttribute("aria-labelledby", tab.id);
      intoStrip(tab);
    }
  }
}

/** Scroll the strip of tabs, and nothing else, so that this one is visible: a small screen has no room for all of them. @param {HTMLElement} tab */
function intoStrip(tab) {
  const strip = tab.closest("[role=tablist]");
  if (!strip) return;
  const [{ left, right }, edges] = [tab.getBoundingClientRect(), strip.getBoundingClientRect()];
  if (left < edges.left || right > edges.right) strip.scrollLeft += (left + right - edges.left - edges.right) / 2;
}

/** Rewrite one panel per frame, in turn: all of them in one frame would make the lanes stutter. */
export class Turns {
  /** @param {Panel[]} panels */
  constructor(panels) {
    this.panels = panels;
    this.at = 0;
    this.frame = 0;
  }

  /** @param {boolean} moving  whether time passes by itself */
  follow(moving) {
    for (let left = this.panels.length; left > 0; left -= 1) {
      this.at = (this.at + 1) % this.panels.length;
      if (this.panels[this.at].refresh(moving)) {
        if (left > 1) this.goOn(moving);
        return;
      }
    }
  }

  /** @param {boolean} moving */
  goOn(moving) {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.follow(moving);
    });
  }
}

/**
 * Build the page's panels: those next to the lanes, and that of the drawer.
 * @param {any} page  the RunPage; named without its module, which loads this one
 */
export function buildPanels(page) {
  const { main, playhead, tracks, panelBase: base } = page;
  const { concerns } = page.store;
  const isPast = () => !playhead.live;
  const nearby = (/** @type {number} */ t_ms) => page.narrator?.seqsBetween(t_ms - AROUND_MS, t_ms + AROUND_MS, CAUSES_MAX) ?? [];
  const folding = (/** @type {(LongList: any) => void} */ use) => later().then(({ LongList }) => use(LongList), () => {});
  const moment = () => ({ seq: playhead.seq, t_ms: playhead.t_ms, sel: page.sel, rec: page.rec });
  page.panels = findAll("[data-panel]", main).map((body) => new Panel(body, body.dataset.panel || "", { base, concerns, tracks, isPast, moment }));
  const why = () => ({ ...moment(), rec: page.rec || (page.drawer?.panel.tab === "why" && page.followsNarrator() ? (page.narrator?.shown_seq ?? 0) : 0) });
  const element = find("#drawer", main);
  const body = find("#drawer-body", main);
  if (!element || !body) return;
  const panel = new Panel(body, main.dataset.tab || "why", { base, concerns, tracks, isPast, nearby, folding, moment: why });
  page.drawer = new Drawer(element, panel, () => page.writeState());
  // What this browser had open last, unless the address or the link asks for something.
  const asks = page.opening_ms !== null || new URLSearchParams(location.search).has("tab") || main.classList.contains("run--landing");
  // The server has rendered the tab of the address; this one is fetched with the first moment.
  if (!asks) page.drawer.show(preference("tab") ?? "");
  page.panels.push(panel);
  wireDiffTab(element, panel, page.drawer.onChange);
  page.commandLine = new LaterCommandLine(element, panel, page);
}
