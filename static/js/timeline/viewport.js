// @ts-check
/**
 * Which stretch of time is on screen. Pure arithmetic: no DOM, no clock.
 *
 * The whole state is the moment at the left edge (`start_ms`) and the length of a pixel (`msPerPx`). Everything that draws or points uses
 * `xOf` and `tOf`, and nothing else knows how time becomes pixels.
 *
 * Two switches say who moves it. `follow`: the playhead is kept on screen. `auto`: the span grows with the run, by leaps, so that a run
 * that has just begun fills the window and a longer one still fits. Zooming ends `auto`, panning ends both, and fitting the whole run turns
 * both on again. A run of more than two hours no longer fits by itself and scrolls instead.
 *
 * Fitting, centring, revealing a moment and growing set an `aim`, and each frame goes part of the way there (`animate`), so that the reader
 * sees where the view goes. Movements by hand (drag, wheel, pinch) take effect at once and drop the aim. Whatever uses the stretch on
 * screen, such as the address, takes the aim, so that a link made during a movement shows where it led.
 */

const MIN_MS_PER_PX = 0.5;
const MAX_MS_PER_PX = 600_000;
const FIRST_SPAN_MS = 60_000;
const AUTO_SPAN_MAX_MS = 7_200_000;
/** The position of the newest moment, as a share of the width, while the view follows it. */
const FOLLOW_AT = 0.84;
const GROW_AT = 0.93;

/** Possible distances between two labelled ticks. */
const STEPS_MS = [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 21600e3, 43200e3, 86400e3];

export class Viewport {
  constructor() {
    this.width = 800;
    this.start_ms = 0;
    this.msPerPx = FIRST_SPAN_MS / 800;
    /** The span grows with the run until the viewer zooms. */
    this.auto = true;
    /** … up to this length; from then on the view scrolls. Infinity once the reader has asked for the whole run. */
    this.grows_ms = AUTO_SPAN_MAX_MS;
    /** The view keeps the playhead on screen until the viewer pans away. */
    this.follow = true;
    /** Ticks are counted from there. */
    this.origin_ms = 0;
    /** @type {{ start_ms: number, msPerPx: number } | null} the target of an animation */
    this.aim = null;
  }

  get span_ms() {
    return this.width * this.msPerPx;
  }

  get end_ms() {
    return this.start_ms + this.span_ms;
  }

  /** The stretch on screen as `from:to` in whole ms; during a movement, the one it leads to. */
  range() {
    const { start_ms, msPerPx } = this.aim ?? this;
    return `${Math.round(start_ms)}:${Math.round(start_ms + this.width * msPerPx)}`;
  }

  /** @param {number} t_ms */
  xOf(t_ms) {
    return (t_ms - this.start_ms) / this.msPerPx;
  }

  /** @param {number} x */
  tOf(x) {
    return this.start_ms + x * this.msPerPx;
  }

  /** @param {number} width */
  resize(width) {
    if (width === this.width || width <= 0) return;
    this.msPerPx = (this.msPerPx * this.width) / width;
    if (this.aim) this.aim.msPerPx = (this.aim.msPerPx * this.width) / width;
    this.width = width;
  }

  /**
   * @param {number} factor  below 1 zooms in
   * @param {number} x  stays where it is
   */
  zoomAt(factor, x) {
    this.auto = false;
    this.aim = null;
    const t_ms = this.tOf(x);
    this.msPerPx = clamp(this.msPerPx * factor, MIN_MS_PER_PX, MAX_MS_PER_PX);
    this.start_ms = this.bounded(t_ms - x * this.msPerPx);
  }

  /** @param {number} px  positive moves to later times */
  panBy(px) {
    this.auto = false;
    this.follow = false;
    this.aim = null;
    this.start_ms = this.bounded(this.start_ms + px * this.msPerPx);
  }

  /**
   * Show from … to with a margin.
   * @param {number} from_ms
   * @param {number} to_ms
   */
  fit(from_ms, to_ms) {
    const margin = Math.max(500, (to_ms - from_ms) * 0.06);
    const msPerPx = clamp((to_ms - from_ms + 2 * margin) / this.width, MIN_MS_PER_PX, MAX_MS_PER_PX);
    this.aim = { start_ms: this.bounded(from_ms - margin, msPerPx), msPerPx };
  }

  /** @param {number} end_ms  shows the whole run, and grows with it again */
  fitAll(end_ms) {
    this.auto = true;
    this.grows_ms = Infinity;
    this.follow = true;
    this.aim = { start_ms: this.originOf(this.autoSpan(end_ms)), msPerPx: this.autoSpan(end_ms) / this.width };
  }

  /** Show exactly this stretch, as it was when the link was made. @param {number} from_ms @param {number} to_ms */
  show(from_ms, to_ms) {
    this.auto = false;
    this.follow = false;
    this.aim = null;
    this.start_ms = from_ms;
    this.msPerPx = clamp((to_ms - from_ms) / this.width, MIN_MS_PER_PX, MAX_MS_PER_PX);
  }

  /** @param {number} active_ms  shows the run up to there, with a margin; the playhead may be elsewhere */
  fitPast(active_ms) {
    this.auto = false;
    this.follow = false;
    this.fit(0, Math.max(active_ms, FIRST_SPAN_MS / 4));
  }

  /** @param {number} span_ms with a little room before zero, so that the first moments are visible */
  originOf(span_ms) {
    return -span_ms * 0.02;
  }

  /** @param {number} end_ms */
  autoSpan(end_ms) {
    let span = FIRST_SPAN_MS;
    // By leaps of half as much again: a span that grew with every frame would never stand still.
    while (span * GROW_AT < end_ms && span < 1e12) span *= 1.5;
    return span;
  }

  /**
   * Keep `t_ms` on screen.
   * @param {number} t_ms
   * @param {number} end_ms newest moment
   * @returns {boolean} whether the view has moved at once, so that what is drawn is out of date
   */
  keep(t_ms, end_ms) {
    const { start_ms, msPerPx } = this;
    if (this.follow) this.goAlong(t_ms, end_ms);
    return this.start_ms !== start_ms || this.msPerPx !== msPerPx;
  }

  /** @param {number} t_ms @param {number} end_ms */
  goAlong(t_ms, end_ms) {
    if (this.auto && end_ms <= this.grows_ms * GROW_AT) {
      const span = this.autoSpan(end_ms);
      const aimed = this.aim ? this.aim.msPerPx : this.msPerPx;
      if (Math.abs(span / this.width - aimed) > aimed * 0.01) this.aim = { start_ms: this.originOf(span), msPerPx: span / this.width };
      else if (!this.aim) this.start_ms = this.originOf(span);
      return;
    }
    if (this.aim) return;
    if (this.auto) this.msPerPx = AUTO_SPAN_MAX_MS / this.width;
    const x = this.xOf(t_ms);
    if (x > this.width * FOLLOW_AT) this.start_ms = this.bounded(t_ms - this.width * FOLLOW_AT * this.msPerPx);
    else if (x < 0) this.start_ms = this.bounded(t_ms - this.width * 0.16 * this.msPerPx);
  }

  /** @param {number} t_ms  brings a moment onto the screen, moving as little as possible */
  reveal(t_ms) {
    const { start_ms, msPerPx } = this.aim ?? this;
    const x = (t_ms - start_ms) / msPerPx;
    const span = this.width * msPerPx;
    // There is nothing to see before the beginning.
    const least = start_ms <= 0 ? Math.min(-start_ms / msPerPx, this.width * 0.04) : this.width * 0.04;
    if (x >= least && x <= this.width * 0.94) return;
    const at = x < least ? 0.24 : 0.7;
    this.aim = { start_ms: Math.max(this.originOf(span), this.bounded(t_ms - span * at)), msPerPx };
  }

  /** @param {number} t_ms */
  centre(t_ms) {
    this.follow = false;
    this.aim = { start_ms: this.bounded(t_ms - this.span_ms / 2), msPerPx: this.msPerPx };
  }

  /**
   * Move towards the aim.
   * @param {number} passed_ms  real ms; Infinity arrives at once
   * @returns {boolean} true while it has not arrived
   */
  animate(passed_ms) {
    if (!this.aim) return false;
    const share = 1 - Math.exp(-passed_ms / 70);
    // Zooming looks even if the scale changes by an equal factor, not by an equal step.
    const ratio = this.aim.msPerPx / this.msPerPx;
    const close = Math.abs(this.aim.start_ms - this.start_ms) < this.aim.msPerPx * 0.6 && Math.abs(ratio - 1) < 0.002;
    if (close || share > 0.995) {
      this.start_ms = this.aim.start_ms;
      this.msPerPx = this.aim.msPerPx;
      this.aim = null;
      return false;
    }
    this.start_ms += (this.aim.start_ms - this.start_ms) * share;
    this.msPerPx *= ratio ** share;
    return true;
  }

  /**
   * @param {number} start_ms
   * @param {number} [msPerPx]
   */
  bounded(start_ms, msPerPx = this.msPerPx) {
    return Math.max(start_ms, -this.width * msPerPx * 0.4);
  }

  /**
   * Ticks on screen: labelled ones and the minor ones between them.
   * @param {number} minGap_px  between labels
   */
  ticks(minGap_px) {
    const step_ms = STEPS_MS.find((step) => step / this.msPerPx >= minGap_px) ?? 86_400e3 * Math.ceil((minGap_px * this.msPerPx) / 86_400e3);
    const minor_ms = step_ms / (step_ms / 5 / this.msPerPx >= 7 ? 5 : 2);
    /** @type {number[]} */
    const major = [];
    /** @type {number[]} */
    const minor = [];
    for (let since_ms = Math.floor((this.start_ms - this.origin_ms) / minor_ms) * minor_ms; since_ms + this.origin_ms <= this.end_ms; since_ms += minor_ms) {
      if (since_ms + this.origin_ms < 0) continue;
      const isMajor = Math.abs(since_ms / step_ms - Math.round(since_ms / step_ms)) < 1e-6;
      (isMajor ? major : minor).push(since_ms + this.origin_ms);
    }
    return { step_ms, major, minor };
  }
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
