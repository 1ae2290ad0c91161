// @ts-check
/** A connection on which nothing arrives any more is dead, though neither side has closed it: a router dropped it, or the network changed. */

export class Silence {
  /**
   * @param {number} limit_ms  the other side sends something far more often
   * @param {() => void} onSilent
   */
  constructor(limit_ms, onSilent) {
    this.limit_ms = limit_ms;
    this.onSilent = onSilent;
    this.receivedAt = 0;
    this.timer = 0;
  }

  /** Start watching a new connection: it has as long to open as it has between messages later. */
  start() {
    this.stop();
    this.received();
    // Checked four times within the limit, by one timer: a timeout reset by each message would cost more.
    this.timer = window.setInterval(() => this.look(), this.limit_ms / 4);
  }

  received() {
    this.receivedAt = performance.now();
  }

  stop() {
    clearInterval(this.timer);
  }

  look() {
    if (performance.now() - this.receivedAt < this.limit_ms) return;
    this.stop();
    this.onSilent();
  }
}
