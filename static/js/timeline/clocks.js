// @ts-check
/** The three clocks for moments: since the run began, wall-clock time of the simulated cluster, since the selection. */

import { clockText } from "../base/format.js";

/** @type {("run" | "wall" | "selection")[]} */
export const CLOCKS = ["run", "wall", "selection"];
const SIGNS = { run: "t+", wall: "UTC", selection: "Δ" };

export class Clocks {
  /** @param {number} epoch_ms  wall-clock time at which the run began, since 1970 */
  constructor(epoch_ms) {
    this.epoch_ms = epoch_ms;
    /** @type {"run" | "wall" | "selection"} */
    this.kind = "run";
    /** The moment that is zero on the clock of the selection. */
    this.zero_ms = 0;
  }

  get sign() {
    return SIGNS[this.kind];
  }

  /** A moment at which the clock shows a round number: ticks are counted from there. */
  get origin_ms() {
    if (this.kind === "selection") return this.zero_ms;
    return this.kind === "wall" ? -(this.epoch_ms % 86_400_000) : 0;
  }

  next() {
    this.kind = CLOCKS[(CLOCKS.indexOf(this.kind) + 1) % CLOCKS.length];
  }

  /** @param {string} kind  from an address; unknown values change nothing */
  read(kind) {
    const known = CLOCKS.find((each) => each === kind);
    if (known) this.kind = known;
  }

  /**
   * @param {number} at_ms
   * @param {number} digits  decimals of the second
   */
  text(at_ms, digits) {
    if (this.kind === "wall") return wallText(this.epoch_ms + at_ms, digits);
    if (this.kind === "run") return clockText(at_ms, digits);
    const since_ms = at_ms - this.zero_ms;
    return `${since_ms < 0 ? "−" : "+"}${clockText(Math.abs(since_ms), digits)}`;
  }
}

/** @param {number} at_ms  since 1970 @param {number} digits */
function wallText(at_ms, digits) {
  const whole = new Date(Math.floor(at_ms)).toISOString();
  return digits > 0 ? whole.slice(11, 20 + digits) : whole.slice(11, 19);
}
