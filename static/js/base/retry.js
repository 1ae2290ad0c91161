// @ts-check
/** How long to wait for an answer, and when to ask again if none came: at growing intervals. */

const ANSWER_MS = 20_000;
const FIRST_MS = 500;
const MOST_MS = 8000;

/** After this long no answer will come: the connection is dead, though neither side has closed it. */
export function answerTimeout() {
  return AbortSignal.timeout(ANSWER_MS);
}

export class Retry {
  /** @param {() => unknown} step  sends the request */
  constructor(step) {
    this.step = step;
    this.failures = 0;
    this.timer = 0;
  }

  failed() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.step(), Math.min(MOST_MS, FIRST_MS * 2 ** this.failures));
    // Never reset by time: only an answer proves that the other side has recovered.
    this.failures += 1;
  }

  done() {
    clearTimeout(this.timer);
    this.failures = 0;
  }
}
