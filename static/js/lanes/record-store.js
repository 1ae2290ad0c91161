// @ts-check
/**
 * All records of a run in memory, in order, with look-ups by moment and the indexes derived from them.
 *
 * The log is the truth and everything a page shows is a function of it and of a moment. Records are
 * numbered from 1 without gaps (`seq`), and their times never decrease, so that the record with
 * number n stands at index n - 1 and a moment is found by binary search. `seqAt(t)` is the bridge
 * between the two ways to name a point of a run: people point at times, but the server is asked by
 * number, because several records may share a millisecond and only a number says how many of them
 * have happened.
 *
 * `append` is the only way in. It takes rows as they come over the wire and may be given rows that
 * are here already: a socket, the socket that replaces it and a fetch of what they missed may each
 * bring the same stretch. A gap, however, is an error, since lanes are folded in order and cannot
 * be repaired later; the socket closes its gaps before it hands rows over (wire/run-socket.js).
 *
 * Each index is given each record once, as it comes: lanes for drawing, concerns for which panels have to be fetched again, density for the
 * strip of the whole run. Nothing here knows about the page, the present or the selection; two stores can live side by side, as they do
 * where two runs are compared.
 */

import { decode } from "../wire/record.js";
import { Concerns } from "./concerns.js";
import { Density } from "./density.js";
import { LaneSet } from "./lane-set.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

const STATE_MACHINES = new Set(["status_word", "container_status", "condition", "phase", "object"]);

export class RecordStore {
  /** @param {string} [loads]  see LaneSet */
  constructor(loads) {
    /** @type {Rec[]} the record of seq n is at n - 1 */
    this.records = [];
    this.lanes = new LaneSet(loads);
    this.concerns = new Concerns();
    this.density = new Density();
    this.head_ms = 0;
    /** The last moment at which there is anything to see. */
    this.active_ms = 0;
    /** @type {Rec | null} the last act, of any reader */
    this.lastAct = null;
  }

  get headSeq() {
    return this.records.length;
  }

  /**
   * Add rows in order; rows already held are skipped.
   * @param {any[][]} rows
   * @returns {number} how many were new
   */
  append(rows) {
    let added = 0;
    for (const row of rows) {
      // Two sources may bring the same rows; existing ones are never replaced, since lanes were made from them.
      if (row[0] <= this.records.length) continue;
      if (row[0] !== this.records.length + 1) throw new Error(`record ${row[0]} after ${this.records.length}`);
      const record = decode(row);
      this.records.push(record);
      this.head_ms = Math.max(this.head_ms, record.at_ms);
      if (record.kind === "command") this.lastAct = record;
      // The simulator's decisions go on when nothing visible happens; a view of "all that happened" leaves them out.
      if (isVisible(record)) this.active_ms = Math.max(this.active_ms, record.at_ms);
      this.lanes.add(record);
      this.concerns.add(record);
      this.density.add(record);
      added += 1;
    }
    return added;
  }

  /**
   * @param {number} seq
   * @returns {Rec | undefined}
   */
  get(seq) {
    return this.records[seq - 1];
  }

  /**
   * Seq of the last record at or before `t_ms`; 0 before the first.
   * @param {number} t_ms
   */
  seqAt(t_ms) {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.records[middle].at_ms <= t_ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The next instant after `t_ms` at which something was recorded, or null.
   * @param {number} t_ms
   * @param {(record: Rec) => boolean} [wanted]
   */
  nextInstant(t_ms, wanted) {
    for (let index = this.seqAt(t_ms); index < this.records.length; index += 1) {
      if (!wanted || wanted(this.records[index])) return this.records[index].at_ms;
    }
    return null;
  }

  /**
   * The last instant before `t_ms`, or null.
   * @param {number} t_ms
   * @param {(record: Rec) => boolean} [wanted]
   */
  previousInstant(t_ms, wanted) {
    for (let index = this.seqAt(t_ms) - 1; index >= 0; index -= 1) {
      const record = this.records[index];
      if (record.at_ms < t_ms && (!wanted || wanted(record))) return record.at_ms;
    }
    return null;
  }

  /**
   * The first record after record `seq` that `wanted` accepts, or null.
   * @param {number} seq
   * @param {(record: Rec) => boolean} wanted
   */
  recordAfter(seq, wanted) {
    for (let index = seq; index < this.records.length; index += 1) if (wanted(this.records[index])) return this.records[index];
    return null;
  }

  /**
   * The last record before record `seq` that `wanted` accepts, or null.
   * @param {number} seq
   * @param {(record: Rec) => boolean} wanted
   */
  recordBefore(seq, wanted) {
    for (let index = seq - 2; index >= 0; index -= 1) if (wanted(this.records[index])) return this.records[index];
    return null;
  }

  /**
   * What ends by itself after `t_ms`: the back-offs and grace periods known at that moment, the nearest first.
   * @param {number} t_ms
   */
  pending(t_ms) {
    return this.lanes.ends.at(t_ms);
  }
}

/**
 * True for records worth stopping at: changes of state that people ask about, warnings, failed attempts and the visitor's own acts.
 * @param {Rec} record
 */
export function isInteresting(record) {
  if (record.kind === "command") return true;
  if (record.kind === "event") return record.data.type === "Warning";
  return STATE_MACHINES.has(record.machine);
}

/**
 * True for records that a plain step stops at: everything except the simulator's internal bookkeeping.
 * @param {Rec} record
 */
export function isVisible(record) {
  return record.kind !== "decision";
}
