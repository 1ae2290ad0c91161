// @ts-check
/** A question that got no answer is asked again, ever less often. */

const FIRST_MS = 500;
const MOST_MS = 8000;

export class Again {
  /** @param {() => unknown} step  asks */
  constructor(step) {
    this.step = step;
    this.failures = 0;
    this.timer = 0;
  }

  failed() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.step(), Math.min(MOST_MS, FIRST_MS * 2 ** this.failures));
    this.failures += 1;
  }

  done() {
    clearTimeout(this.timer);
    this.failures = 0;
  }
}
