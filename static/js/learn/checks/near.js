// @ts-check
/** The nearest miss of something that had to happen and did not: simulator/scenarios/grading/near.py for the browser. */

import { eachOf, isAbout, isData, isTarget } from "./patterns.js";

/** @typedef {"late" | "early" | "data" | "target" | "subject"} Near */

const NEAREST_FIRST = /** @type {Near[]} */ (["late", "early", "data", "target", "subject"]);

export class NearMisses {
  /** @param {import("./patterns.js").Pattern} pattern */
  constructor(pattern) {
    this.pattern = pattern;
    /** @type {Map<Near, number>} */
    this.found = new Map();
  }

  /**
   * Note a record that was not counted.
   * @param {import("../../wire/record.js").Rec} record
   * @param {import("./patterns.js").Lineage} lineage
   * @param {Near | null} when  `late` or `early` if outside of the scope
   */
  take(record, lineage, when) {
    const found = eachOf(this.pattern).map((pattern) => nearOf(pattern, record, lineage, when));
    const near = NEAREST_FIRST.find((each) => found.includes(each));
    if (near && !(near === "late" && this.found.has(near))) this.found.set(near, record.seq);
  }

  /** @returns {[number, Near | ""]} */
  best() {
    const near = NEAREST_FIRST.find((each) => this.found.has(each));
    return near ? [this.found.get(near) ?? 0, near] : [0, ""];
  }
}

/** How a record differs from what was asked for; null if it does not come near. @param {import("./patterns.js").Pattern} pattern @param {import("../../wire/record.js").Rec} record @param {import("./patterns.js").Lineage} lineage @param {Near | null} when */
function nearOf(pattern, record, lineage, when) {
  if (!pattern.machine || record.machine !== pattern.machine) return null;
  const [about, target, data] = [isAbout(pattern, record, lineage), isTarget(pattern, record), isData(pattern, record)];
  if (about && target && data) return when;
  if (when) return null;
  if (about) return target ? "data" : "target";
  return target && data ? "subject" : null;
}
