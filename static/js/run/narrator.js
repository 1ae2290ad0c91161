// @ts-check
/**
 * One line of text under the timeline: the most important thing that happened just now. Read out at most every two seconds.
 *
 * The line is a live region, and what is read out cannot be taken back. So it does not say everything but chooses: each record has a weight
 * (lanes/sentences.js), and of what has passed since the line was last written the record with the greatest weight is described. At high
 * speed only weighty records are described at all. What was left out in passing is made up for: as soon as time goes slower or stands
 * still, the line says what was last worth saying at that moment, which is also what it says after a jump.
 *
 * A record that is stepped to is described whatever its weight, with its actor in front if the sentence does not begin with it.
 */

import { clockText } from "../base/format.js";
import { byActor, loadRules, text } from "../base/i18n.js";
import { setPreference, preference } from "../base/preferences.js";
import { needsRuleTexts, sentenceOf, weight } from "../lanes/sentences.js";

const PAUSE_MS = 2000;
const FAST_PERMILLE = 4000;
const ENOUGH = 2;
const ENOUGH_FAST = 4;
const LOOK_BACK = 400;
const TOGETHER_MS = 500;

export class Narrator {
  /**
   * @param {HTMLElement} element
   * @param {{ playhead: any, clock: any, store: any }} run
   */
  constructor(element, run) {
    this.element = element;
    this.speak();
    this.run = run;
    this.said = 0;
    /** The record that had been stepped to when the line was written. */
    this.step_seq = 0;
    /** The record of the sentence shown; 0 before the first. */
    this.shown_seq = 0;
    /** Whether the sentence was chosen while time was passing: then less is said, and about a longer stretch, than at a moment. */
    this.passing = false;
    this.hurried = false;
    this.saidAt = -Infinity;
    this.timer = 0;
    run.playhead.onFrame(() => this.look());
  }

  /** Whether the line is only there to be read, and is not spoken by itself. */
  get isSilent() {
    return preference("narrator") === "silent";
  }

  /** @param {boolean} on */
  silence(on) {
    setPreference("narrator", on ? "silent" : null);
    this.speak();
  }

  speak() {
    this.element.setAttribute("aria-live", this.isSilent ? "off" : "polite");
  }

  look() {
    const { playhead } = this.run;
    const seq = playhead.seq;
    if (seq === this.said && playhead.step_seq === this.step_seq && !this.owes) return;
    const wait = this.saidAt + PAUSE_MS - performance.now();
    if (playhead.moving && wait > 0) {
      // A live region that changes faster is not read out to the end.
      if (!this.timer) this.timer = window.setTimeout(() => this.later(), wait);
      return;
    }
    this.say(seq);
  }

  later() {
    this.timer = 0;
    this.look();
  }

  /** Whether time passes so fast that only weighty records are described. */
  get isFast() {
    const { playhead, clock } = this.run;
    return playhead.moving && (playhead.live ? clock.frame.rate : playhead.rate) > FAST_PERMILLE;
  }

  /** Whether something that was left out in passing is due now: time goes slower, or stands still. */
  get owes() {
    return this.run.playhead.moving ? this.hurried && !this.isFast : this.passing;
  }

  /** @param {number} seq */
  say(seq) {
    const { playhead, store } = this.run;
    // While time flows: the weightiest of what has passed since. Anything else is a jump: what was last worth saying there.
    const flows = playhead.moving && !this.owes && this.said > 0 && seq > this.said && seq - this.said < LOOK_BACK;
    this.step_seq = playhead.step_seq;
    const record = this.step_seq ? store.get(this.step_seq) : flows ? this.weightiest(this.said + 1, seq, this.isFast ? ENOUGH_FAST : ENOUGH) : this.before(store, seq);
    this.said = seq;
    this.passing = playhead.moving;
    this.hurried = this.isFast;
    if (record) this.show(record);
    else if (!flows) this.forget();
  }

  /** Nothing worth mentioning has happened yet. */
  forget() {
    this.shown_seq = 0;
    this.element.textContent = "";
    delete this.element.dataset.seekSeq;
  }

  /** @param {any} record  a record; the one already shown is not spoken again */
  show(record) {
    if (record.seq === this.shown_seq) return;
    this.saidAt = performance.now();
    this.element.textContent = "";
    const time = document.createElement("time");
    time.textContent = text("time.prefix", { time: clockText(record.at_ms) });
    const words = document.createElement("span");
    words.className = "narrator__text";
    this.write(words, record);
    // Said at once in general terms, and better when the texts of rules have come.
    if (needsRuleTexts(record) || this.step_seq) loadRules().then(() => this.shown_seq === record.seq && this.write(words, record));
    this.element.append(time, " ", words);
    this.element.dataset.seekSeq = String(record.seq);
    this.shown_seq = record.seq;
  }

  /** @param {HTMLElement} words @param {any} record  its sentence as far as it is known now */
  write(words, record) {
    words.textContent = this.step_seq ? byActor(record, sentenceOf(record)) : sentenceOf(record);
    words.title = words.textContent;
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {number} enough
   */
  weightiest(from, to, enough) {
    let best = null;
    for (let seq = from; seq <= to; seq += 1) {
      const record = this.run.store.get(seq);
      if (record && weight(record) >= enough && (!best || weight(record) >= weight(best))) best = record;
    }
    return best;
  }

  /**
   * What is said on the way through a stretch: the numbers of at most `limit` records.
   * @param {number} from_ms
   * @param {number} to_ms
   * @param {number} limit
   */
  seqsBetween(from_ms, to_ms, limit) {
    const { store } = this.run;
    const seqs = new Set();
    for (let seq = store.seqAt(to_ms); seq > store.seqAt(from_ms) && seqs.size < limit; seq -= 1) {
      const record = store.get(seq);
      if (record && weight(record) >= ENOUGH) seqs.add(this.before(store, seq).seq);
    }
    return [...seqs];
  }

  /**
   * The last thing worth saying at `seq`: of what happened together, the weightiest.
   * @param {any} store
   * @param {number} seq
   */
  before(store, seq) {
    for (let at = seq; at > 0; at -= 1) {
      const record = store.get(at);
      if (!record || weight(record) < ENOUGH) continue;
      return this.weightiest(store.seqAt(record.at_ms - TOGETHER_MS) + 1, at, ENOUGH);
    }
    return null;
  }
}
