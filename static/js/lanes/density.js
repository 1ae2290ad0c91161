// @ts-check
/** How much happened when, updated record by record: the numbers of records and of errors in bins of equal length. Pure. */

/** @typedef {{ at_ms: number, kind: string, machine: string, target: string, data: Record<string, any> }} Rec */

const FIRST_MS = 250;
/** Beyond this many bins, pairs are merged. */
const BINS_MAX = 2048;

export class Density {
  constructor() {
    this.bin_ms = FIRST_MS;
    /** @type {number[]} */
    this.counts = [];
    /** @type {number[]} */
    this.troubles = [];
  }

  /** @param {Rec} record */
  add(record) {
    // However long a run gets, the strip costs the same to keep and to draw.
    while (record.at_ms >= this.bin_ms * BINS_MAX) this.widen();
    const bin = Math.floor(record.at_ms / this.bin_ms);
    while (this.counts.length <= bin) {
      this.counts.push(0);
      this.troubles.push(0);
    }
    this.counts[bin] += 1;
    if (isTrouble(record)) this.troubles[bin] += 1;
  }

  widen() {
    this.bin_ms *= 2;
    this.counts = halved(this.counts);
    this.troubles = halved(this.troubles);
  }

  /**
   * The run from 0 to `end_ms` in columns of equal width.
   * @param {number} columns
   * @param {number} end_ms
   * @returns {{ count: number, troubles: number }[]}
   */
  columns(columns, end_ms) {
    const made = Array.from({ length: columns }, () => ({ count: 0, troubles: 0 }));
    for (let bin = 0; bin < this.counts.length; bin += 1) {
      if (!this.counts[bin]) continue;
      // A bin is counted whole in the column of its midpoint; with 2048 bins the difference is invisible.
      const column = made[Math.min(columns - 1, Math.floor(((bin + 0.5) * this.bin_ms * columns) / end_ms))];
      column.count += this.counts[bin];
      column.troubles += this.troubles[bin];
    }
    return made;
  }
}

/** @param {number[]} counts */
function halved(counts) {
  const made = [];
  for (let index = 0; index < counts.length; index += 2) made.push(counts[index] + (counts[index + 1] ?? 0));
  return made;
}

/**
 * What counts as an error: warnings, failed attempts, non-zero exits, refused acts.
 * @param {Rec} record
 */
export function isTrouble({ kind, machine, target, data }) {
  if (kind === "event") return data.type === "Warning";
  if (kind === "attempt") return target === "failure" || target === "timeout";
  if (kind === "command") return target === "refused";
  return machine === "container" && target === "exited" && Number(data.exit_code ?? 0) !== 0;
}
