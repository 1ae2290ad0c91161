// @ts-check
/** How long an answer is waited for, and when a question that got none is asked again: ever less often. */

const ANSWER_MS = 20_000;
const FIRST_MS = 500;
const MOST_MS = 8000;

/** An answer that takes longer does not come: the line is dead, though neither side has closed it. */
export function answerTimeout() {
  return AbortSignal.timeout(ANSWER_MS);
}

export class Retry {
  /** @param {() => unknown} step  asks */
  constructor(step) {
    this.step = step;
    this.failures = 0;
    this.timer = 0;
  }

  failed() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.step(), Math.min(MOST_MS, FIRST_MS * 2 ** this.failures));
    // Never reset by time: only an answer says that the other side is well again.
    this.failures += 1;
  }

  done() {
    clearTimeout(this.timer);
    this.failures = 0;
  }
}
