// @ts-check
/** The whole run in one strip: how much happened when, where it went wrong, and a window for what the lanes show. */

import { make, setAttributes } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { Layer } from "./canvas.js";

const COLUMN_PX = 3;
const EDGE_PX = 7;
const WINDOW_MIN_PX = 10;
/** The shortest run that fills the strip. */
const SHORTEST_MS = 15_000;

export class Minimap {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.element = make("div", { class: "minimap", role: "slider", tabindex: "0", "aria-label": text("minimap.label"), "aria-orientation": "horizontal", "aria-valuemin": "0", title: text("minimap.help") });
    this.ground = new Layer(this.element, "minimap");
    this.layer = new Layer(this.element, "minimap");
    this.painted = "";
    /** @type {{ part: "window" | "start" | "end", x: number, from: number, to: number } | null} */
    this.drag = null;
    this.described = "";
    this.element.addEventListener("pointerdown", (event) => this.pressed(event));
    this.element.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of ["pointerup", "pointercancel"]) this.element.addEventListener(name, () => (this.drag = null));
    this.element.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("dblclick", () => timeline.fit());
  }

  /** The last moment that the strip has room for. */
  get end_ms() {
    const { playhead } = this.timeline.run;
    return Math.max(playhead.end_ms, SHORTEST_MS);
  }

  /** @param {number} t_ms */
  xOf(t_ms) {
    return (t_ms / this.end_ms) * this.layer.width;
  }

  /** @param {number} x */
  tOf(x) {
    return (x / Math.max(1, this.layer.width)) * this.end_ms;
  }

  /** What the lanes show, as edges on the strip; never too narrow to be seen. */
  window() {
    const { viewport } = this.timeline;
    const x0 = Math.max(0, this.xOf(viewport.start_ms));
    const x1 = Math.min(this.layer.width, this.xOf(viewport.end_ms));
    const missing = Math.max(0, WINDOW_MIN_PX - (x1 - x0)) / 2;
    return { x0: x0 - missing, x1: x1 + missing };
  }

  /** @param {MouseEvent} event */
  point(event) {
    return event.clientX - this.element.getBoundingClientRect().left;
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (event.button !== 0) return;
    const x = this.point(event);
    const { x0, x1 } = this.window();
    const { viewport } = this.timeline;
    this.element.setPointerCapture(event.pointerId);
    const part = Math.abs(x - x0) < EDGE_PX ? "start" : Math.abs(x - x1) < EDGE_PX ? "end" : "window";
    if (part === "window" && (x < x0 || x > x1)) this.show(this.tOf(x) - viewport.span_ms / 2, this.tOf(x) + viewport.span_ms / 2);
    this.drag = { part, x, from: viewport.start_ms, to: viewport.end_ms };
    event.preventDefault();
    this.element.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  moved(event) {
    if (!this.drag) {
      const { x0, x1 } = this.window();
      const x = this.point(event);
      this.element.dataset.over = Math.min(Math.abs(x - x0), Math.abs(x - x1)) < EDGE_PX ? "edge" : x > x0 && x < x1 ? "window" : "";
      return;
    }
    const by = this.tOf(this.point(event)) - this.tOf(this.drag.x);
    const { part, from, to } = this.drag;
    const least = this.tOf(2);
    this.show(part === "end" ? from : Math.min(from + by, part === "start" ? to - least : Infinity), part === "start" ? to : Math.max(to + by, part === "end" ? from + least : -Infinity));
  }

  /** @param {number} from_ms @param {number} to_ms */
  show(from_ms, to_ms) {
    const length = to_ms - from_ms;
    // The window may extend a little beyond either end of the run, but not get lost.
    const start = Math.max(-length * 0.4, Math.min(from_ms, this.end_ms - length * 0.1));
    this.timeline.viewport.show(start, start + length);
    this.timeline.invalidate();
  }

  /** @param {WheelEvent} event */
  wheeled(event) {
    const { viewport } = this.timeline;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) viewport.panBy(this.tOf(event.deltaX) / viewport.msPerPx);
    else viewport.zoomAt(Math.exp(event.deltaY * 0.0016), viewport.xOf(this.tOf(this.point(event))));
    this.timeline.invalidate();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { viewport } = this.timeline;
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowLeft: () => this.timeline.pan(-0.1),
      ArrowRight: () => this.timeline.pan(0.1),
      PageUp: () => this.timeline.pan(-0.9),
      PageDown: () => this.timeline.pan(0.9),
      ArrowUp: () => this.timeline.zoom(0.7),
      ArrowDown: () => this.timeline.zoom(1 / 0.7),
      Home: () => this.show(0, viewport.span_ms),
      End: () => this.show(this.end_ms - viewport.span_ms, this.end_ms),
    };
    const move = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  /** Draw; called with every frame of the lanes. @param {{ width: number, height: number }} size  px */
  paint({ width, height }) {
    for (const layer of [this.ground, this.layer]) layer.resize(width, height);
    this.paintGround(height);
    const context = this.layer.begin();
    this.paintMarks(context, height);
    this.paintWindow(context, height);
    this.describe();
  }

  /** Redraw how much happened if it has changed; the rest moves over it. @param {number} height */
  paintGround(height) {
    const { palette, run } = this.timeline;
    const { muted, "tone-bad": bad } = palette.surface;
    const now = [run.store.headSeq, this.end_ms, this.ground.width, height, this.ground.ratio, muted, bad].join();
    if (now === this.painted) return;
    this.painted = now;
    paintDensity(this.ground.begin(), palette, this, height);
  }

  /** Draw what was searched for, and the playhead. @param {CanvasRenderingContext2D} context @param {number} height */
  paintMarks(context, height) {
    const { palette, search, run } = this.timeline;
    context.fillStyle = palette.surface.accent;
    for (const { at_ms } of search.found) context.fillRect(Math.round(this.xOf(at_ms)) - 1, height - 4, 2, 4);
    context.fillRect(Math.round(this.xOf(run.playhead.t_ms)) - 1, 0, 2, height);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} height */
  paintWindow(context, height) {
    const { surface } = this.timeline.palette;
    const { x0, x1 } = this.window();
    context.fillStyle = surface.veil;
    context.fillRect(0, 0, x0, height);
    context.fillRect(x1, 0, this.layer.width - x1, height);
    context.strokeStyle = surface["border-strong"];
    context.lineWidth = 1;
    context.strokeRect(Math.round(x0) + 0.5, 0.5, Math.round(x1 - x0) - 1, height - 1);
    context.fillStyle = surface["border-strong"];
    for (const x of [x0, x1]) context.fillRect(Math.round(x) - 1.5, height / 2 - 6, 3, 12);
  }

  /** Describe the strip to screen readers. */
  describe() {
    const { viewport } = this.timeline;
    const from = Math.max(0, viewport.start_ms);
    const words = text("minimap.value", { from: clockText(from, 0), to: clockText(viewport.end_ms, 0), end: clockText(this.end_ms, 0) });
    if (words === this.described) return;
    this.described = words;
    const end_s = Math.round(this.end_ms / 1000);
    setAttributes(this.element, { "aria-valuetext": words, "aria-valuemax": String(end_s), "aria-valuenow": String(Math.min(Math.round(from / 1000), end_s)) });
  }
}

/**
 * Draw columns whose height shows how much happened, and a sign over those in which something went wrong.
 * @param {CanvasRenderingContext2D} context
 * @param {any} palette
 * @param {Minimap} minimap
 * @param {number} height
 */
function paintDensity(context, palette, minimap, height) {
  const { width } = minimap.layer;
  const columns = minimap.timeline.run.store.density.columns(Math.max(1, Math.floor(width / COLUMN_PX)), minimap.end_ms);
  const most = Math.max(1, ...columns.map((/** @type {{ count: number }} */ { count }) => count));
  const step = width / columns.length;
  const room = height - 11;
  columns.forEach((/** @type {{ count: number, troubles: number }} */ { count, troubles }, /** @type {number} */ index) => {
    if (!count) return;
    // Logarithmic: one busy second must not flatten the rest of an hour.
    const h = Math.max(2, (Math.log1p(count) / Math.log1p(most)) * room);
    context.fillStyle = troubles ? palette.surface["tone-bad"] : palette.surface.muted;
    context.globalAlpha = troubles ? 0.85 : 0.4;
    context.fillRect(index * step, height - h, Math.max(1, step - 0.5), h);
    context.globalAlpha = 1;
    if (!troubles) return;
    const x = (index + 0.5) * step;
    context.beginPath();
    context.moveTo(x, 2);
    context.lineTo(x + 2.5, 6.5);
    context.lineTo(x - 2.5, 6.5);
    context.closePath();
    context.fill();
  });
}
