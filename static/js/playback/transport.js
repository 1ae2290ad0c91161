// @ts-check
/**
 * The transport bar: what each button means for an owner, for a viewer, live and in the past.
 *
 * The same button does different things, depending on two questions: is the view Live, and may this reader control the run?
 *
 *                    Live, owner             Live, viewer                  in the past
 *   play/pause       the run's clock         leave Live (a recording:      the local replay
 *                                            replay it from its start)
 *   speed            the run's rate          disabled                      the rate of the replay
 *   next             pause, and run to the   stay at Live                  the next record
 *                    next record
 *   go to a time     run on to it            the newest moment             the newest moment
 *   that is ahead
 *
 * The buttons never show what was pressed, only the actual state: the run's clock changes when its next frame says so, and the owner sees
 * it then, as every viewer does. A step past the newest moment goes to Live first, since it acts on the run's present.
 *
 * Previous and next go from record to record, even within one instant, where time stands still and only the narrator and Why move on. A run
 * that is asked for its next record may answer with several of one instant; they, too, are shown one by one.
 *
 * The scrubber's value is a share of the run rather than a time: the run grows under it, and a handle at the end has to stay at the end.
 */

import { find, findAll, post, prefersReducedMotion, setAttributes, setText, throttle } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { rove, wireRoving } from "../base/roving.js";
import { toast } from "../base/toast.js";
import { isInteresting, isVisible } from "../lanes/record-store.js";
import { parseSubject, shortPod } from "../wire/record.js";
import { holdsAct, isResting } from "./clock.js";
import { goTo } from "./goto.js";

/** @typedef {{ playhead: any, clock: any, store: any, timeline: any, role: string, controlUrl: string, select: (sel: string, rec: number) => void }} Run */

const BREATH_MS = 400;

export class Transport {
  /**
   * @param {HTMLElement} main
   * @param {Run} run
   */
  constructor(main, run) {
    this.main = main;
    this.run = run;
    this.speed = /** @type {HTMLSelectElement | null} */ (find("[data-speed]", main));
    this.scrubber = /** @type {HTMLInputElement | null} */ (find("#scrubber", main));
    // Its position is a share of the run, whatever range the page was rendered with.
    this.scrubber?.setAttribute("max", "2000");
    this.asked = find("[data-goto]", main);
    this.field = /** @type {HTMLInputElement | null} */ (find("[data-goto] input", main));
    this.timeText = find("[data-time]", main);
    this.liveButton = find('[data-do="live"]', main);
    this.liveLabel = find("[data-live-label]", main);
    this.playButton = find('[data-do="play"]', main);
    this.nextText = find("[data-next]", main);
    this.shown = "";
    /** @type {number | null} the newest record at the time the run was asked for its next one */
    this.asked_seq = null;
    this.listen();
    for (const name of ["run:frame", "run:clock"]) document.addEventListener(name, () => this.stepMade());
    const slowly = throttle(250, () => this.showNext());
    run.playhead.onFrame(() => {
      this.show();
      this.breathe();
      slowly();
    });
  }

  /** Pulse the Live light in frames that are drawn anyway: a CSS animation would force sixty frames a second. */
  breathe() {
    if (prefersReducedMotion()) return;
    const step = Math.floor(performance.now() / BREATH_MS) % 6;
    this.liveButton?.style.setProperty("--breath", String(1 - Math.abs(step - 3) / 3));
  }

  get owns() {
    return this.run.role === "owner" && this.run.controlUrl !== "";
  }

  listen() {
    this.bar();
    this.speed?.addEventListener("change", () => this.setRate(Number(this.speed?.value)));
    this.scrubber?.addEventListener("input", () => this.scrubbed());
    this.field?.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.closeGoTo();
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      this.goTo(this.field?.value ?? "");
    });
    this.field?.addEventListener("focusout", () => this.closeGoTo());
  }

  /** Make the bar one tab stop. A click leaves the keyboard with the lanes, where the arrow keys move through time. */
  bar() {
    const bar = find("#transport", this.main);
    if (!bar) return;
    rove(this.main);
    wireRoving(bar);
    bar.addEventListener("mousedown", (event) => {
      if (!(event.target instanceof Element && event.target.closest("button"))) return;
      event.preventDefault();
      find("#timeline", this.main)?.focus({ preventScroll: true });
    });
  }

  scrubbed() {
    if (!this.scrubber) return;
    const share = Number(this.scrubber.value) / Number(this.scrubber.max);
    // The end of the track is the present, which moves on; any other position is a moment.
    if (share >= 1) this.run.playhead.goLive();
    else this.run.playhead.seek(share * this.run.playhead.end_ms);
    this.run.timeline?.reveal(this.run.playhead.t_ms);
  }

  /** Play or pause whatever the viewer controls: the shared clock if live and owned, their own replay otherwise. */
  play() {
    const { playhead, clock } = this.run;
    if (!playhead.live) {
      if (playhead.replaying) playhead.freeze();
      else playhead.replay();
    } else if (this.owns) {
      this.control({ do: clock.running ? "pause" : "play" });
    } else if (playhead.recorded) {
      playhead.seek(0);
      playhead.replay();
    } else if (clock.running) {
      playhead.freeze();
      toast(text("control.viewer"));
    }
  }

  /** @param {number} rate permille */
  setRate(rate) {
    if (!rate) return;
    this.run.playhead.rate = rate;
    if (this.speed) this.speed.value = String(rate);
    if (this.run.playhead.live && this.owns) this.control({ do: "rate", rate: String(rate) });
  }

  /** @param {number} index 0-based place in the speed menu */
  setRateByIndex(index) {
    const option = this.speed?.options[index];
    if (option) this.setRate(Number(option.value));
  }

  first() {
    this.run.playhead.seek(0);
  }

  last() {
    this.run.playhead.goLive();
  }

  /** Go to the event before the one that was stepped to, or before the moment. */
  previous() {
    const { playhead, store } = this.run;
    const at = playhead.step_seq || store.seqAt(Math.ceil(playhead.t_ms) - 1) + 1;
    const record = store.recordBefore(at, isVisible);
    playhead.seek(record?.at_ms ?? 0, record?.seq);
  }

  /** Go to the next event; at the newest moment the owner lets the simulation produce one. */
  next() {
    const { playhead, store, clock } = this.run;
    const at = playhead.step_seq || playhead.seq;
    // While time passes, everything recorded has been shown already.
    const record = playhead.live && clock.running ? null : store.recordAfter(at, isVisible);
    if (record && playhead.live) playhead.stepLive(record.seq);
    else if (record) playhead.seek(record.at_ms, record.seq);
    else this.nextOfRun();
  }

  nextOfRun() {
    const { playhead, store } = this.run;
    playhead.goLive();
    if (!this.owns) return;
    this.asked_seq = store.headSeq;
    this.control({ do: "step" });
  }

  /** The run has produced the record it was asked for. */
  stepMade() {
    const { playhead, store, clock } = this.run;
    const record = this.asked_seq === null || clock.running ? null : store.recordAfter(this.asked_seq, isVisible);
    if (!record) return;
    this.asked_seq = null;
    if (playhead.live) playhead.stepLive(record.seq);
  }

  nextInteresting() {
    const { playhead, store } = this.run;
    // When Live, there is nothing later to go to.
    const t_ms = playhead.live ? null : store.nextInstant(playhead.t_ms, isInteresting);
    if (t_ms !== null) playhead.seek(t_ms);
    else this.nextOfRun();
  }

  previousInteresting() {
    const { playhead, store } = this.run;
    playhead.seek(store.previousInstant(playhead.t_ms, isInteresting) ?? 0);
  }

  /** @param {number} by_ms */
  nudge(by_ms) {
    const { playhead } = this.run;
    const aim_ms = playhead.t_ms + by_ms;
    if (by_ms > 0 && aim_ms >= playhead.end_ms) playhead.goLive();
    else playhead.seek(aim_ms);
  }

  /** Toggle Live; if the lanes were panned away, bring them back first. */
  toggleLive() {
    const { playhead, timeline } = this.run;
    if (!playhead.live) playhead.goLive();
    // A second press leaves Live, but the first one after panning only brings the lanes back.
    else if (timeline?.viewport.follow !== false) playhead.freeze();
  }

  openGoTo() {
    if (!this.asked) return;
    this.asked.hidden = false;
    this.field?.focus();
  }

  closeGoTo() {
    if (!this.asked || !this.field || this.asked.hidden) return;
    const hadFocus = this.field === document.activeElement;
    this.field.value = "";
    this.asked.hidden = true;
    if (hadFocus) find("#timeline", this.main)?.focus({ preventScroll: true });
  }

  /** @param {string} written  a moment, as people write it */
  goTo(written) {
    goTo(this, written);
  }

  /** Send a command to the clock; failures are shown. @param {Record<string, string>} fields @returns {Promise<boolean>} whether it was done, or will be once there is a place for the run */
  async control(fields) {
    if (fields.do !== "step") this.asked_seq = null;
    try {
      const response = await post(this.run.controlUrl, fields);
      if (response.status === 204) return true;
      // The answer may be a redirect to another page, as for htmx.
      const elsewhere = response.headers.get("HX-Redirect");
      if (elsewhere) {
        location.assign(elsewhere);
        return true;
      }
      const answer = await response.json().catch(() => ({}));
      if (answer.waits) toast(answer.waits, "warn");
      else toast(answer.text || text("act.failed", { status: response.status }), "bad");
      return Boolean(answer.waits);
    } catch {
      toast(text("control.offline"), "bad");
      return false;
    }
  }

  /** Update the bar for the moment shown. */
  show() {
    const { playhead, clock } = this.run;
    const playing = playhead.live ? clock.running : playhead.replaying;
    const time = text("time.prefix", { time: clockText(playhead.t_ms) });
    // Called in every frame; the elements are touched only if one of these has changed.
    const state = `${time}|${playing}|${playhead.live}|${this.run.role}|${clock.frame.rate}|${Math.round(playhead.end_ms / 250)}`;
    if (state === this.shown) return;
    this.shown = state;
    setText(this.timeText, time);
    setAttributes(this.playButton, { "aria-pressed": String(playing), "aria-label": text(playing ? "play.pause" : "play.play") });
    this.showLive();
    this.showScrubber();
    this.showSpeed();
  }

  showLive() {
    const { playhead, timeline } = this.run;
    setAttributes(this.liveButton, { "aria-pressed": String(playhead.recorded ? playhead.isNewest : playhead.live && timeline?.viewport.follow !== false) });
    const behind = playhead.end_ms - playhead.t_ms;
    const [here, back] = playhead.recorded ? ["live.end", "live.before_end"] : ["live.on", "live.behind"];
    const label = playhead.isNewest || behind < 500 ? text(here) : text(back, { time: lengthText(Math.round(behind / 1000) * 1000) });
    setText(this.liveLabel, label);
  }

  showScrubber() {
    const { playhead } = this.run;
    if (!this.scrubber) return;
    const share = playhead.end_ms > 0 ? playhead.t_ms / playhead.end_ms : 1;
    this.scrubber.value = String(Math.round(share * Number(this.scrubber.max)));
    this.scrubber.style.setProperty("--share", String(share));
    const where = text(playhead.live ? "scrubber.live" : "scrubber.past");
    setAttributes(this.scrubber, { "aria-valuetext": text("scrubber.value", { time: clockText(playhead.t_ms), end: clockText(playhead.end_ms), live: where }) });
  }

  showSpeed() {
    const { playhead, clock } = this.run;
    // The reader is choosing: the menu must not change while it is open.
    if (!this.speed || document.activeElement === this.speed) return;
    this.speed.disabled = playhead.live && !this.owns;
    const rate = String(playhead.live ? clock.frame.rate : playhead.rate);
    if (this.speed.value !== rate && [...this.speed.options].some((option) => option.value === rate)) this.speed.value = rate;
  }

  showNext() {
    if (this.nextText) setText(this.nextText, this.nextWords());
  }

  /** What happens next, or why nothing does. */
  nextWords() {
    const { playhead, store, clock } = this.run;
    if (playhead.live && this.owns && holdsAct(clock.frame, store.lastAct)) return text("state.holds_act");
    if (!playhead.live && this.owns) return text("branch.warning");
    const [next] = playhead.live ? store.pending(playhead.t_ms) : [];
    if (!next) return playhead.live && isResting(clock.frame) ? text("state.resting") : "";
    const subject = parseSubject(next.subject);
    const values = { container: subject.container, pod: shortPod(subject.pod), time: lengthText(next.until_ms - playhead.t_ms) };
    return text(`next.${next.kind}`, values);
  }
}

/**
 * Buttons anywhere on the page that trigger an action: `data-do="…"`.
 * @param {HTMLElement} root
 * @param {Record<string, () => void>} actions
 */
export function wireActions(root, actions) {
  root.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-do]") : null;
    const action = button instanceof HTMLElement ? actions[button.dataset.do || ""] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
  for (const form of findAll("form[data-control]", root)) form.addEventListener("submit", (event) => event.preventDefault());
}
