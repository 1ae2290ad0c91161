// @ts-check
/** Which things are in a state, and for how long: simulator/scenarios/grading/states.py for the browser. */

import { isAbout, isData, isTarget, thingOf } from "./patterns.js";

/** @typedef {import("../../wire/record.js").Rec} Rec */
/** @typedef {import("./patterns.js").Pattern} Pattern */

/** Machines of which a subject has several: the data field that tells them apart. @type {Record<string, string>} */
const IDENTITY = { node_condition: "condition", taint: "key", hook: "hook" };
/** Machines that end for a pod once its object is gone. */
export const OF_THE_API = new Set(["phase", "condition", "status_word", "container_status"]);
/** Machines that end for a pod once its node, too, has nothing left of it. */
export const ON_THE_NODE = new Set(["container", "stop", "hook", "sandbox", "probe", "probe_attempt"]);
/** Machines whose empty state means that nothing is left that could have one. */
const ENDS_EMPTY = new Set(["status_word", "requests"]);
const STRETCHES_MAX = 100;

export class States {
  /** @param {Pattern} pattern @param {number | null} [least] @param {number | null} [most]  how many of them at the same time */
  constructor(pattern, least = null, most = null) {
    this.pattern = pattern;
    this.isCounted = least !== null || most !== null;
    this.least = least ?? (this.isCounted ? 0 : 1);
    this.most = most ?? Infinity;
    /** The last record about one of them. */
    this.seq = 0;
    /** @type {[number, number][]} */
    this.stretches = [];
    /** @type {Map<string, { subject: string, isIn: boolean, seq: number }>} */
    this.are = new Map();
    this.inCount = 0;
    /** Before the first record there are none, and that may be as many as are asked for. @type {number | null} */
    this.since_ms = this.least === 0 ? 0 : null;
    this.before_ms = 0;
  }

  /** Whether the requested number are in the state; without a number, whether there are any and all of them are in it. */
  get holds() {
    return this.isCounted ? this.areEnough : this.are.size > 0 && this.are.size === this.inCount;
  }

  get areEnough() {
    return this.least <= this.inCount && this.inCount <= this.most;
  }

  /** The last record about one that is not in the state; if there is none, the last about any. */
  get outsideSeq() {
    if (this.inCount > this.most) return this.seq;
    const outside = [...this.are.values()].filter(({ isIn }) => !isIn).map(({ seq }) => seq);
    return outside.length ? Math.max(...outside) : this.seq;
  }

  /** Whether the record said something about them. @param {Rec} record @param {import("./patterns.js").Lineage} lineage */
  take(record, lineage) {
    const { pattern } = this;
    if (record.machine === "object" && record.target === "gone" && OF_THE_API.has(pattern.machine ?? "")) return this.drop(record);
    if (record.machine !== pattern.machine || !isAbout(pattern, record, lineage)) return false;
    if (ENDS_EMPTY.has(record.machine) && !record.target && !(Array.isArray(pattern.target) && pattern.target.includes(""))) return this.drop(record);
    const name = IDENTITY[record.machine];
    const which = name ? String(record.data[name]) : "";
    if (name && name in (pattern.data ?? {}) && which !== String(pattern.data?.[name])) return false;
    this.set(record, which, isTarget(pattern, record) && isData(pattern, record));
    this.note(record);
    return true;
  }

  /** @param {Rec} record */
  drop(record) {
    const gone = [...this.are].filter(([, { subject }]) => thingOf(subject) === record.subject);
    for (const [key, { isIn }] of gone) {
      this.inCount -= Number(isIn);
      this.are.delete(key);
    }
    if (gone.length) this.note(record);
    return gone.length > 0;
  }

  /** @param {Rec} record @param {string} which @param {boolean} isIn */
  set({ subject, seq }, which, isIn) {
    const key = `${subject} ${which}`;
    this.inCount += Number(isIn) - Number(this.are.get(key)?.isIn ?? false);
    this.are.set(key, { subject, isIn, seq });
  }

  /** @param {Rec} record */
  note({ seq, at_ms }) {
    this.seq = seq;
    if (this.areEnough && this.since_ms === null) this.since_ms = at_ms;
    else if (!this.areEnough && this.since_ms !== null) this.endStretch(at_ms);
  }

  /** @param {number} at_ms */
  endStretch(at_ms) {
    const since_ms = this.since_ms ?? at_ms;
    this.before_ms += at_ms - since_ms;
    if (at_ms > since_ms && this.stretches.length < STRETCHES_MAX) this.stretches.push([since_ms, at_ms]);
    this.since_ms = null;
  }

  /** How long one of them has been in the state until now. @param {number} now_ms */
  spent(now_ms) {
    return this.before_ms + (this.since_ms === null ? 0 : now_ms - this.since_ms);
  }

  /** When the time in the state will exceed `spent_ms` if nothing changes. @param {number} spent_ms */
  passes(spent_ms) {
    return this.since_ms === null ? Infinity : this.since_ms + spent_ms - this.before_ms + 1;
  }

  /** Nothing after this moment is counted. @param {number} at_ms */
  cut(at_ms) {
    if (this.since_ms !== null) this.endStretch(Math.max(at_ms, this.since_ms));
  }
}
