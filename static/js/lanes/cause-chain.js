// @ts-check
/**
 * Why something was recorded and what it led to, as records: the chain of causes back to an act or the beginning, and the effects until the
 * same thing changed again.
 */

/** @typedef {import("../wire/record.js").Rec} Rec */
/** @typedef {{ get: (seq: number) => Rec | undefined, headSeq: number }} Store */

/** As many steps as the Why panel shows. */
const CAUSES_MAX = 40;
const EFFECTS_MAX = 24;

/**
 * The record and its causes, the newest first.
 * @param {Store} store
 * @param {number} seq
 * @returns {Rec[]}
 */
export function causesOf(store, seq) {
  const found = [];
  for (let record = store.get(seq); record && found.length < CAUSES_MAX; ) {
    found.push(record);
    // A cause is always older. If it is not, the log is faulty, and that must not hang the page.
    record = record.cause < record.seq ? store.get(record.cause) : undefined;
  }
  return found;
}

/** The effects of a record, in order; each record is looked at once, however often the run grows. */
export class Effects {
  /**
   * @param {Store} store
   * @param {number} seq
   */
  constructor(store, seq) {
    this.store = store;
    this.first = store.get(seq);
    /** @type {Rec[]} */
    this.records = [];
    this.seqs = new Set([seq]);
    this.read = seq;
    this.done = !this.first;
  }

  /** Take in what has been recorded since the last call. @returns {Rec[]} */
  upToDate() {
    while (!this.done && this.read < this.store.headSeq) {
      this.read += 1;
      const record = this.store.get(this.read);
      if (record) this.take(record);
    }
    return this.records;
  }

  /** @param {Rec} record */
  take(record) {
    const { first } = this;
    // The same thing has changed again: later effects follow from that change.
    if (first && record.machine === first.machine && record.subject === first.subject && record.kind === first.kind) this.done = true;
    else if (this.seqs.has(record.cause)) {
      this.seqs.add(record.seq);
      this.records.push(record);
      this.done = this.records.length >= EFFECTS_MAX;
    }
  }
}
