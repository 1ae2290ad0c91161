// @ts-check
/**
 * Why something was recorded and what it led to, as records: the chain of causes back to an act or the beginning, and what
 * followed from it until the same thing changed again.
 */

/** @typedef {import("../wire/record.js").Rec} Rec */
/** @typedef {{ get: (seq: number) => Rec | undefined, headSeq: number }} Store */

/** As many steps as the panel Why tells. */
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
    // A cause is always older. One that is not would be a fault of the log, and must not hang the page.
    record = record.cause < record.seq ? store.get(record.cause) : undefined;
  }
  return found;
}

/** What followed from a record, in order; each record is looked at once, however often the run grows. */
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

  /** Take in what has been recorded since. @returns {Rec[]} */
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
    // The same thing has changed again: what follows now follows from that.
    if (first && record.machine === first.machine && record.subject === first.subject && record.kind === first.kind) this.done = true;
    else if (this.seqs.has(record.cause)) {
      this.seqs.add(record.seq);
      this.records.push(record);
      this.done = this.records.length >= EFFECTS_MAX;
    }
  }
}
