// @ts-check
/** One line of a row for labels: no two of them may overlap. Pure arithmetic. */

/** Edges that overlap by less than this do not count as overlapping. */
const TOUCH_PX = 0.6;

export class Slot {
  constructor() {
    /** @type {{ x0: number, x1: number }[]} stretches taken, by x0; those of `take` may overlap */
    this.taken = [];
  }

  /**
   * Mark a stretch that is drawn on in any case: labels keep clear of it.
   * @param {number} x0
   * @param {number} x1
   */
  take(x0, x1) {
    let low = 0;
    let high = this.taken.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.taken[middle].x0 <= x0) low = middle + 1;
      else high = middle;
    }
    this.taken.splice(low, 0, { x0, x1 });
  }

  /**
   * @param {number} x0
   * @param {number} x1
   */
  isFree(x0, x1) {
    return this.taken.every((other) => other.x1 - x0 < TOUCH_PX || x1 - other.x0 < TOUCH_PX);
  }

  /**
   * Take the stretch if it is free.
   * @param {number} x0
   * @param {number} x1
   */
  claim(x0, x1) {
    if (!this.isFree(x0, x1)) return false;
    this.take(x0, x1);
    return true;
  }

  /**
   * Take the first free stretch of a given width between two edges.
   * @param {number} low
   * @param {number} high
   * @param {number} width
   * @returns {number | null} its beginning; null if there is no room
   */
  claimWithin(low, high, width) {
    let x0 = low;
    for (const other of this.taken) {
      if (other.x1 <= x0) continue;
      if (other.x0 - x0 >= width) break;
      x0 = other.x1;
    }
    if (x0 + width > high) return null;
    this.take(x0, x0 + width);
    return x0;
  }
}
