// @ts-check
/**
 * The point at which a branch leaves its run, as a handle that can be dragged or moved with the keys. Releasing it, or pressing Enter,
 * makes another branch with the same act at that moment; until then nothing happens, and Esc puts the handle back.
 */

import { find, post } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { answered, keyFor } from "../wire/client-key.js";

const STEP_MS = 100;
/** @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1000, ArrowRight: 1000, ArrowDown: -1000, ArrowUp: 1000, PageDown: -10_000, PageUp: 10_000 };
const FINE_MS = 100;

export class BranchHandle {
  /** @param {any} side @param {any} page */
  constructor(side, page) {
    this.side = side;
    this.page = page;
    this.move = side.facts.move;
    this.at_ms = this.move.at_ms;
    this.isDragged = this.isSending = false;
    this.element = /** @type {HTMLElement} */ (find("[data-move]", side.element));
    this.offer = /** @type {HTMLElement} */ (find("[data-offer]", side.element));
    this.element.addEventListener("pointerdown", (event) => this.pressed(event));
    this.element.addEventListener("pointermove", (event) => this.dragged(event));
    this.element.addEventListener("pointerup", () => this.released());
    this.element.addEventListener("pointercancel", () => this.reset());
    this.element.addEventListener("keydown", (event) => this.keyed(event));
    this.element.addEventListener("blur", () => !this.isDragged && this.reset());
    this.describe();
  }

  focus() {
    this.element.focus();
  }

  get isMoved() {
    return this.at_ms !== this.move.at_ms;
  }

  /** Move to where the moment is on the lanes. */
  place() {
    const { viewport } = this.side.timeline;
    const x = viewport.xOf(this.at_ms);
    this.element.hidden = (x < -8 || x > viewport.width + 8) && document.activeElement !== this.element;
    this.element.style.setProperty("inset-inline-start", `${Math.round(Math.min(Math.max(x, 0), viewport.width))}px`);
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.isDragged = true;
    this.element.focus({ preventScroll: true });
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  dragged(event) {
    if (!this.isDragged) return;
    const track = /** @type {HTMLElement} */ (this.element.parentElement);
    this.to(this.side.timeline.viewport.tOf(event.clientX - track.getBoundingClientRect().left));
  }

  released() {
    if (!this.isDragged) return;
    this.isDragged = false;
    // A click on the handle that moved nothing must not make a branch.
    if (this.isMoved) this.send();
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const by = KEYS[event.key];
    if (by) this.to(this.at_ms + (event.shiftKey ? Math.sign(by) * FINE_MS : by));
    else if (event.key === "Home") this.to(0);
    else if (event.key === "End") this.to(this.move.max_ms);
    else if (event.key === "Enter" && this.isMoved) this.send();
    else if (event.key === "Escape") this.reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} at_ms */
  to(at_ms) {
    this.at_ms = Math.min(this.move.max_ms, Math.max(0, Math.round(at_ms / STEP_MS) * STEP_MS));
    this.describe();
    this.place();
  }

  reset() {
    this.isDragged = false;
    this.at_ms = this.move.at_ms;
    this.describe();
    this.place();
  }

  /** What releasing it would do, in words and as a kubectl line. */
  describe() {
    const { words, line } = this.move;
    const by_ms = this.at_ms - this.move.at_ms;
    const by = by_ms === 0 ? "" : text(by_ms < 0 ? "compare.move.earlier" : "compare.move.later", { length: lengthText(Math.abs(by_ms)) });
    const time = clockText(this.at_ms);
    this.element.setAttribute("aria-valuenow", String(this.at_ms));
    this.element.setAttribute("aria-valuetext", [time, by, line || words].filter(Boolean).join(", "));
    this.element.dataset.moved = String(this.isMoved);
    this.element.title = text("compare.move.hint", { what: words });
    this.offer.hidden = !this.isMoved;
    if (!this.isMoved) return;
    const code = document.createElement("code");
    code.className = "kubectl";
    code.textContent = line || words;
    this.offer.replaceChildren(code, ` ${text("compare.move.at", { time, by })} · ${text(this.isDragged ? "compare.move.drop" : "compare.move.enter")}`);
  }

  async send() {
    if (this.isSending) return;
    this.isSending = true;
    const [other] = this.page.sides.filter((/** @type {any} */ side) => side !== this.side);
    const fields = { at_ms: String(this.at_ms), against: other.facts.id, side: this.side.name };
    const key = keyFor(this.move.url, Object.entries(fields));
    try {
      const response = await post(this.move.url, { ...fields, client_key: key });
      answered(key, response.status);
      const there = response.headers.get("HX-Redirect");
      if (there) {
        location.assign(there);
        return;
      }
      const answer = await response.json().catch(() => ({}));
      toast(answer.text || text("act.failed", { status: response.status }), "bad");
    } catch {
      answered(key, 0);
      toast(text("act.offline"), "bad");
    }
    this.isSending = false;
    this.reset();
  }
}
