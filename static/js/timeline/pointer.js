// @ts-check
/**
 * Mouse, pen and touch on the timeline: hover, select, pan, pinch, wheel, and scrubbing on the ruler.
 *
 * A press becomes a click, a drag, a pinch or, on a touch screen, a long press, and which one is known only later: all of them start the
 * same way, `dragged` says that it can no longer be a click, and `down` holds each finger's last position. Handles of gestures lie above
 * the stage and take their own presses; what arrives here was not on a handle. With Shift, a drag selects a stretch of time instead of
 * moving the lanes.
 */

import { HOLD_MS } from "../later/stand-ins.js";

const SLOP_PX = 4;
const WHEEL_ZOOM = 0.0016;

export class Pointer {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {Map<number, { x: number, y: number }>} */
    this.down = new Map();
    this.dragged = false;
    this.pinch = 0;
    this.held = 0;
    /** @type {number | null} start of the stretch that is being selected */
    this.from_ms = null;
    const { stage, head, body, content } = timeline;
    stage.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.pressed(event));
    stage.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.moved(event));
    stage.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => this.released(event));
    stage.addEventListener("pointercancel", (/** @type {PointerEvent} */ event) => this.down.delete(event.pointerId));
    stage.addEventListener("pointerleave", () => this.left());
    content.addEventListener("contextmenu", (/** @type {MouseEvent} */ event) => this.acted(event));
    stage.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => this.seek(this.point(event).x));
    body.addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.wheeled(event), { passive: false });
    head.addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.wheeled(event), { passive: false });
    head.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.scrubStart(event));
    head.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.scrubMove(event));
  }

  /** @param {MouseEvent} event */
  point(event) {
    const box = this.timeline.stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (event.button !== 0) return;
    this.down.set(event.pointerId, this.point(event));
    this.dragged = false;
    this.pinch = this.spread();
    // A drag that leaves the lanes goes on, and ends wherever it is released.
    this.timeline.stage.setPointerCapture(event.pointerId);
    this.from_ms = event.shiftKey ? this.timeline.viewport.tOf(this.point(event).x) : null;
    clearTimeout(this.held);
    if (event.pointerType === "touch") this.held = window.setTimeout(() => this.acted(event), HOLD_MS);
  }

  /** Open the acts on what is there: right click or long press. @param {MouseEvent} event */
  acted(event) {
    const { timeline } = this;
    const row = timeline.rowAtClient(event.clientY);
    if (!row || (event.target instanceof Element && event.target.closest(".fault-bar"))) return;
    event.preventDefault();
    // The menu is open: lifting the finger is no longer a click.
    this.down.clear();
    this.dragged = true;
    timeline.card.hide();
    const { x, y } = this.point(event);
    const hit = x > 0 ? timeline.pick(x, y) : null;
    const item = hit?.marks ? weightiest(hit.marks) : hit?.span;
    if (row.isOld) {
      timeline.labels.tellOld(row.lane);
      return;
    }
    // The acts are those on the selection, so it is selected first.
    timeline.run.select(row.lane.subject, hit?.isOld ? 0 : item?.seq || 0);
    timeline.run.actOn(row.lane.subject, { x: event.clientX + 2, y: event.clientY + 2 }, row.lane.id);
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const point = this.point(event);
    const from = this.down.get(event.pointerId);
    if (!from) {
      this.hover(point);
      return;
    }
    if (!this.dragged && Math.hypot(point.x - from.x, point.y - from.y) < SLOP_PX) return;
    this.dragged = true;
    clearTimeout(this.held);
    this.timeline.card.hide();
    this.down.set(event.pointerId, point);
    if (this.down.size > 1) this.pinched();
    else if (this.from_ms !== null) this.timeline.stretch.set(this.from_ms, this.timeline.viewport.tOf(point.x));
    else this.dragBy(point.x - from.x, point.y - from.y, event.pointerType);
  }

  /** @param {number} dx @param {number} dy @param {string} type */
  dragBy(dx, dy, type) {
    this.timeline.hover_ms = null;
    if (dx) this.timeline.viewport.panBy(-dx);
    // Fingers scroll by themselves (touch-action: pan-y), and would scroll twice as far.
    if (type !== "touch") this.timeline.body.scrollTop -= dy;
    this.timeline.stage.dataset.dragging = "true";
    this.timeline.invalidate();
  }

  spread() {
    const points = [...this.down.values()];
    return points.length < 2 ? 0 : Math.hypot(points[0].x - points[1].x, points[0].y - points[1].y);
  }

  pinched() {
    const spread = this.spread();
    const points = [...this.down.values()];
    // Two fingers may be on one pixel.
    if (this.pinch > 0 && spread > 0) this.timeline.viewport.zoomAt(this.pinch / spread, (points[0].x + points[1].x) / 2);
    this.pinch = spread;
    this.timeline.invalidate();
  }

  /** @param {PointerEvent} event */
  released(event) {
    clearTimeout(this.held);
    const wasDown = this.down.delete(event.pointerId);
    delete this.timeline.stage.dataset.dragging;
    this.pinch = this.spread();
    this.from_ms = null;
    // A press that began elsewhere, or moved, selects nothing.
    if (!wasDown || this.dragged) return;
    this.select(this.point(event));
  }

  /** @param {{ x: number, y: number }} point */
  select({ x, y }) {
    const hit = this.timeline.pick(x, y);
    if (!hit) return;
    const { card, view, element, stage, picker } = this.timeline;
    const item = hit.marks ? weightiest(hit.marks) : hit.span;
    if (!hit.isOld) {
      if (hit.lane.choose && item) hit.lane.choose(item);
      else this.selectItem(hit, item, x);
      element.focus({ preventScroll: true });
    }
    if (picker) {
      const box = stage.getBoundingClientRect();
      if (!hit.isOld) picker(hit, item, { x: box.left + x + 8, y: box.top + y + 12 });
      return;
    }
    // On a phone a card would cover the lanes; the panel shows the same.
    if (item && (hit.isOld || hit.marks?.length > 1 || !view.compact)) card.pin(hit, x);
  }

  /** @param {any} hit @param {any} item  the span or mark that was hit; nothing for the lane itself @param {number} x */
  selectItem(hit, item, x) {
    const { run } = this.timeline;
    const at_ms = hit.marks ? item.t : item?.t0;
    // What is selected must have happened by the moment shown, or the panels could not show it.
    if (item && at_ms > run.playhead.t_ms) run.playhead.seek(hit.marks ? at_ms : this.timeline.viewport.tOf(x));
    run.select(hit.lane.subject, item ? item.seq : 0);
  }

  /** @param {number} x @param {number} y  of the stage */
  cardPoint(x, y) {
    return { x: x + this.timeline.labels.width(), y: y + this.timeline.body.offsetTop };
  }

  /** @param {{ x: number, y: number }} point */
  hover({ x, y }) {
    const { timeline } = this;
    timeline.hover_ms = Math.max(0, timeline.viewport.tOf(x));
    const hit = timeline.pick(x, y);
    timeline.stage.dataset.over = String(Boolean(hit && (hit.span || hit.marks)));
    timeline.card.aim(hit, this.cardPoint(x, y), timeline.run.playhead.end_ms);
    timeline.touch();
  }

  left() {
    if (this.down.size) return;
    this.timeline.hover_ms = null;
    this.timeline.card.hide();
    this.timeline.touch();
  }

  /** @param {WheelEvent} event a wheel without modifiers scrolls the lanes and is left to the browser */
  wheeled(event) {
    const { viewport } = this.timeline;
    // Some browsers count wheel movements in lines or pages.
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? viewport.width : 1;
    // Browsers report a pinch on a touchpad as a wheel with Ctrl.
    if (event.ctrlKey || event.metaKey) viewport.zoomAt(Math.exp(event.deltaY * unit * WHEEL_ZOOM), this.point(event).x);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) viewport.panBy((event.deltaX || event.deltaY) * unit);
    else return;
    event.preventDefault();
    this.timeline.invalidate();
  }

  /** @param {PointerEvent} event */
  scrubStart(event) {
    if (event.button !== 0) return;
    this.timeline.head.setPointerCapture(event.pointerId);
    this.from_ms = event.shiftKey ? this.timeline.viewport.tOf(this.point(event).x) : null;
    if (this.from_ms === null) this.seek(this.point(event).x);
    event.preventDefault();
    this.timeline.element.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  scrubMove(event) {
    if (!this.timeline.head.hasPointerCapture(event.pointerId)) return;
    if (this.from_ms === null) this.seek(this.point(event).x);
    else this.timeline.stretch.set(this.from_ms, this.timeline.viewport.tOf(this.point(event).x));
  }

  /** @param {number} x */
  seek(x) {
    const { playhead } = this.timeline.run;
    const t_ms = this.timeline.viewport.tOf(x);
    if (t_ms >= playhead.end_ms) playhead.goLive(t_ms);
    else playhead.seek(t_ms);
  }
}

/** The most important mark of a cluster: its last warning or failure, else its last mark. @param {any[]} marks */
function weightiest(marks) {
  return marks.filter(({ type }) => type === "Warning" || type === "failure" || type === "timeout").pop() ?? marks[marks.length - 1];
}
