// @ts-check
/** The stretch of time that both runs of a comparison show. */

const ROOM_MS = 500;

export class BothViews {
  /** @param {any} page  the ComparePage */
  constructor(page) {
    this.page = page;
    /** What was shown when everything was last fitted; a reader who has looked elsewhere since is left there. */
    this.fitted = "";
    /** @type {number[]} how far each run had come when the page was opened, in its own time */
    this.until_ms = [];
  }

  get ranges() {
    return this.page.sides.map((/** @type {any} */ side) => side.timeline.viewport.range()).join(" ");
  }

  /** Show everything, before the reader can have looked elsewhere. */
  open() {
    this.until_ms = this.page.sides.map((/** @type {any} */ side) => side.playhead.end_ms);
    this.fitAtOnce();
  }

  fitAtOnce() {
    this.fit();
    for (const side of this.page.sides) side.timeline.viewport.animate(Infinity);
    this.fitted = this.ranges;
  }

  /** More records from before then have arrived: they belong to the picture, too. */
  grown() {
    const isThen = this.page.sides.every((/** @type {any} */ side, /** @type {number} */ place) => side.store.active_ms <= this.until_ms[place]);
    if (isThen && this.ranges === this.fitted) this.fitAtOnce();
  }

  /** Whether both runs had reached a moment of the page when it was opened. @param {number} t_ms */
  wasThere(t_ms) {
    return this.page.sides.every((/** @type {any} */ side, /** @type {number} */ place) => t_ms - side.lag_ms <= this.until_ms[place]);
  }

  /** Fit everything that happened in either run. */
  fit() {
    const { sides } = this.page;
    const ends = sides.map((/** @type {any} */ side) => Math.max(side.store.active_ms, 1000) + side.lag_ms);
    const first_ms = Math.min(...sides.map((/** @type {any} */ side) => side.lag_ms));
    const [left, right] = sides;
    left.timeline.viewport.auto = left.timeline.viewport.follow = false;
    left.timeline.viewport.fit(first_ms - left.lag_ms, Math.max(...ends) - left.lag_ms + ROOM_MS);
    left.timeline.invalidate();
    right.follow(left);
  }
}
