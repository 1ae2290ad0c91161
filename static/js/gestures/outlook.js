// @ts-check
/** Asks the server what a gesture would lead to: one request at a time, always for the latest position, and none after the gesture has
 * ended. */

import { answerTimeout } from "../base/retry.js";

/** At most this often, however fast the pointer moves. */
const APART_MS = 120;

export class Outlook {
  /**
   * @param {string} url
   * @param {(answer: any, wish: Record<string, string>) => void} shown  called with every answer that is still relevant
   */
  constructor(url, shown) {
    this.url = url;
    this.shown = shown;
    /** @type {{ key: string, answer: any } | null} the newest answer */
    this.last = null;
    this.wish = /** @type {Record<string, string> | null} */ (null);
    this.asked = "";
    this.askedAt = -Infinity;
    this.timer = 0;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  /** @param {Record<string, string>} wish */
  want(wish) {
    this.wish = wish;
    if (this.last?.key === keyOf(wish) || this.asked === keyOf(wish)) return;
    this.next();
  }

  next() {
    const { wish } = this;
    if (!wish || this.running || this.last?.key === keyOf(wish)) return;
    clearTimeout(this.timer);
    const left = this.askedAt + APART_MS - performance.now();
    if (left > 0) this.timer = window.setTimeout(() => this.next(), left);
    else this.ask(wish);
  }

  /** @param {Record<string, string>} wish */
  async ask(wish) {
    const running = (this.running = new AbortController());
    this.asked = keyOf(wish);
    this.askedAt = performance.now();
    /** @type {any} */
    let answer = { failed: true };
    try {
      const response = await fetch(`${this.url}?${new URLSearchParams(wish)}`, { credentials: "same-origin", signal: AbortSignal.any([running.signal, answerTimeout()]) });
      if (response.ok) answer = await response.json();
    } catch {
      // Without an answer the gesture cannot be submitted, and says so.
    }
    // Dropped in the meantime: the gesture has ended.
    if (this.running !== running) return;
    this.running = null;
    this.asked = "";
    this.last = { key: keyOf(wish), answer };
    this.shown(answer, wish);
    if (this.wish && keyOf(this.wish) !== keyOf(wish)) this.next();
    // Only the answer to the latest question settles anything.
    else for (const tell of this.waiting.splice(0)) tell();
  }

  /** The answer to the latest question, as soon as it is there. */
  async settled() {
    if (this.wish && this.last?.key !== keyOf(this.wish)) {
      await new Promise((resolve) => {
        this.waiting.push(() => resolve(null));
        this.next();
      });
    }
    return this.last?.answer ?? null;
  }

  /** Nothing is wanted any more. */
  drop() {
    this.running?.abort();
    this.running = null;
    clearTimeout(this.timer);
    this.wish = this.last = null;
    this.asked = "";
    this.waiting = [];
  }
}

/** @param {Record<string, string>} wish */
function keyOf(wish) {
  return new URLSearchParams(wish).toString();
}
