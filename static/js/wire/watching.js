// @ts-check
/** Whether somebody is looking at this page: a tab in the background, or one that has not been touched for long, does not count as watching
 * its run. */

/** A short look at another tab changes nothing. */
const HIDDEN_MS = 5000;
const UNTOUCHED_MS = 900_000;
const TOUCHES = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart", "focus"];

export class Watching {
  /** @param {(isAway: boolean) => void} onChange  called whenever it changes */
  constructor(onChange) {
    this.onChange = onChange;
    this.isAway = false;
    this.timer = 0;
    this.touched = 0;
  }

  start() {
    document.addEventListener("visibilitychange", () => this.look());
    for (const name of TOUCHES) window.addEventListener(name, () => this.touch(), { passive: true });
    this.look();
  }

  touch() {
    const now = performance.now();
    // Pointers move a hundred times a second.
    if (!this.isAway && now - this.touched < 1000) return;
    this.touched = now;
    this.look();
  }

  look() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.set(true), document.hidden ? HIDDEN_MS : UNTOUCHED_MS);
    // Coming back counts at once, going away only after a while.
    if (!document.hidden) this.set(false);
  }

  /** @param {boolean} isAway */
  set(isAway) {
    if (isAway === this.isAway) return;
    this.isAway = isAway;
    this.onChange(isAway);
  }
}
