// @ts-check
/** One line of a row on which words stand: no two of them may lie over each other. Pure arithmetic. */

/** Edges that touch by less are not over each other. */
const TOUCH_PX = 0.6;

export class Slot {
  constructor() {
    /** @type {{ x0: number, x1: number }[]} what is taken, by x0; whatever was taken without asking may overlap */
    this.taken = [];
  }

  /**
   * What is drawn there in any case: words keep clear of it.
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
   * Take the stretch if nothing is there.
   * @param {number} x0
   * @param {number} x1
   */
  claim(x0, x1) {
    if (!this.isFree(x0, x1)) return false;
    this.take(x0, x1);
    return true;
  }

  /**
   * Take the first stretch of that width between two edges.
   * @param {number} low
   * @param {number} high
   * @param {number} width
   * @returns {number | null} where it begins; null where there is no room
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
