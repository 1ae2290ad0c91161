// @ts-check
/** A line on which nothing comes any more is dead, though neither side has closed it: a router forgot it, or the network is another one. */

export class Silence {
  /**
   * @param {number} limit_ms  the other side says something far oftener
   * @param {() => void} onSilent
   */
  constructor(limit_ms, onSilent) {
    this.limit_ms = limit_ms;
    this.onSilent = onSilent;
    this.heardAt = 0;
    this.timer = 0;
  }

  /** A line begins: it has as long to be there as to say something later. */
  start() {
    this.stop();
    this.heard();
    // Looked at four times within the limit, and by one timer: a timeout set again by each message would cost more.
    this.timer = window.setInterval(() => this.look(), this.limit_ms / 4);
  }

  heard() {
    this.heardAt = performance.now();
  }

  stop() {
    clearInterval(this.timer);
  }

  look() {
    if (performance.now() - this.heardAt < this.limit_ms) return;
    this.stop();
    this.onSilent();
  }
}
