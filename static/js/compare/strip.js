// @ts-check
/** Between the two timelines: the stretches in which any lane differs, and a flag at the first difference. */

import { jsonBlock, make } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { onThemeChange } from "../base/theme.js";
import { Layer } from "../timeline/canvas.js";

const HEIGHT = 22;
const BAR = 8;
const HATCH_PX = 5;

export class Strip {
  /** @param {HTMLElement} element @param {any} page */
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.layer = new Layer(element, "strip");
    this.flag = make("button", { type: "button", class: "compare__first-flag", "data-do": "nextDifference", hidden: true });
    this.flag.addEventListener("click", (event) => {
      event.stopPropagation();
      page.playhead.seek(Number(this.first_ms) + page.origin_ms);
      page.reveal();
    });
    element.append(this.flag);
    onThemeChange(() => this.invalidate());
    new ResizeObserver(() => this.invalidate()).observe(element);
    /** @type {number | null} first difference, relative to the zero */
    this.first_ms = null;
    /** @type {[number, number, number][]} from, to, lanes */
    this.stretches = [];
    this.drawn = "";
    this.read();
  }

  /** Take over the server's last answer. */
  read() {
    const strip = jsonBlock("compare-strip") || { first_ms: null, stretches: [] };
    this.first_ms = strip.first_ms;
    this.stretches = strip.stretches;
    this.flag.hidden = strip.first_ms === null;
    if (strip.first_ms !== null) {
      const words = text("compare.first", { time: clockText(strip.first_ms) });
      this.flag.title = words;
      this.flag.setAttribute("aria-label", words);
      this.flag.textContent = "≠";
    }
    this.invalidate();
  }

  invalidate() {
    this.drawn = "";
    this.page.playhead.changed();
  }

  /** Start of the next difference after the playhead, or of the one before it. @param {1 | -1} way */
  jump(way) {
    const { playhead, origin_ms } = this.page;
    const at = playhead.t_ms - origin_ms;
    const begins = [...new Set([this.first_ms, ...this.stretches.map(([from]) => from)])].filter((each) => each !== null).sort((a, b) => Number(a) - Number(b));
    const found = way > 0 ? begins.find((each) => Number(each) > at + 1) : begins.filter((each) => Number(each) < at - 1).pop();
    if (found !== undefined) playhead.seek(Number(found) + origin_ms);
  }

  /** Draw, aligned with the lanes above. */
  place() {
    const [side] = this.page.sides;
    const { viewport } = side.timeline;
    // Called in every frame of the page; drawn only if something moved.
    const key = `${viewport.start_ms}|${viewport.msPerPx}|${viewport.width}|${this.element.clientWidth}`;
    if (key === this.drawn || !this.page.fitted) return;
    this.drawn = key;
    const { palette } = side.timeline;
    const x = (/** @type {number} */ t_ms) => viewport.xOf(t_ms + side.zero_ms);
    this.layer.resize(this.element.clientWidth, HEIGHT);
    const context = this.layer.begin();
    const most = Math.max(1, ...this.stretches.map(([, , lanes]) => lanes));
    for (const [from, to, lanes] of this.stretches) {
      const x0 = Math.max(0, x(from));
      const x1 = Math.min(viewport.width, Math.max(x(to), x(from) + 1.5));
      if (x1 <= 0 || x0 >= viewport.width) continue;
      context.globalAlpha = 0.3 + 0.55 * (lanes / most);
      context.fillStyle = palette.surface.accent;
      context.fillRect(x0, (HEIGHT - BAR) / 2, x1 - x0, BAR);
      context.globalAlpha = 1;
      this.hatch(context, x0, x1, palette.surface["tl-bg"]);
    }
    if (this.first_ms !== null) {
      const at = x(this.first_ms);
      this.flag.hidden = at < -4 || at > viewport.width + 4;
      this.flag.style.setProperty("inset-inline-start", `${Math.round(at)}px`);
    }
  }

  /** A pattern, so that it does not rely on colour alone. @param {CanvasRenderingContext2D} context @param {number} x0 @param {number} x1 @param {string} ink */
  hatch(context, x0, x1, ink) {
    context.save();
    context.beginPath();
    context.rect(x0, (HEIGHT - BAR) / 2, x1 - x0, BAR);
    context.clip();
    context.strokeStyle = ink;
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    context.beginPath();
    for (let at = Math.floor(x0 / HATCH_PX) * HATCH_PX - HEIGHT; at < x1; at += HATCH_PX) {
      context.moveTo(at, HEIGHT);
      context.lineTo(at + HEIGHT, 0);
    }
    context.stroke();
    context.restore();
  }
}
