// @ts-check
/**
 * The comparison page: one playhead and one ruler for two runs, aligned at a moment of each.
 *
 * The page's time is that of the run whose zero comes later, so that it is never negative; each side lags behind it.
 */

import { find, findAll, jsonBlock } from "../base/dom.js";
import { clockText, secondsText } from "../base/format.js";
import { wireKeys } from "../keys/bindings.js";
import { openHelp, showKeys } from "../keys/sheet.js";
import { isInteresting, isVisible } from "../lanes/record-store.js";
import { Playhead } from "../playback/playhead.js";
import { wireActions } from "../playback/transport.js";
import { BothViews } from "./both-views.js";
import { BranchHandle } from "./branch-handle.js";
import { Details } from "./details.js";
import { KEYS } from "./keys.js";
import { Side } from "./side.js";
import { Strip } from "./strip.js";

export class ComparePage {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
    this.facts = jsonBlock("compare");
    this.query = new URLSearchParams(location.search);
    this.origin_ms = Math.max(...this.facts.sides.map((/** @type {any} */ side) => side.zero_ms));
    this.sel = this.query.get("sel") || "";
    this.described = "";
    const page = this;
    const clock = { now: () => page.end_ms, get running() { return (page.sides ?? []).some((side) => side.clock.running); } };
    this.playhead = new Playhead(this.moments(), clock);
    // Two runs have no common present: the newest moment of either is the end.
    this.playhead.recorded = true;
    this.sides = findAll(".compare__side", main).map((element, place) => new Side(element, this.facts.sides[place], this));
    this.active = this.sides[0];
    this.strip = new Strip(/** @type {HTMLElement} */ (find("[data-strip]", main)), this);
    this.handles = this.sides.filter((side) => side.facts.move).map((side) => new BranchHandle(side, this));
    this.parts = new Details(main, this);
    this.fitted = false;
    this.view = new BothViews(this);
    this.high = 0;
  }

  /** Both stores as one, in the page's time. */
  moments() {
    const page = this;
    return {
      seqAt: (/** @type {number} */ t_ms) => page.sides.reduce((sum, side) => sum + side.store.seqAt(t_ms - side.lag_ms), 0),
      get head_ms() {
        return Math.max(0, ...(page.sides ?? []).map((side) => side.store.head_ms + side.lag_ms));
      },
    };
  }

  /** The newest moment of either run. */
  get end_ms() {
    return Math.max(0, ...(this.sides ?? []).map((side) => side.playhead.end_ms + side.lag_ms));
  }

  /** How much later a moment of a run is on the page. @param {any} facts */
  lagOf(facts) {
    return this.origin_ms - facts.zero_ms;
  }

  start() {
    wireActions(document.body, this.actions());
    wireKeys(this.main, this.actions());
    showKeys(KEYS);
    this.wire();
    this.parts.placeObject();
    this.playhead.onFrame(() => this.frame());
    for (const side of this.sides) side.start();
    const asked = this.query.get("t");
    this.isAsked = asked !== null && Number.isFinite(Number(asked));
    if (this.isAsked) this.target_ms = Number(asked) * 1000 + this.origin_ms;
    else this.target_ms = this.strip.first_ms === null ? null : this.strip.first_ms + this.origin_ms;
  }

  /** If the logs were still on their way when the page was opened, go to the first difference now, unless the reader has moved. */
  differenceTold() {
    const { first_ms } = this.strip;
    if (this.isAsked || this.target_ms !== null || first_ms === null || !this.view.wasThere(first_ms + this.origin_ms)) return;
    this.target_ms = first_ms + this.origin_ms;
    if (this.playhead.live) this.playhead.seek(this.target_ms);
  }

  wire() {
    for (const side of this.sides) {
      const other = /** @type {Side} */ (this.sides.find((each) => each !== side));
      const { timeline } = side;
      timeline.element.addEventListener("focusin", () => (this.active = side));
      timeline.element.addEventListener("pointerdown", () => (this.active = side));
      timeline.body.addEventListener("scroll", () => (other.timeline.body.scrollTop = timeline.body.scrollTop), { passive: true });
      timeline.stage.addEventListener("pointermove", () => this.hover(other, timeline.hover_ms === null ? null : timeline.hover_ms + side.lag_ms));
      timeline.stage.addEventListener("pointerleave", () => this.hover(other, null));
    }
    this.main.addEventListener("click", (event) => this.clicked(event));
    find("[data-align] select", this.main)?.addEventListener("change", (event) => this.align(/** @type {HTMLSelectElement} */ (event.target).value));
  }

  /** @param {Side} side @param {number | null} t_ms  in the page's time */
  hover(side, t_ms) {
    side.timeline.hover_ms = t_ms === null ? null : Math.max(0, t_ms - side.lag_ms);
    side.timeline.touch();
  }

  /** @returns {Record<string, () => void>} */
  actions() {
    const lanes = () => this.active.timeline;
    const then = (/** @type {() => void} */ step) => () => {
      step();
      this.reveal();
    };
    return {
      play: () => this.play(),
      first: then(() => this.playhead.seek(0)),
      last: then(() => this.playhead.goLive()),
      next: then(() => this.step(1, isVisible)),
      prev: then(() => this.step(-1, isVisible)),
      nextInteresting: then(() => this.strip.jump(1)),
      previousInteresting: then(() => this.strip.jump(-1)),
      nextDifference: then(() => this.strip.jump(1)),
      secondOn: then(() => this.playhead.seek(this.playhead.t_ms + 1000)),
      secondBack: then(() => this.playhead.seek(this.playhead.t_ms - 1000)),
      tenOn: then(() => this.playhead.seek(this.playhead.t_ms + 10_000)),
      tenBack: then(() => this.playhead.seek(this.playhead.t_ms - 10_000)),
      zoomIn: () => lanes().zoom(0.7),
      zoomOut: () => lanes().zoom(1 / 0.7),
      panLeft: () => lanes().pan(-0.15),
      panRight: () => lanes().pan(0.15),
      fit: () => this.view.fit(),
      centre: () => lanes().navigator.centre(),
      foldAll: () => this.sides.forEach((side) => side.timeline.choices.foldAll()),
      sortLanes: () => this.sides.forEach((side) => side.timeline.choices.sortLanes()),
      table: () => lanes().grid.toggle(),
      laneUp: () => lanes().navigator.lane(-1),
      laneDown: () => lanes().navigator.lane(1),
      spanNext: () => lanes().navigator.span(1),
      spanPrevious: () => lanes().navigator.span(-1),
      selectFocused: () => lanes().navigator.select(),
      map: () => this.otherSide(), // C: there is no map here
      alignChosen: () => this.alignChosen(),
      branch: () => this.handles[0]?.focus(), // B: moves the branch point
      help: () => openHelp(),
      escape: () => this.selected(this.active, this.sel, 0),
    };
  }

  play() {
    const { playhead } = this;
    if (playhead.replaying) playhead.freeze();
    else {
      if (playhead.live || playhead.t_ms >= playhead.end_ms) playhead.seek(0);
      playhead.replay();
    }
    find('[data-do="play"]', this.main)?.setAttribute("aria-pressed", String(playhead.replaying));
  }

  /** Go to the next or previous instant at which something was recorded in either run. @param {1 | -1} way @param {(record: any) => boolean} wanted */
  step(way, wanted = isInteresting) {
    const { t_ms } = this.playhead;
    const found = this.sides.map((side) => {
      const at = way > 0 ? side.store.nextInstant(t_ms - side.lag_ms, wanted) : side.store.previousInstant(t_ms - side.lag_ms, wanted);
      return at === null ? null : at + side.lag_ms;
    });
    const moments = /** @type {number[]} */ (found.filter((at) => at !== null));
    if (moments.length) this.playhead.seek(way > 0 ? Math.min(...moments) : Math.max(...moments));
    else if (way > 0) this.playhead.goLive();
    else this.playhead.seek(0);
  }

  otherSide() {
    const other = /** @type {Side} */ (this.sides.find((side) => side !== this.active));
    other.timeline.element.focus();
  }

  reveal() {
    for (const side of this.sides) side.timeline.reveal(side.playhead.t_ms);
  }

  /** One side was zoomed or panned: the other shows the same stretch. @param {Side} side */
  looked(side) {
    const other = this.sides?.find((each) => each !== side);
    // Until both sides have records their views are still being set up.
    if (!other || !this.fitted) return;
    other.follow(side);
    this.strip.invalidate();
    this.writeState();
  }

  /** @param {Side} side @param {string} sel @param {number} rec */
  selected(side, sel, rec) {
    this.sel = sel;
    for (const each of this.sides) each.show(sel, each === side ? rec : each.rec && rec ? each.rec : 0);
    const chosen = /** @type {HTMLButtonElement | null} */ (find('[data-do="alignChosen"]', this.main));
    if (chosen) chosen.disabled = this.sides.some((each) => !each.rec);
    this.parts.fetchObject();
    this.writeState();
  }

  /** Records have arrived. */
  received() {
    if (this.sides.length < 2) return;
    this.playhead.changed();
    if (this.sides.some((side) => side.store.headSeq === 0)) return;
    if (!this.fitted) this.opened();
    else this.view.grown();
    this.parts.fetchResults();
  }

  opened() {
    this.fitted = true;
    // Each has to know its width before a stretch can be fitted into both.
    for (const side of this.sides) side.timeline.draw(false);
    this.view.open();
    if (this.target_ms !== null) this.playhead.seek(this.target_ms ?? 0);
    const [pod] = this.sides[0].store.lanes.pods.keys();
    if (!this.sel && pod) this.sel = `pod/${pod}`;
    for (const side of this.sides) side.show(this.sel, 0);
    this.parts.fetchObject();
    this.playhead.onFrame(() => (document.documentElement.dataset.ready = "compare"));
    this.playhead.changed();
  }

  frame() {
    const { t_ms } = this.playhead;
    const words = this.momentText(t_ms);
    if (words !== this.described) {
      this.described = words;
      const place = find("[data-time]", this.main);
      if (place) place.textContent = words;
      find('[data-do="play"]', this.main)?.setAttribute("aria-pressed", String(this.playhead.replaying));
      if (!this.playhead.replaying) this.parts.fetchObject();
      if (this.fitted) this.writeState();
    }
    this.strip.place();
    this.stretch();
    for (const handle of this.handles) handle.place();
  }

  /** As high as the lanes need, and no higher. */
  stretch() {
    const high = Math.max(0, ...this.sides.map(({ timeline: { rows } }) => (rows.length ? rows[rows.length - 1].y + rows[rows.length - 1].h : 0)));
    if (high === this.high) return;
    this.high = high;
    find(".compare__stage", this.main)?.style.setProperty("--lanes-high", `${high + 14}px`);
  }

  /** A moment of the page as its ruler shows it. @param {number} t_ms */
  momentText(t_ms) {
    const after_ms = t_ms - (this.facts.is_aligned ? this.origin_ms : 0);
    return `${this.facts.is_aligned && after_ms > 0 ? "+" : ""}${clockText(after_ms)}`;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-at], [data-compare-select], [data-diff-noise], [data-show]") : null;
    if (!(target instanceof HTMLElement)) return;
    const { at, zero, compareSelect, diffNoise, show } = target.dataset;
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (at !== undefined) {
      event.preventDefault();
      this.playhead.seek(Number(at) - Number(zero || 0) + this.origin_ms);
      this.reveal();
    }
    if (compareSelect) this.selected(this.active, compareSelect, 0);
    if (diffNoise !== undefined) {
      this.parts.choose(diffNoise === "1");
    }
    if (show !== undefined) {
      event.preventDefault();
      if (show) this.query.set("show", show);
      else this.query.delete("show");
      this.parts.results();
    }
  }

  /** @param {string} name */
  align(name) {
    const query = new URLSearchParams({ align: name });
    location.assign(`${location.pathname}?${query}`);
  }

  alignChosen() {
    const [a, b] = this.sides.map((side) => side.rec);
    if (a && b) location.assign(`${location.pathname}?${new URLSearchParams({ a: String(a), b: String(b) })}`);
  }

  writeState() {
    this.main.dataset.playhead = String(Math.round(this.playhead.t_ms - this.origin_ms));
    this.main.dataset.currentSel = this.sel;
    this.main.dataset.view = this.sides.map((side) => side.timeline.viewport.range()).join(" ");
    if (this.playhead.moving) return;
    const query = new URLSearchParams(location.search);
    // A reader who came without a moment and sees the newest one has not chosen it: a difference may still come.
    if (this.isAsked || !this.playhead.live || this.target_ms !== null) query.set("t", secondsText(this.playhead.t_ms - this.origin_ms));
    if (this.sel) query.set("sel", this.sel);
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
  }
}
