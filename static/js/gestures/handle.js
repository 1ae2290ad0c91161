// @ts-check
/** The handle itself: which hold it is at while it is not in use, and where on the screen. */

import { make } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { isCovered } from "../timeline/pins.js";
import { parseSubject, shortPod } from "../wire/record.js";
import { holdAt } from "./holds.js";

/** A probe's attempt is grabbed within this distance. */
const REACH_PX = 14;
/** Half of its drawn size, with an edge. */
const SIGN_PX = 6;
/** Distance from the right edge to the act icons, and how near the pointer must come to a handle that lies over them. */
const BAR_GAP_PX = 24;
const BAR_NEAR_PX = 36;

/** @typedef {import("./holds.js").Hold} Hold */

export class Handle {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.hovered = "";
    this.isOver = false;
    this.element = make("div", { class: "hold", role: "slider", tabindex: "-1", "aria-orientation": "horizontal", hidden: true });
    timeline.content.append(this.element);
    this.element.addEventListener("pointerenter", () => this.over(true));
    this.element.addEventListener("pointerleave", () => this.over(false));
    for (const name of ["contextmenu", "dblclick"]) this.element.addEventListener(name, (event) => event.stopPropagation());
    timeline.content.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.hover(event));
    timeline.content.addEventListener("pointerleave", () => (this.hovered = ""));
  }

  /** The handle stays while the pointer is on it, though the pointer is not on the lane then. @param {boolean} isOver */
  over(isOver) {
    this.isOver = isOver;
    if (isOver) this.timeline.card.hide();
  }

  /** @param {PointerEvent} event */
  hover(event) {
    if (event.pointerType === "touch" || event.target === this.element) return;
    this.hovered = this.timeline.rowAtClient(event.clientY)?.lane.id ?? "";
  }

  /** The hold that would be grabbed: of the lane under the pointer, else of the focused one. @returns {Hold | null} */
  nearest() {
    const { viewport, rows, hover_ms, focus, selected, run } = this.timeline;
    const { end_ms, t_ms: shown_ms } = run.playhead;
    const isHovered = this.hovered !== "" && hover_ms !== null;
    const row = rows.find((/** @type {any} */ each) => each.lane.id === (isHovered ? this.hovered : focus));
    if (!row) return null;
    const t_ms = isHovered ? hover_ms : selected && selected.lane === focus ? Math.min(selected.t0, end_ms) : shown_ms;
    return holdAt(run.store, row.lane, t_ms, { end_ms, reach_ms: isHovered ? REACH_PX * viewport.msPerPx : Infinity });
  }

  /**
   * Move to a moment of a hold's lane.
   * @param {Hold | null} hold
   * @param {number} t_ms
   * @param {boolean} isHeld  if so, it is shown wherever it is
   * @returns {boolean} whether it is visible
   */
  place(hold, t_ms, isHeld) {
    const { viewport, rows, labels } = this.timeline;
    const row = hold && rows.find((/** @type {any} */ each) => each.lane.id === hold.lane);
    const x = viewport.xOf(t_ms);
    this.element.hidden = !row || !(isHeld || (x >= 0 && x <= viewport.width && !this.isInTheWay(x) && !isCovered(rows, row)));
    if (!hold || this.element.hidden) return false;
    this.element.dataset.kind = hold.kind;
    this.element.style.setProperty("left", `${labels.width() + Math.round(Math.min(Math.max(x, 0), viewport.width))}px`);
    this.element.style.setProperty("top", `${Math.round(row.y + row.h / 2)}px`);
    return true;
  }

  /**
   * Beside its sign the handle lies over labels and flags: a click there means those.
   * @param {PointerEvent} event
   * @param {Hold} hold
   * @returns {{ x: number, y: number } | null} the point on the lanes
   */
  meant(event, { kind, at_ms }) {
    const { pointer, viewport, run } = this.timeline;
    const point = pointer.point(event);
    const x = viewport.xOf(Math.min(at_ms, run.playhead.end_ms));
    return kind !== "tick" && Math.abs(point.x - x) > SIGN_PX && this.timeline.pick(point.x, point.y)?.marks ? point : null;
  }

  /** Over the act icons it shows only when the pointer comes near it. @param {number} x */
  isInTheWay(x) {
    const { bar, viewport, hover_ms } = this.timeline;
    if (!this.hovered || hover_ms === null || !bar || bar.element.hidden) return false;
    return x > viewport.width - bar.element.offsetWidth - BAR_GAP_PX && Math.abs(viewport.xOf(hover_ms) - x) > BAR_NEAR_PX;
  }

  /** @param {Hold} hold */
  name(hold) {
    const { pod, container, name } = parseSubject(hold.subject);
    const words = text(`gesture.${hold.kind}`, { name: hold.kind === "deadline" ? shortPod(pod) : hold.kind === "tick" ? name : container });
    if (this.element.title === words) return;
    this.element.title = words;
    this.element.setAttribute("aria-label", words);
  }

  /**
   * Announce its position to screen readers.
   * @param {Hold} hold
   * @param {number} t_ms
   * @param {string} words
   */
  announcePosition(hold, t_ms, words) {
    const values = { "aria-valuemin": hold.min_ms, "aria-valuemax": Math.round(hold.max_ms), "aria-valuenow": t_ms, "aria-valuetext": words };
    for (const [name, value] of Object.entries(values)) this.element.setAttribute(name, String(value));
  }
}
