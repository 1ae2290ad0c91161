// @ts-check
/**
 * The run's shared clock as the browser knows it: the last clock frame, extrapolated.
 *
 * A run has one clock, which the server drives, and every viewer sees the same one. The server sends its state every 5 s and whenever it is
 * paused, started or set to another speed; in between the browser extrapolates: `now_ms` of the frame plus the time passed since, times the
 * rate. Simulated time is in whole milliseconds, a rate in permille of real time.
 *
 * Three corrections keep this honest. A frame that disagrees a little with what is shown (network delay varies) does not make time jump:
 * the difference is spread over SLEW_MS. A server that has been silent for TRUST_MS is no longer trusted to go on, so the clock stands
 * still rather than promise moments that were never simulated. And records prove time: if one is later than the clock, the clock is raised
 * to it (`atLeast`), as nothing may be shown before its moment.
 *
 * `lost` stops the clock where it is: without a connection nothing is known about the present.
 *
 * The functions above the class put a frame into words: why the clock stands still, what it waits for, how much slower than requested it
 * goes.
 */

import { clockText, rateText } from "../base/format.js";
import { hasText, text } from "../base/i18n.js";

/** How long (real ms) a silent server is trusted to go on. Heartbeats come every 5 s. */
const TRUST_MS = 7000;
/** A small disagreement between two frames is spread over this long instead of jumping. */
const SLEW_MS = 600;

/** States in which a run no longer goes on. */
export const ENDS = new Set(["limit", "failed", "diverged", "recorded", "stopped"]);

/**
 * Why a run has ended, in the reader's language: the server's `note` is a code with its numbers (`state_notes.py`). For a code that this
 * page does not know yet, the text is that of the state. `other` is a text that an early release stored.
 * @param {{ state: string, note?: string, numbers?: Record<string, string | number> }} clock
 */
export function endText({ state, note, numbers = {} }) {
  if (note === "other") return String(numbers.text);
  return text(note && hasText(`ended.${note}`) ? `ended.${note}` : `ended.${state}`, numbers);
}

/**
 * What a run waits for while no process drives it; empty if it goes on.
 * @param {{ state: string, note?: string, place?: number }} clock
 */
export function waitText({ state, note, place }) {
  if (state !== "waiting") return "";
  const isCounted = note === "queue" && place;
  return text(isCounted ? "state.waiting_place" : `state.waiting_${note || "queue"}`, { n: place });
}

/** A run that is further than this from its clock's moment is being computed, not merely late. */
const AHEAD_MS = 60_000;

/**
 * How far a run has been computed on its way to a moment far ahead; empty if it is not being computed.
 * @param {number} head_ms  how far its records reach
 * @param {number} goal_ms
 */
export function computingText(head_ms, goal_ms) {
  if (goal_ms - head_ms <= AHEAD_MS) return "";
  return text("state.computing", { at: clockText(head_ms, 0), all: clockText(goal_ms, 0) });
}

/**
 * In a few words, why the shared clock stands still; empty if it goes on.
 * @param {ClockFrame} frame
 */
export function pauseText(frame) {
  if (frame.state === "recorded") return text("state.kept");
  if (ENDS.has(frame.state)) return text(frame.state === "limit" ? "state.ended" : "state.broken");
  if (frame.state === "released") return text(frame.note === "opening" ? "state.opening" : "state.released");
  if (isResting(frame)) return text("state.resting");
  return waitText(frame) || (frame.paused ? text("state.paused") : "");
}

/**
 * How fast the run goes if it cannot go as fast as it should; empty if it can.
 * @param {ClockFrame} frame
 */
export function slowText({ state, paused, rate, got }) {
  if (state !== "live" || paused || !got || got > rate * 0.9) return "";
  return text("state.slower", { rate: rateText(Number(got.toPrecision(1))) });
}

/**
 * Whether the clock stands still because nothing more would happen by itself.
 * @param {{ state: string, note?: string }} clock
 */
export function isResting({ state, note }) {
  return state === "paused" && note === "resting";
}

/**
 * Whether nothing follows from an act because its run was paused by hand: the last act took place at the moment at which the run stands.
 * @param {ClockFrame} clock
 * @param {{ at_ms: number } | null} act  the record of the last act
 */
export function holdsAct(clock, act) {
  return clock.state === "paused" && !isResting(clock) && act !== null && act.at_ms >= clock.now_ms;
}

/**
 * @typedef {object} ClockFrame
 * @property {number} now_ms
 * @property {number} rate  permille of real time
 * @property {boolean} paused
 * @property {string} state  live | paused | waiting | released | limit | diverged | recorded | failed | stopped
 * @property {string} [note]  why, as a code
 * @property {Record<string, string | number>} [numbers]  the numbers of the code
 * @property {number} [place]  position in the queue of waiting runs
 * @property {number} [got]  the rate at which the run has really gone, permille; 0 if this frame does not know
 */

export class ServerClock {
  constructor() {
    /** @type {ClockFrame} */
    this.frame = { now_ms: 0, rate: 1000, paused: true, state: "paused", note: "" };
    this.received = performance.now();
    this.lag_ms = 0;
    this.connected = false;
  }

  /** True while simulated time moves on by itself. */
  get running() {
    return this.connected && !this.frame.paused && this.frame.state === "live";
  }

  /**
   * Take a frame from the server.
   * @param {ClockFrame} frame
   * @param {number} [at]  when it arrived (performance.now)
   */
  set(frame, at = performance.now()) {
    // Before the new frame is taken: this is what the page shows at the moment.
    const shown = this.now();
    // 0.4 s of real time, in simulated time; more than that is a step of the clock, not network delay.
    const tolerance = Math.max(400, (frame.rate / 1000) * 400);
    // Not every frame says how fast the run really went; until one does, the last figure stands for the same rate.
    const got = frame.got || (frame.rate === this.frame.rate ? this.frame.got : 0);
    this.frame = { ...frame, got };
    this.received = at;
    this.lag_ms = 0;
    // Measured without a lag: `now` adds it.
    const difference = shown - this.now();
    this.lag_ms = this.running && Math.abs(difference) <= tolerance ? difference : 0;
  }

  /**
   * Raise the clock to a moment that records prove has been reached.
   * @param {number} at_ms
   */
  atLeast(at_ms) {
    if (at_ms <= this.frame.now_ms) return;
    if (this.running && at_ms <= this.now()) return;
    this.frame.now_ms = at_ms;
    this.received = performance.now();
    this.lag_ms = 0;
  }

  /** The connection is gone: stand still here. */
  lost() {
    const now_ms = this.now();
    this.connected = false;
    this.frame.now_ms = now_ms;
    this.received = performance.now();
    this.lag_ms = 0;
  }

  /** Simulated time now, in ms (may have decimals). */
  now() {
    const { now_ms, rate } = this.frame;
    if (!this.running) return now_ms;
    const passed = Math.min(performance.now() - this.received, TRUST_MS);
    // Falls to zero linearly, so that time never runs backwards at normal rates.
    const slew = this.lag_ms * Math.max(0, 1 - passed / SLEW_MS);
    return now_ms + (passed * rate) / 1000 + slew;
  }
}
