// @ts-check
/** Which records affect what a panel shows: what happens to other pods is no reason to fetch it again. */

import { parseSubject } from "../wire/record.js";

/** Panels that show only the selection. The others (map, resources, scheduling, kubectl) may show any pod. */
const OWN = new Set(["inspector", "faults", "faultbar", "why", "yaml", "describe", "logs", "events", "machine"]);
/** Machines of the records that the inspector's list of pods shows for each pod. */
const LISTED = new Set(["status_word", "object", "condition"]);

export class Concerns {
  constructor() {
    /** @type {Map<string, number[]>} pod → numbers of the records about it and its parts */
    this.pods = new Map();
    /** @type {number[]} numbers of records that are about no pod: nodes, workloads, images, commands */
    this.shared = [];
    /** @type {number[]} numbers of records about any pod that another pod's inspector shows too */
    this.listed = [];
  }

  /** @param {{ seq: number, subject: string, machine: string, source?: string }} record  in order */
  add({ seq, subject, machine, source }) {
    const { pod } = parseSubject(subject);
    if (!pod) this.shared.push(seq);
    else {
      const known = this.pods.get(pod);
      if (known) known.push(seq);
      else this.pods.set(pod, [seq]);
      // When an image pull ends, the node's next pull gets an expected end, which is counted down to.
      if (LISTED.has(machine) || (machine === "container" && source === "pulling")) this.listed.push(seq);
    }
  }

  /**
   * The last record up to `seq` that affects the panel; the causes of a chosen record never change.
   * @param {string} tab
   * @param {string} sel
   * @param {number} rec
   * @param {number} seq
   */
  last(tab, sel, rec, seq) {
    if (tab === "why" && rec) return Math.min(rec, seq);
    const own = this.pods.get(parseSubject(sel).pod);
    const last = own ? upTo(own, seq) : 0;
    // For a pod that does not exist yet, another one is shown.
    if (!last || !OWN.has(tab)) return seq;
    return Math.max(last, upTo(this.shared, seq), tab === "inspector" ? upTo(this.listed, seq) : 0);
  }
}

/** The last of ascending numbers that is at most `seq`, 0 if there is none. @param {number[]} numbers @param {number} seq */
function upTo(numbers, seq) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= seq) low = middle + 1;
    else high = middle;
  }
  return low ? numbers[low - 1] : 0;
}
