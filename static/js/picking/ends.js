// @ts-check
/** The ends of a pick on the lanes: each can be dragged, or moved with the arrow keys, and is shown on its record's lane. */

import { setHidden, make } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { laneOf } from "../timeline/selection.js";

/** @typedef {import("./kept.js").Pick} Pick */
/** @typedef {{ field: "within_ms" | "from_ms" | "until_ms", pick: Pick }} End */

const STEP_MS = 1000;
const FINE_MS = 100;
const FAR_MS = 10_000;
/** The maximum length of a level. */
const MOST_MS = 7_200_000;
const STEPS = /** @type {Record<string, number>} */ ({ ArrowRight: STEP_MS, ArrowUp: STEP_MS, ArrowLeft: -STEP_MS, ArrowDown: -STEP_MS, PageUp: FAR_MS, PageDown: -FAR_MS });
const TOP_PX = 14;

/** The moment of an end. @param {End} end */
export function momentOf({ field, pick }) {
  return field === "within_ms" ? pick.at_ms + pick.within_ms : pick[field];
}

/** Move an end to a moment, as near as its pick allows. @param {End} end @param {number} t_ms */
export function moveTo({ field, pick }, t_ms) {
  const tenth = (/** @type {number} */ ms) => Math.round(Math.max(0, Math.min(ms, MOST_MS)) / FINE_MS) * FINE_MS;
  if (field === "within_ms") pick.within_ms = Math.max(FINE_MS, tenth(t_ms - pick.at_ms));
  else if (field === "from_ms") pick.from_ms = Math.min(tenth(t_ms), pick.until_ms);
  else pick.until_ms = Math.max(tenth(t_ms), pick.from_ms);
}

/** The ends of a pick. @param {Pick} pick @returns {End[]} */
export function endsOf(pick) {
  if (pick.do === "within") return [{ field: "within_ms", pick }];
  return pick.do === "holds" ? [{ field: "from_ms", pick }, { field: "until_ms", pick }] : [];
}

export class PickEnds {
  /** @param {any} timeline @param {{ moving: (pick: Pick) => void, moved: (pick: Pick) => void }} wishes */
  constructor(timeline, wishes) {
    this.timeline = timeline;
    this.wishes = wishes;
    this.element = make("div", { class: "pick-ends" });
    timeline.stage.append(this.element);
    /** @type {{ end: End, handle: HTMLElement }[]} */
    this.shown = [];
    this.timer = 0;
    timeline.overlays.push(() => this.place());
  }

  /** @param {Pick | null} pick */
  show(pick) {
    const ends = pick ? endsOf(pick) : [];
    if (ends.length && ends.length === this.shown.length && ends.every(({ field, pick: own }, n) => this.shown[n].end.field === field && this.shown[n].end.pick === own)) {
      this.place();
      return;
    }
    this.shown = ends.map((end) => ({ end, handle: this.handleOf(end) }));
    this.element.replaceChildren(...this.shown.map(({ handle }) => handle));
    this.place();
  }

  /** @param {End} end */
  handleOf(end) {
    const handle = make("div", { class: "pick-end", role: "slider", tabindex: "0", "aria-orientation": "horizontal", "aria-label": text(`pick.end_${end.field.replace("_ms", "")}`), "aria-valuemin": "0", "aria-valuemax": String(MOST_MS), "data-end": end.field });
    handle.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      if (event.button !== 0) return;
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      handle.focus({ preventScroll: true });
    });
    handle.addEventListener("pointermove", (event) => {
      event.stopPropagation();
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { viewport, stage } = this.timeline;
      this.move(end, viewport.tOf(event.clientX - stage.getBoundingClientRect().left));
    });
    handle.addEventListener("pointerup", (event) => {
      event.stopPropagation();
      if (!handle.hasPointerCapture(event.pointerId)) return;
      handle.releasePointerCapture(event.pointerId);
      this.wishes.moved(end.pick);
    });
    for (const name of ["dblclick", "contextmenu", "click"]) handle.addEventListener(name, (event) => event.stopPropagation());
    handle.addEventListener("keydown", (event) => this.keyed(event, end));
    return handle;
  }

  /** @param {KeyboardEvent} event @param {End} end */
  keyed(event, end) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.timeline.element.focus({ preventScroll: true });
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(end, momentOf(end) + (event.shiftKey ? Math.sign(step) * FINE_MS : step));
    this.timeline.reveal(momentOf(end));
    clearTimeout(this.timer);
    // A key that is held down keeps moving it: the sentence is fetched when it rests.
    this.timer = window.setTimeout(() => this.wishes.moved(end.pick), 300);
  }

  /** @param {End} end @param {number} t_ms */
  move(end, t_ms) {
    moveTo(end, t_ms);
    this.wishes.moving(end.pick);
    this.place();
  }

  /** With every frame: each is placed at its moment, on the lane of its record if that is on screen. */
  place() {
    const { viewport, rows, body, stage, run } = this.timeline;
    for (const { end, handle } of this.shown) {
      const { pick } = end;
      const record = run.store.get(pick.then || pick.seq);
      const lane = record ? laneOf(run.store, record.subject, record.seq) : null;
      const row = rows.find((/** @type {any} */ each) => each.lane.id === lane?.id);
      const y = row ? row.y - body.scrollTop + row.h / 2 : TOP_PX;
      const x = viewport.xOf(momentOf(end));
      setHidden(handle, x < -2 || x > viewport.width + 2);
      handle.style.setProperty("left", `${Math.round(x)}px`);
      handle.style.setProperty("top", `${Math.round(Math.min(Math.max(y, TOP_PX), stage.clientHeight - TOP_PX))}px`);
      const time = end.field === "within_ms" ? `${pick.within_ms / 1000} s` : clockText(momentOf(end));
      if (handle.getAttribute("aria-valuetext") === time) continue;
      handle.setAttribute("aria-valuenow", String(end.field === "within_ms" ? pick.within_ms : momentOf(end)));
      handle.setAttribute("aria-valuetext", time);
    }
  }
}
