// @ts-check
/**
 * Direct manipulation of the lanes: the end of a bar, a grace deadline and an attempt of a probe can be dragged, or moved with the keys.
 * Until it is released, or Enter is pressed, nothing happens except that the lanes show what would; then the form of the declared act is
 * submitted, once.
 *
 * A gesture is a question before it is an act. The browser knows no rules: it cannot say what follows if a container ends three seconds
 * earlier. So while the handle moves, the server is asked for the records that would follow (outlook.js: one request at a time, always for
 * the latest position), they are folded into a second LaneSet (hollow.js), and the lanes that would differ are drawn as outlines over the
 * actual ones. What is submitted in the end is the form that the server put into its last answer, for exactly the moment shown.
 * last answer, for exactly the moment shown.
 *
 *   ""          the handle is at the nearest hold, if the pointer or the selection is near one
 *   pressed     grabbed, not yet moved: may still turn out to be a click on what lies below
 *   dragged     follows the pointer; releasing it submits the act, unless it is back where it was
 *   armed       held without a pointer: moved with the keys, submitted with Enter; begin() starts here,
 *               and a press that neither moved nor meant something else ends here
 *   sending     waits for the answer about the last position, then submits the form and is over
 *
 * Escape, or losing the pointer, ends it from any state. holds.js says what can be held, where it may be moved to and which act at which
 * moment that means (pure); handle.js is the element, bubble.js the text next to it, sending.js the form. During a gesture the view does
 * not follow the present: it would move under the hand. Its previous state is kept in `kept` and restored at the end.
 */

import { clockText } from "../base/format.js";
import { addTexts, text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { spanAt } from "../lanes/lane-search.js";
import { parseSubject } from "../wire/record.js";
import { Bubble } from "./bubble.js";
import { Handle } from "./handle.js";
import { meaningOf, movedTo, STEPS, steppedBy } from "./holds.js";
import { hollowOf, paintHollow, paintMoment, statusAfter } from "./hollow.js";
import { GESTURE_MESSAGES } from "./messages.js";
import { Outlook } from "./outlook.js";
import { Sending } from "./sending.js";

addTexts(GESTURE_MESSAGES);

const SLOP_PX = 4;
const NEAR_PX = 7;
const SEEN_MS = 30_000;
/** The present moves on: ask again at this interval what would follow from acting now. */
const AGAIN_MS = 2000;
/** A live region that changes faster than this is not read out. */
const SPEAK_MS = 700;

/** @typedef {import("./holds.js").Hold} Hold */

export class Gestures {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.run = timeline.run;
    /** @type {Hold | null} what the handle is at */
    this.hold = null;
    /** @type {"" | "pressed" | "dragged" | "armed" | "sending"} */
    this.state = "";
    this.at_ms = 0;
    this.value = "";
    this.pointer = { x: 0, y: 0 };
    /** Whether the current press grabbed the handle. */
    this.isFresh = false;
    this.kept = { auto: false, follow: false };
    this.hollow = /** @type {import("./hollow.js").Hollow | null} */ (null);
    this.answer = /** @type {any} */ (null);
    this.speaking = 0;
    const { main } = this.run;
    this.handle = new Handle(timeline);
    this.bubble = new Bubble(main, { choose: (value) => this.choose(value), step: (by) => this.step(by * STEPS.ArrowRight), give: () => this.give(), cancel: () => this.cancel() });
    this.outlook = new Outlook(main.dataset.outlookUrl || "", (answer, wish) => this.answered(answer, wish));
    this.sending = new Sending(this.run);
    this.wire();
  }

  wire() {
    const { element } = this.handle;
    element.addEventListener("pointerdown", (event) => this.pressed(event));
    element.addEventListener("pointermove", (event) => this.moved(event));
    element.addEventListener("pointerup", (event) => this.released(event));
    element.addEventListener("pointercancel", () => this.cancel());
    element.addEventListener("keydown", (event) => this.keyed(event));
  }

  get isActive() {
    return this.state !== "";
  }

  get end_ms() {
    return this.run.playhead.end_ms;
  }

  /** The hold during a gesture. */
  get held() {
    return /** @type {Hold} */ (this.hold);
  }

  get meaning() {
    return meaningOf(this.held, this.at_ms, this.value, this.end_ms);
  }

  get shown_ms() {
    const at_ms = this.isActive ? this.at_ms : this.held.at_ms;
    return at_ms === Infinity ? this.end_ms : at_ms;
  }

  /** With every frame drawn: position the handle, and draw the outlines. @param {any} pen */
  frame(pen) {
    const { handle, timeline } = this;
    // Under the pointer the handle stays at its hold, or it would jump away from the hand that reaches for it.
    if (!this.isActive && !(handle.isOver && this.hold)) this.hold = handle.nearest();
    if (!handle.place(this.hold, this.hold ? this.shown_ms : 0, this.isActive)) return;
    if (!this.isActive) {
      handle.name(this.held);
      return;
    }
    if (this.hollow) paintHollow(pen, timeline.visible, timeline.body.scrollTop, this.hollow);
    paintMoment(pen, this.shown_ms, timeline.top.height);
    if (this.meaning.when === "now" && this.state !== "sending") this.ask();
    this.bubble.place(handle.element.getBoundingClientRect(), this.lanesEnd());
  }

  /** Lower edge of the last lane on screen: below it, nothing is covered. */
  lanesEnd() {
    const { stage, visible, body } = this.timeline;
    const last = visible[visible.length - 1];
    const box = stage.getBoundingClientRect();
    return last ? Math.min(box.bottom, box.top + last.y + last.h - body.scrollTop) : box.bottom;
  }

  /** Begin with the keys at the selection, or at what is under the pointer. */
  begin() {
    if (this.isActive) return;
    if (!this.handle.isOver) this.handle.hovered = "";
    this.hold = this.handle.nearest();
    if (!this.hold) {
      toast(text("gesture.nothing_held"), "info");
      return;
    }
    this.timeline.showLane();
    this.take("armed");
    this.timeline.reveal(this.shown_ms);
  }

  /** @param {"pressed" | "armed"} state */
  take(state) {
    const { viewport, card } = this.timeline;
    this.kept = { auto: viewport.auto, follow: viewport.follow };
    Object.assign(viewport, { auto: false, follow: false, aim: null });
    this.state = state;
    this.at_ms = this.held.at_ms;
    this.value = this.held.value;
    card.hide();
    this.handle.name(this.held);
    this.handle.place(this.held, this.shown_ms, true);
    this.handle.element.focus({ preventScroll: true });
    if (state === "armed") this.changed();
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    event.stopPropagation();
    if (event.button !== 0 || this.state === "sending" || !this.hold) return;
    event.preventDefault();
    this.handle.element.setPointerCapture(event.pointerId);
    this.pointer = { x: event.clientX, y: event.clientY };
    // A press on a handle that is already held (by the keys) goes on with it and is never a click on what is below.
    this.isFresh = this.state === "";
    if (this.state === "armed") this.state = "pressed";
    else this.take("pressed");
  }

  /** @param {PointerEvent} event */
  moved(event) {
    if (this.state !== "pressed" && this.state !== "dragged") return;
    event.stopPropagation();
    if (this.state === "pressed" && Math.hypot(event.clientX - this.pointer.x, event.clientY - this.pointer.y) < SLOP_PX) return;
    this.state = "dragged";
    const { viewport, stage } = this.timeline;
    this.at_ms = movedTo(this.held, viewport.tOf(event.clientX - stage.getBoundingClientRect().left), { end_ms: this.end_ms, near_ms: NEAR_PX * viewport.msPerPx });
    this.changed();
  }

  /** @param {PointerEvent} event */
  released(event) {
    if (this.state !== "pressed" && this.state !== "dragged") return;
    event.stopPropagation();
    const isDragged = this.state === "dragged";
    const meant = !isDragged && this.isFresh ? this.handle.meant(event, this.held) : null;
    this.state = "armed";
    if (meant) {
      this.end();
      this.timeline.pointer.select(meant);
    } else if (!isDragged) this.changed();
    else if (this.isMoved) this.give();
    else this.cancel();
  }

  /** An attempt that is dropped anywhere takes place there; an end that was in the past must have been moved. */
  get isMoved() {
    return this.held.kind === "tick" || this.held.at_ms === Infinity || this.at_ms !== this.held.at_ms;
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (!this.isActive || event.ctrlKey || event.metaKey || event.altKey) return;
    const by_ms = STEPS[event.key];
    if (event.key === "Escape") this.cancel();
    else if (this.state === "sending") return;
    else if (by_ms) this.step(event.shiftKey ? by_ms / 10 : by_ms);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.chooseBeside(event.key === "ArrowUp" ? 1 : -1);
    else if (event.key === "Enter" || event.key === " ") this.isMoved ? this.give() : this.cancel();
    else if (event.key === "Tab" && !event.shiftKey) this.bubble.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} by_ms */
  step(by_ms) {
    this.at_ms = steppedBy(this.held, this.at_ms, by_ms, this.end_ms);
    this.timeline.reveal(this.shown_ms);
    this.changed();
  }

  /** The choices come with the first answer; a key pressed before waits for it. @param {1 | -1} step */
  async chooseBeside(step) {
    if (!this.bubble.hasChoices) await this.outlook.settled();
    if (this.isActive && this.bubble.hasChoices) this.choose(this.bubble.beside(this.meaning.value, step));
  }

  /** The value of a grace period determines where it ends. @param {string} value */
  choose(value) {
    const hold = this.held;
    if (hold.kind !== "deadline") this.value = value;
    else if (Number(value) > 0) this.at_ms = movedTo(hold, hold.from_ms + 1000 * Number(value), { end_ms: this.end_ms, near_ms: 0 });
    this.changed();
  }

  /** The gesture now means something else. */
  changed() {
    this.ask();
    this.update();
    this.timeline.touch();
  }

  ask() {
    const { meaning, held } = this;
    // "Now" is another moment in each frame; it is asked about in steps, or no answer would ever match the question.
    const isPassing = meaning.when === "now" && this.run.clock.running;
    const at_ms = isPassing ? Math.ceil(meaning.at_ms / AGAIN_MS) * AGAIN_MS : meaning.at_ms;
    const until_ms = Math.max(this.timeline.viewport.end_ms, at_ms + SEEN_MS);
    /** @type {Record<string, string>} */
    const after = meaning.at_seq === null ? {} : { at_seq: String(meaning.at_seq) };
    this.outlook.want({ handle: held.kind, sel: held.subject, value: meaning.value, at_ms: String(Math.round(at_ms)), until_ms: String(Math.round(until_ms)), ...after });
  }

  /** @param {any} answer @param {Record<string, string>} wish */
  answered(answer, wish) {
    if (!this.isActive) return;
    this.answer = answer;
    this.hollow = answer.records ? hollowOf(this.run.store, answer, Number(wish.at_ms), this.end_ms) : null;
    this.update();
    this.timeline.touch();
  }

  update() {
    const { meaning, hollow, held, bubble } = this;
    const { pod } = parseSubject(held.subject);
    const after = hollow ? statusAfter(hollow, pod) : [];
    const is = hollow ? (spanAt(hollow.lanes.pods.get(pod)?.status.spans ?? [], hollow.at_ms)?.text ?? "") : "";
    bubble.update(this.answer, meaning, { end_ms: this.end_ms, value: meaning.value, isDragged: this.state === "dragged", after, is });
    const shown_ms = Math.round(this.shown_ms);
    this.handle.element.dataset.state = this.state;
    this.handle.announcePosition(held, shown_ms, `${clockText(shown_ms)}, ${bubble.line.textContent}`);
    this.run.main.dataset.gesture = `${held.kind}:${shown_ms}:${meaning.value}`;
    this.speak();
  }

  /** Announce what would follow once the gesture rests. */
  speak() {
    clearTimeout(this.speaking);
    this.speaking = window.setTimeout(() => {
      if (this.isActive && this.answer) this.timeline.spoken.say(this.bubble.speech);
    }, SPEAK_MS);
  }

  /** Submit the form of the act for exactly what is shown, once. */
  async give() {
    if (this.state === "sending" || !this.isActive) return;
    this.ask();
    const { meaning, held } = this;
    this.state = "sending";
    // Only with the answer for exactly this position, not for an earlier one.
    const answer = await this.outlook.settled();
    if (!this.isActive) return;
    if (answer?.fields && !answer.why_not) this.sending.give(answer.fields, held.subject, meaning);
    else toast(answer?.why_not || text("gesture.failed"), "warn");
    this.end();
  }

  cancel() {
    if (!this.isActive) return;
    this.end();
    this.timeline.spoken.say(text("gesture.cancelled"));
  }

  end() {
    const isFocused = document.activeElement === this.handle.element || this.bubble.contains(document.activeElement);
    this.state = "";
    this.answer = this.hollow = null;
    clearTimeout(this.speaking);
    this.outlook.drop();
    this.bubble.hide();
    // The view follows the present again, if it did before.
    Object.assign(this.timeline.viewport, this.kept);
    delete this.run.main.dataset.gesture;
    delete this.handle.element.dataset.state;
    this.handle.isOver = false;
    if (isFocused) this.timeline.element.focus({ preventScroll: true });
    this.timeline.invalidate();
  }
}
