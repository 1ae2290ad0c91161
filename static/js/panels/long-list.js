// @ts-check
/**
 * Long lists of a panel that is rewritten in every frame, as while the scrubber is dragged: the visible rows are written at once, those
 * below the fold once nothing has changed for a moment. Writing all of them takes longer than a frame.
 */

import { find } from "../base/dom.js";

/** How long nothing must have changed. */
const REST_MS = 120;

export class LongList {
  /** @param {HTMLElement} body  the panel; a long list in it has `data-rows`, the minimum height of its rows in px */
  constructor(body) {
    this.body = body;
    /** As of the last layout: asking in the middle of a frame would force another one. */
    this.height = 0;
    this.isAtTop = true;
    this.timer = 0;
    this.rest = document.createDocumentFragment();
    new ResizeObserver(([{ contentRect }]) => (this.height = contentRect.height)).observe(body);
    body.addEventListener("scroll", () => this.scrolled(), { passive: true });
    body.addEventListener("focusin", () => this.unfold());
  }

  /** Show the rows below when the reader scrolls. */
  scrolled() {
    this.isAtTop = this.body.scrollTop === 0;
    if (!this.isAtTop) this.unfold();
  }

  /**
   * Hold back the rows below the fold from the panel's next content, unless the reader has reached any of them.
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

  /** The moment shown is still moving. */
  wait() {
    if (!this.rest.hasChildNodes()) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.unfold(), REST_MS);
  }

  /** Drop what was held back, as something else is written. */
  forget() {
    clearTimeout(this.timer);
    this.rest.replaceChildren();
  }

  /** Write what was held back. */
  unfold() {
    clearTimeout(this.timer);
    if (this.rest.hasChildNodes()) find("[data-rows]", this.body)?.append(this.rest);
  }
}
