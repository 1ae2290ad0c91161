// @ts-check
/**
 * The moment this viewer is looking at: Live (the server's now) or a moment of their own, standing still or replaying.
 *
 * Do not confuse two clocks. ServerClock (clock.js) says how far the run has come, and is the same for every viewer. The playhead says
 * which moment of it this browser shows. When Live, the two agree. As soon as the viewer scrubs or steps back, the playhead is theirs
 * alone: the run goes on without them, and a replay moves through what is recorded at a rate of its own. A replay that reaches the newest
 * moment becomes Live again; `seek` never does, it stops at the newest moment, so that only an explicit `goLive` or a replay joins Live.
 *
 * It also owns the page's only frame loop. Whatever changes something calls `changed()`; the loop draws once, and goes on only while time
 * moves by itself. Even then it does not request sixty frames a second: at normal speed the playhead takes several frames to move one
 * pixel, so the loop works out when the picture will next look different (`grain`, which the timeline sets to the time that a device pixel
 * stands for) and sleeps until then. `due` says that something other than time has changed and that the next frame has to be shown whatever
 * it looks like.
 *
 * Listeners are called in the order in which they were added, each with the moment shown, which does not change until all of them have been
 * called.
 */

import { announce } from "../base/dom.js";

/** @typedef {{ seqAt: (t: number) => number, head_ms: number }} Moments */
/** @typedef {{ now: () => number, running: boolean, frame?: { rate: number } }} Clock */

/** Clocks on the page show tenths of a second. */
const TENTH_MS = 100;
/** This close to the end of a recording is at its end: addresses carry tenths of a second. */
const NEAR_MS = 500;
/** The usual length of a browser frame. */
const FRAME_MS = 17;

export class Playhead {
  /**
   * @param {Moments} store
   * @param {Clock} clock
   */
  constructor(store, clock) {
    this.store = store;
    this.clock = clock;
    this.live = true;
    /** A recording has an end instead of a now. */
    this.recorded = false;
    this.t_ms = 0;
    /** The record that was stepped to at this moment; 0 if the moment was reached in another way. */
    this.step_seq = 0;
    this.replaying = false;
    /** Speed of the local replay, permille. */
    this.rate = 1000;
    this.last = 0;
    this.frame = 0;
    /** Timer of the sleep until the next frame that looks different. */
    this.pause = 0;
    /** Whether something other than the moment may have changed since the last frame shown. */
    this.due = false;
    this.shown_ms = -Infinity;
    /** Simulated time for which the picture stays the same. */
    this.grain = () => TENTH_MS;
    /** @type {((t_ms: number) => void)[]} called for every frame shown */
    this.listeners = [];
  }

  /** @param {(t_ms: number) => void} listener */
  onFrame(listener) {
    this.listeners.push(listener);
  }

  /** The newest moment there is. */
  get end_ms() {
    return Math.max(this.clock.now(), this.store.head_ms);
  }

  /** Whether this is the newest moment: Live, or the end of a recording. */
  get isNewest() {
    return this.live || (this.recorded && this.end_ms - this.t_ms < NEAR_MS);
  }

  get seq() {
    return this.store.seqAt(this.t_ms);
  }

  /** True while the shown moment moves by itself. */
  get moving() {
    return this.live ? this.clock.running : this.replaying;
  }

  /**Go to a moment, at most the newest; this leaves Live, even at the newest.
   * Go to a moment, at most to the newest; this leaves Live, even at the newest.
   * @param {number} t_ms
   * @param {number} [step_seq]  the record of that moment that is stepped to
   */
  seek(t_ms, step_seq = 0) {
    this.live = false;
    this.step_seq = step_seq;
    this.t_ms = Math.max(0, Math.min(t_ms, this.end_ms));
    this.changed();
  }

  /** Step to a record of the newest moment, and stay Live. @param {number} seq */
  stepLive(seq) {
    this.step_seq = seq;
    this.changed();
  }

  goLive() {
    if (!this.live) this.step_seq = 0;
    this.live = true;
    this.replaying = false;
    this.changed();
  }

  /** Stand still at the moment shown. */
  freeze() {
    this.live = false;
    this.replaying = false;
    this.changed();
  }

  /** Replay from here; at the newest moment there is nothing to replay, so go Live. */
  replay() {
    if (this.live || this.t_ms >= this.end_ms) {
      this.goLive();
      return;
    }
    this.replaying = true;
    this.changed();
  }

  /** Something moved or arrived: draw once, and go on as long as it moves. */
  changed() {
    this.due = true;
    if (this.frame) return;
    // During a sleep between two frames time has passed since `last`, and counts; if nothing moved it does not.
    if (!this.pause) this.last = performance.now();
    this.askFrame();
  }

  askFrame() {
    clearTimeout(this.pause);
    this.pause = 0;
    this.frame = requestAnimationFrame((now) => this.step(now));
  }

  /** @param {number} now */
  step(now) {
    this.frame = 0;
    // A tab that slept for a minute does not skip a minute of replay.
    this.advance(Math.min(250, Math.max(0, now - this.last)));
    this.last = now;
    const grain_ms = Math.min(TENTH_MS, this.grain());
    if (this.due || !this.moving || Math.abs(this.t_ms - this.shown_ms) >= grain_ms) this.show();
    if (!this.moving) return;
    const rate = this.live ? (this.clock.frame?.rate ?? 1000) : this.rate;
    // Real time until the picture looks different, minus half a frame, as the browser rounds up.
    const left_ms = ((this.shown_ms + grain_ms - this.t_ms) * 1000) / rate - FRAME_MS / 2;
    if (left_ms > FRAME_MS) this.pause = setTimeout(() => this.askFrame(), Math.min(TENTH_MS, left_ms));
    else this.askFrame();
  }

  show() {
    this.due = false;
    this.shown_ms = this.t_ms;
    for (const listener of this.listeners) listener(this.t_ms);
    announce("run:playhead", { t_ms: this.t_ms, seq: this.seq, live: this.live });
  }

  /** @param {number} passed_ms real time since the last frame */
  advance(passed_ms) {
    if (this.moving) this.step_seq = 0;
    if (this.live) {
      this.t_ms = this.end_ms;
      return;
    }
    if (!this.replaying) return;
    this.t_ms += (passed_ms * this.rate) / 1000;
    // A replay that has caught up with the present stays with it.
    if (this.t_ms < this.end_ms) return;
    this.live = true;
    this.replaying = false;
    this.t_ms = this.end_ms;
  }
}
