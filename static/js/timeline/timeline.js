// @ts-check
/**
 * The timeline: puts rows, layers, labels, pointer and card together. It draws only when something has changed.
 *
 * A picture of a few hundred lanes over hours, which follows a moving present, is too much for DOM elements; it is painted on canvases.
 * Three lie over each other, by how often they change: `base` has rows, bars and marks, and changes when records come or the view moves;
 * `top` has playhead, selection, hover line and outlines, and changes with each frame; `ruler` has the ticks. Names of lanes are elements,
 * as are the search, the card and the tools: they are read, focused and translated.
 *
 * A frame is made only in `draw`, in this order:
 *   layout        new rows if the lanes or the view have another version; sizes as last measured; which rows are on screen
 *   viewport      follow the present if Live is followed; one step of any animation that is under way
 *   paintBase     only if something on it can look different (Drawn.isBehind)
 *   paintTop      always
 *   the rest      strip of the whole run, labels, nearest acts, the stretch on screen for the address
 *
 * Within a frame, nothing may ask for the layout of the page after changing it: that would force a layout in the middle of the frame. Sizes
 * come from observers (Measured in drawn.js).
 *
 * To have something redrawn, call `invalidate` (the lanes look different) or `touch` (only the top layer does). Both merely request a
 * frame; any number of calls make one.
 *
 * What is shown is in three objects, each with its own rules, and all of them are in the address: Viewport is the stretch of time, View is
 * which lanes there are and in which order, and the selection belongs to the page. Layout comes before drawing: rows.js, bar-layout.js and
 * mark-layout.js are pure and say where everything is, the painters (painter.js, bars.js, marks.js) draw it, and hits.js looks in the same
 * boxes for what is under the pointer, so that a click hits what is visible. Exports use the same painters.
 */

import { setHidden, prefersReducedMotion, textScale } from "../base/dom.js";
import { preference } from "../base/preferences.js";
import { rove, wireRoving } from "../base/roving.js";
import { onThemeChange } from "../base/theme.js";
import { passed } from "../lanes/gone.js";
import { LaterLight } from "../later/light.js";
import { LaterCard, laterFolded, LaterGestures, LaterGrid, LaterSearch } from "../later/stand-ins.js";
import { ActBar } from "./act-bar.js";
import { Choices } from "./choices.js";
import { Clocks } from "./clocks.js";
import { Drawn, Measured, overlayState, rulerState } from "./drawn.js";
import { showFirst } from "./first-view.js";
import { hitAt } from "./hits.js";
import { Labels } from "./labels.js";
import { Minimap } from "./minimap.js";
import { Navigator } from "./navigator.js";
import { Notes } from "./notes.js";
import { paintOverlay } from "./overlay.js";
import { paintBase } from "./painter.js";
import { Palette } from "./palette.js";
import { buildParts, showEmpty, showPill } from "./parts.js";
import { stick } from "./pins.js";
import { Pointer } from "./pointer.js";
import { buildRows, rowAt, visibleRows } from "./rows.js";
import { paintRuler } from "./ruler.js";
import { laneOf, selectedOn } from "./selection.js";
import { Spoken } from "./spoken.js";
import { Stretch } from "./stretch.js";
import { buildTools, showTools } from "./tools.js";
import { View } from "./view.js";
import { Viewport } from "./viewport.js";

const RULER_H = 32;
/** At most this much time without a record is left in the picture. */
const EMPTY_MS = 60_000;

export class Timeline {
  /**
   * @param {HTMLElement} element
   * @param {{ store: any, playhead: any, clock: any, panelBase: string, select: (sel: string, rec: number) => void, actOn: (sel: string, point: { x: number, y: number }, lane: string) => void, looked: () => void, isSilent?: boolean, ghost: any, follows?: boolean, lanesHeight: { fit: (height: number, isAsked: boolean) => void }, main?: HTMLElement, tracks?: import("../panels/tracks.js").Tracks }} run
   */
  constructor(element, run) {
    this.element = element;
    this.run = run;
    this.viewport = new Viewport();
    this.palette = new Palette();
    this.view = new View(matchMedia("(max-width: 47.999em)").matches, preference("density"), textScale);
    this.rows = /** @type {any[]} */ ([]);
    this.groups = /** @type {Map<string, any[]>} */ (new Map());
    this.targets = /** @type {Map<string, any[]>} flags and exit tags by lane id */ (new Map());
    this.rowsKey = this.range = this.focus = this.opened_for = ""; // opened_for: the pod that was selected when rows were last built
    this.lanesVersion = -1;
    /** @type {(() => void)[]} callbacks that position elements over the lanes in every frame */
    this.overlays = [];
    /** @type {((hit: any, item: any, point: { x: number, y: number }) => void) | null} receives clicks instead of the card */
    this.picker = null;
    this.fold = /** @type {{ y: number, h: number, count: number } | null} */ (null);
    this.selected = /** @type {{ lane: string, seq: number, t0: number, t1: number } | null} */ (null);
    this.hover_ms = /** @type {number | null} */ (null);
    this.frame = this.drawnAt = this.turn = 0; // turn: how many times the set of pods that are gone had changed
    this.drawn = new Drawn();
    this.dirty = true;
    this.size = /** @type {import("./drawn.js").Sizes} */ ({ width: 0, height: 0, labels: 0, top: 0, map: { width: 0, height: 0 } });
    this.visible = /** @type {any[]} rows on screen */ ([]);
    this.stuck = 0; // px taken by pinned lanes that stay
    const parts = buildParts(run.playhead.recorded);
    this.corner = parts.corner;
    this.head = parts.head;
    this.stage = parts.stage;
    this.content = parts.content;
    this.body = parts.body;
    this.pill = parts.pill;
    this.empty = parts.empty;
    this.legend = parts.legend;
    this.base = parts.base;
    this.top = parts.top;
    this.ruler = parts.ruler;
    this.clock = new Clocks(1000 * Number(run.main?.dataset.epoch || 0));
    this.choices = new Choices(this);
    this.search = new LaterSearch(this);
    this.stretch = new Stretch(this);
    this.notes = new Notes(this, run.main?.dataset.run ?? "");
    this.minimap = new Minimap(this);
    this.build();
    this.labels = new Labels(this.content, this);
    this.card = new LaterCard(this.element, this.run);
    this.pointer = new Pointer(this);
    this.light = new LaterLight(this);
    this.navigator = new Navigator(this);
    this.bar = run.panelBase ? new ActBar(this, run.panelBase) : null;
    this.grid = new LaterGrid(this);
    this.spoken = new Spoken(this);
    this.element.append(this.grid.element, this.spoken.element);
    this.gestures = new LaterGestures(this);
    this.measured = new Measured(this);
    this.watch();
  }

  build() {
    this.element.replaceChildren(this.search.element, this.minimap.element, this.corner, this.head, this.body, this.pill, this.empty, this.legend, this.stretch.element, this.notes.element);
    this.head.append(this.notes.flags);
    buildTools(this.corner, Boolean(this.run.main?.dataset.parentRecords));
    rove(this.element);
    wireRoving(this.corner);
  }

  watch() {
    onThemeChange(() => {
      for (const styled of [this.palette, this.view]) styled.read();
      this.invalidate();
    });
    this.run.playhead.onFrame(() => this.draw(true));
    this.run.playhead.grain = () => this.viewport.msPerPx / (window.devicePixelRatio || 1);
  }

  /** Draw in the next frame. */
  invalidate() {
    this.dirty = true;
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw(false));
  }

  /** Only the top layer changed. */
  touch() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw(false));
  }

  /** @param {boolean} fromClock */
  draw(fromClock) {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (this.run.isSilent) return;
    const now = performance.now();
    const { playhead } = this.run;
    this.layout();
    // Only Live moves the view; in the past it stands still, except for a replay that would run out of it.
    if (playhead.live) this.dirty = this.viewport.keep(playhead.t_ms, playhead.end_ms) || this.dirty;
    else if (playhead.replaying) this.viewport.reveal(playhead.t_ms);
    const moving = this.viewport.animate(prefersReducedMotion() ? Infinity : Math.min(64, now - this.drawnAt));
    this.drawnAt = now;
    // Frames requested by `touch` changed only the top layer.
    const isBehind = fromClock && this.drawn.isBehind(this);
    if (this.dirty || moving || isBehind) this.paintBase();
    this.paintTop();
    // Within one frame the strip of the whole run changes by less than a pixel.
    if (this.drawn.mapIsDue(now, playhead.moving && !this.dirty)) this.minimap.paint(this.size.map);
    this.labels.show(playhead.t_ms, this.size);
    this.bar?.place();
    this.tellRange();
    this.dirty = false;
    if (moving) this.invalidate();
  }

  /** The page keeps the stretch on screen in its address. */
  tellRange() {
    const range = this.viewport.range();
    if (range === this.range) return;
    this.range = range;
    this.run.looked();
  }

  /** Rows, sizes and labels, if they changed. */
  layout() {
    const { lanes } = this.run.store;
    this.view.futures = this.view.isOldShown ? this.run.ghost : null;
    const turn = this.run.panelBase ? passed(lanes.turns, this.run.playhead.t_ms) : 0;
    const key = `${lanes.version}|${this.view.version}|${this.view.futures?.follow() ?? ""}|${turn}`;
    if (key !== this.rowsKey) {
      // The lanes are the same and yet the rows differ: then the reader has changed the view.
      const isAsked = this.rowsKey !== "" && lanes.version === this.lanesVersion && turn === this.turn;
      this.turn = turn;
      this.rowsKey = key;
      this.lanesVersion = lanes.version;
      this.layoutRows(isAsked);
    }
    if (!this.rows.length) showEmpty(this.empty, this.run);
    this.size = this.measured.sizes();
    const { width, height, top } = this.size;
    this.stage.style.setProperty("height", `${height}px`);
    this.viewport.resize(width);
    this.viewport.origin_ms = this.clock.origin_ms;
    this.base.resize(width, height);
    this.top.resize(width, height);
    this.ruler.resize(width, RULER_H);
    this.stuck = stick(this.rows, top, height);
    this.visible = visibleRows(this.rows, top, top + height);
  }

  /** @param {boolean} isAsked  whether the visitor changed which lanes are shown */
  layoutRows(isAsked) {
    const { lanes } = this.run.store;
    this.view.adapt(lanes.pods.size);
    laterFolded(this);
    this.view.readGone(lanes, this.turn ? this.run.playhead.t_ms : -1);
    const chosen = this.run.follows ? "" : (lanes.byId.get(this.focus)?.pod ?? "");
    // A pod that the reader selected is shown even if it is gone, until the reader closes the fold; a selection made by the page itself
    // does not open the fold.
    if (this.view.gone.has(chosen) && chosen !== this.opened_for) this.view.isGoneOpen = true;
    this.opened_for = chosen;
    const { rows, height, fold } = buildRows(lanes, this.view);
    this.rows = rows;
    this.fold = fold;
    const room = this.body.clientHeight;
    const others = this.element.clientHeight - room - this.stretch.element.offsetHeight;
    this.palette.need();
    this.run.lanesHeight.fit(height + others, isAsked);
    this.content.style.setProperty("height", `${Math.max(height, room)}px`);
    this.measured.forget();
    this.labels.reset();
    this.spoken.refresh();
    this.empty.hidden = rows.length > 0;
    showTools(this.corner, { sorted: this.view.order !== null, folded: this.view.folded && !this.view.turned.size, old: this.view.isOldShown, density: this.view.nextDensity, pins: this.view.pins.length });
  }

  pen(/** @type {any} */ layer) {
    return { context: layer.begin(), palette: this.palette, viewport: this.viewport, end_ms: this.run.playhead.end_ms, imported_ms: this.run.store.lanes.imported_ms };
  }

  paintBase() {
    const finished = !this.run.clock.running;
    // Sets `groups` and `targets`: what was drawn where, for the pointer.
    Object.assign(this, paintBase(this.pen(this.base), this.visible, this.size.top, this.base.height, { finished, ghost: this.run.ghost }));
  }

  paintTop() {
    const { playhead } = this.run;
    const state = overlayState(this);
    setHidden(this.legend, state.imported_ms === null);
    const pen = this.pen(this.top);
    // First: it dims the layer and clears holes, so that everything after it is on top.
    this.light.paint(pen, this.size.top, this.top.height);
    this.gestures.made?.frame(pen);
    paintOverlay(pen, this.visible, this.size.top, this.top.height, state);
    paintRuler(this.pen(this.ruler), RULER_H, rulerState(this));
    this.notes.paint();
    for (const show of this.overlays) show();
    showPill(this.pill, playhead, this.viewport, this.run.ghost);
  }

  /** @param {number} clientY  on the screen */
  rowAtClient(clientY) {
    return rowAt(this.rows, clientY - this.content.getBoundingClientRect().top);
  }

  pick(/** @type {number} */ x, /** @type {number} from the stage's top */ y) {
    return hitAt(this, x, y);
  }

  /**
   * Show a selection made anywhere on the page.
   * @param {string} subject
   * @param {number} rec
   */
  showSelection(subject, rec) {
    const lane = laneOf(this.run.store, subject, rec);
    if (lane && !this.run.follows && this.view.gone.has(lane.pod)) this.view.showGone(true);
    this.selected = lane ? selectedOn(lane, rec) : null;
    this.focus = lane ? lane.id : "";
    if (this.selected && this.clock.kind === "selection" && this.clock.zero_ms !== this.selected.t0) {
      this.clock.zero_ms = this.selected.t0;
      this.invalidate();
    }
    this.labels.mark(this.focus);
    this.light.show(rec);
    this.touch();
  }

  /** @param {number} t_ms */
  reveal(t_ms) {
    this.viewport.reveal(t_ms);
    this.dirty ||= this.viewport.aim !== null; // if it is on screen already, as in most steps of the scrubber, the lanes stay as drawn
    this.touch();
  }

  /** @param {number} factor  zooms around the pointer if it is over the lanes, else around the playhead */
  zoom(factor) {
    const x = this.hover_ms === null ? this.viewport.xOf(this.run.playhead.t_ms) : this.viewport.xOf(this.hover_ms);
    this.viewport.zoomAt(factor, Math.min(this.viewport.width, Math.max(0, x)));
    this.invalidate();
  }

  /** @param {number} share  of the width */
  pan(share) {
    this.viewport.panBy(this.viewport.width * share);
    this.invalidate();
  }

  /** Fit everything that happened, without the empty time after it; if the run has only just gone on, the view grows with it. */
  fit() {
    const { store, playhead } = this.run;
    if (this.isEmptyAfter()) this.viewport.fitPast(store.active_ms);
    else this.viewport.fitAll(playhead.end_ms);
    this.invalidate();
  }

  /** Whether a view of the whole run would mostly show time in which nothing happened. */
  isEmptyAfter() {
    const { store, playhead } = this.run;
    return playhead.end_ms > 1.5 * store.active_ms + EMPTY_MS;
  }

  /** What a page shows first: where something happened. */
  opened() {
    showFirst(this);
  }

  /** The view follows the playhead again. */
  follow() {
    this.viewport.follow = true;
    if (!this.viewport.auto) this.viewport.reveal(this.run.playhead.end_ms);
    this.invalidate();
  }

  /** Scroll the lane of the selection onto the screen. */
  showLane() {
    this.layout();
    this.navigator.reveal();
    this.invalidate();
  }
}
