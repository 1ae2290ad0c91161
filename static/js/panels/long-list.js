// @ts-check
/**
 * Long lists of a panel that is rewritten in every frame, as while the scrubber is dragged: the rows in sight are there at once, those below
 * the fold once nothing has changed for a moment. All of them in each frame are more than a frame has time for.
 */

import { find } from "../base/dom.js";

/** So long nothing has changed. */
const REST_MS = 120;

export class LongList {
  /** @param {HTMLElement} body  the panel; of its lists that with `data-rows`, the least px that a row of it takes */
  constructor(body) {
    this.body = body;
    /** As it was when the page was last laid out: asking in the middle of a frame would lay it out once more. */
    this.height = 0;
    this.isAtTop = true;
    this.timer = 0;
    this.rest = document.createDocumentFragment();
    new ResizeObserver(([{ contentRect }]) => (this.height = contentRect.height)).observe(body);
    body.addEventListener("scroll", () => this.scrolled(), { passive: true });
    body.addEventListener("focusin", () => this.unfold());
  }

  /** Scrolling shows the rows below. */
  scrolled() {
    this.isAtTop = this.body.scrollTop === 0;
    if (!this.isAtTop) this.unfold();
  }

  /**
   * Keep the rows below the fold back from what the panel becomes, unless the reader has reached any of them.
   * @param {DocumentFragment} coming
   */
  hold(coming) {
    this.forget();
    const list = find("[data-rows]", coming);
    if (!list || !this.height || !this.isAtTop || this.body.contains(document.activeElement)) return;
    const rows = [...list.children].slice(Math.ceil(this.height / Number(list.dataset.rows)));
    if (!rows.length) return;
    this.rest.append(...rows);
    this.wait();
  }

  /** The moment that is looked at still moves. */
  wait() {
    if (!this.rest.hasChildNodes()) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.unfold(), REST_MS);
  }

  /** Nothing is kept back any more, as something else is written. */
  forget() {
    clearTimeout(this.timer);
    this.rest.replaceChildren();
  }

  /** Write what was kept back. */
  unfold() {
    clearTimeout(this.timer);
    if (this.rest.hasChildNodes()) find("[data-rows]", this.body)?.append(this.rest);
  }
}
