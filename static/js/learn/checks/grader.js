// @ts-check
/**
 * One check, fed with the records of a run: simulator/scenarios/grading/grader.py for the browser; the theory is explained there.
 * tests/scenarios/grading.json keeps the two in step.
 */

import { NearMisses } from "./near.js";
import { isOpen, matches, thingOf } from "./patterns.js";
import { OF_THE_API, ON_THE_NODE, States } from "./states.js";

/** @typedef {import("../../wire/record.js").Rec} Rec */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("./patterns.js").Lineage} Lineage */
/** @typedef {"open" | "kept" | "broken" | "vacuous" | "lost"} Verdict */
/** @typedef {"eventually" | "never" | "always" | "at_most" | "order" | "lasts"} Word */

/**
 * @typedef {Partial<Record<Word, Pattern | null>> & { id: string, text?: string, points?: number, reason?: string, then?: Pattern | null,
 *   times?: number | null, least?: number | null, most?: number | null, max?: string, from?: string, by?: string, at?: string, after?: Pattern | null, each?: boolean, any?: boolean,
 *   until?: Pattern | null, within?: string, vacuous_ok?: boolean }} Check
 */

/**
 * @typedef {object} CheckResult
 * @property {string} id
 * @property {Verdict} verdict
 * @property {number | null} at_ms
 * @property {number} seq
 * @property {number} near_seq
 * @property {string} near
 * @property {number[]} seqs
 * @property {number} count
 * @property {number} spent_ms
 * @property {[number, number][]} stretches
 */

const WORDS = /** @type {Word[]} */ (["eventually", "never", "always", "at_most", "order", "lasts"]);
const UNITS = /** @type {Record<string, number>} */ ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 });
const SEQS_MAX = 100;

/** Milliseconds of `90s`, `1500ms` or `2m`; a bare number is seconds. @param {string} text */
export function spanMs(text) {
  const found = /^([\d.]+)(ms|s|m|h)?$/.exec(text);
  return found ? Math.round(Number(found[1]) * UNITS[found[2] ?? "s"]) : 0;
}

/** @param {Check} check @returns {Word} */
export const wordOf = (check) => WORDS.find((word) => check[word]) ?? "eventually";

/** Decides one check. Every record is added in order, from the first, each after it was added to the run's lineage. */
export class CheckGrader {
  /** @param {Check} check */
  constructor(check) {
    this.check = check;
    this.word = wordOf(check);
    this.pattern = check[this.word] ?? {};
    /** @type {Verdict} */
    this.verdict = "open";
    /** @type {number | null} */
    this.at_ms = null;
    this.seq = 0;
    this.from_ms = spanMs(check.at || check.from || "0s");
    this.by_ms = check.at || check.by ? spanMs(check.at || check.by || "") : Infinity;
    this.within_ms = check.within ? spanMs(check.within) : Infinity;
    this.times = check.times ?? 1;
    this.max_ms = spanMs(check.max || "0s");
    /** @type {{ from_ms: number, until_ms: number, base: number }[]} */
    this.windows = [];
    /** The time in the state before the window that decides. */
    this.spentBefore_ms = 0;
    this.isAhead = !check.after;
    this.hasOpened = this.hasHeld = this.isGone = this.isFinished = false;
    this.count = 0;
    /** @type {number[]} */
    this.seqs = [];
    const isState = this.word === "always" || this.word === "lasts" || (check.least ?? null) !== null;
    this.states = isState ? new States(this.pattern, check.least, check.most) : null;
    this.near = this.word === "eventually" && !this.states ? new NearMisses(this.pattern) : null;
  }

  get isDecided() {
    return this.verdict !== "open";
  }

  /** While it is open: the latest moment at which it will be decided, as far as is known. */
  get openUntil_ms() {
    return this.windows.length ? this.windows[0].until_ms : this.by_ms;
  }

  /** @param {Rec} record @param {Lineage} lineage */
  add(record, lineage) {
    const { check } = this;
    this.reach(record.at_ms - 1);
    if (this.isDecided) {
      this.miss(record, lineage);
      return;
    }
    // An occurrence counts from the first record of the moment on; a state is evaluated when the moment is over.
    if (this.isAhead && !this.states && record.at_ms >= this.from_ms) this.open(this.from_ms, 0);
    if (this.windows.length && check.until && matches(check.until, record, lineage)) this.closeAll(record.at_ms, record.seq);
    const opens = this.opens(record, lineage);
    this.take(record, lineage, !opens);
    if (opens && !this.isDecided) this.open(record.at_ms, record.seq);
  }

  /** @param {number} now_ms  every record up to this moment has been added */
  reach(now_ms) {
    if (!this.isDecided && this.isAhead && now_ms >= this.from_ms) this.open(this.from_ms, 0);
    while (!this.isDecided && this.windows.length) {
      const { until_ms } = this.windows[0];
      this.pass(Math.min(until_ms, now_ms));
      if (now_ms < until_ms || this.isDecided) return;
      this.close(until_ms, 0);
    }
    if (!this.isDecided && !this.isAhead && now_ms >= this.by_ms) this.end(this.by_ms);
  }

  /** @param {number} end_ms  the attempt ends */
  finish(end_ms) {
    this.reach(end_ms);
    this.closeAll(end_ms, 0);
    if (!this.isDecided) this.end(end_ms);
  }

  /** @returns {CheckResult} */
  result() {
    const isMissed = this.verdict === "broken" || this.verdict === "lost";
    const [near_seq, near] = (isMissed && this.near?.best()) || [0, ""];
    const { verdict, at_ms, seq, seqs, count, states } = this;
    return { id: this.check.id, verdict, at_ms, seq, near_seq, near, seqs, count, spent_ms: states && at_ms !== null ? states.spent(at_ms) - this.spentBefore_ms : 0, stretches: states?.stretches ?? [] };
  }

  /** @param {Rec} record @param {Lineage} lineage */
  opens(record, lineage) {
    const { after, each, any } = this.check;
    if (!after || (this.hasOpened && !each && !any)) return false;
    return record.at_ms >= this.from_ms && record.at_ms <= this.by_ms && matches(after, record, lineage);
  }

  /** @param {number} at_ms @param {number} seq */
  open(at_ms, seq) {
    const { check, states } = this;
    this.isAhead = false;
    this.hasOpened = true;
    if (check.any) this.windows = [];
    const base = check.any ? 0 : states ? states.spent(at_ms) : this.count;
    this.windows.push({ from_ms: at_ms, until_ms: Math.min(this.by_ms, at_ms + this.within_ms), base });
    this.judgeState(at_ms, states?.outsideSeq || seq);
  }

  /** @param {number} at_ms @param {number} seq */
  close(at_ms, seq) {
    this.windows.shift();
    if (this.word !== "eventually" && this.word !== "order") this.hold(at_ms, seq);
    else if (!this.check.any) this.decide("broken", at_ms, seq);
  }

  /** @param {number} at_ms @param {number} seq */
  closeAll(at_ms, seq) {
    if (!this.isDecided && this.windows.length) this.pass(at_ms);
    while (!this.isDecided && this.windows.length) this.close(at_ms, seq);
  }

  /** The check was kept in one window; with `each` there may be others. @param {number} at_ms @param {number} seq */
  hold(at_ms, seq) {
    this.hasHeld = true;
    if (!this.check.each) this.decide("kept", at_ms, seq);
  }

  /** No window is open and none will be. @param {number} at_ms */
  end(at_ms) {
    const isKept = this.hasHeld || (!this.hasOpened && this.check.vacuous_ok);
    this.decide(isKept ? "kept" : this.hasOpened ? "broken" : "vacuous", at_ms, 0);
  }

  /** @param {Verdict} verdict @param {number} at_ms @param {number} seq */
  decide(verdict, at_ms, seq) {
    Object.assign(this, { verdict, at_ms, seq });
    this.states?.cut(at_ms);
  }

  /** @param {Rec} record @param {Lineage} lineage @param {boolean} counts */
  take(record, lineage, counts) {
    const isOpenNow = this.windows.length > 0;
    if (this.states) {
      if (this.states.take(record, lineage) && isOpenNow) this.judgeState(record.at_ms, record.seq);
    } else if (counts && isOpenNow && matches(this.pattern, record, lineage)) this.occur(record);
    else if (this.word === "order" && isOpenNow && this.check.then && matches(this.check.then, record, lineage)) this.decide("broken", record.at_ms, record.seq);
    else {
      this.miss(record, lineage);
      this.lose(record);
    }
  }

  /** Evaluate the state when a scope opens, and at every change. @param {number} at_ms @param {number} seq */
  judgeState(at_ms, seq) {
    const { states } = this;
    if (!states) return;
    if (this.word === "always" && !states.holds) this.decide("broken", at_ms, seq);
    while (this.word === "eventually" && this.windows.length && states.holds) {
      this.windows.shift();
      this.hold(at_ms, states.seq);
    }
  }

  /** The pattern occurred in the scope. @param {Rec} record */
  occur({ at_ms, seq }) {
    this.count += 1;
    if (this.seqs.length < SEQS_MAX) this.seqs.push(seq);
    const counted = this.count - this.windows[0].base;
    if (this.word === "never" || (this.word === "at_most" && counted > this.times)) this.decide("broken", at_ms, seq);
    if (this.word === "order") {
      this.windows = [];
      this.hold(at_ms, seq);
    }
    while (this.word === "eventually" && this.windows.length && this.count - this.windows[0].base >= this.times) {
      this.windows.shift();
      this.hold(at_ms, seq);
    }
  }

  /** Time passed with the first window open: a state may last too long. @param {number} now_ms */
  pass(now_ms) {
    if (this.word !== "lasts" || !this.states) return;
    this.spentBefore_ms = this.windows[0].base;
    const at_ms = this.states.passes(this.spentBefore_ms + this.max_ms);
    if (at_ms <= now_ms) this.decide("broken", at_ms, this.states.seq);
  }

  /** @param {Rec} record @param {Lineage} lineage */
  miss(record, lineage) {
    if (this.verdict !== "kept") this.near?.take(record, lineage, this.windows.length ? null : this.hasOpened ? "late" : "early");
  }

  /** A pod's object is gone, and one of the same name would be another pod; what runs on its node may outlive it. @param {Rec} record */
  lose({ machine, target, subject, at_ms, seq }) {
    const { pattern } = this;
    if (this.word !== "eventually" || pattern.or || isOpen(pattern.subject) || subject !== thingOf(pattern.subject ?? "")) return;
    if (machine === "object" && target === "gone") this.isGone = true;
    if (machine === "pod_worker" && target === "finished") this.isFinished = true;
    const of = pattern.machine ?? "";
    const isOfTheApi = OF_THE_API.has(of) || of === "object";
    if (this.isGone && this.windows.length && (isOfTheApi || (this.isFinished && ON_THE_NODE.has(of)))) this.decide("lost", at_ms, seq);
  }
}
