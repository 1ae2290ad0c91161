// @ts-check
/** The nearest miss of what had to come and did not: simulator/scenarios/grading/near.py for the browser. */

import { isAbout, isData, isTarget } from "./patterns.js";

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
   * A record that was not counted.
   * @param {import("../../wire/record.js").Rec} record
   * @param {import("./patterns.js").Lineage} lineage
   * @param {Near | null} when  late or early outside of the scope
   */
  take(record, lineage, when) {
    const { pattern } = this;
    if (!pattern.machine || record.machine !== pattern.machine) return;
    const [about, target, data] = [isAbout(pattern, record, lineage), isTarget(pattern, record), isData(pattern, record)];
    if (about && target && data) {
      if (when && !(when === "late" && this.found.has(when))) this.found.set(when, record.seq);
    } else if (!when && about) this.found.set(target ? "data" : "target", record.seq);
    else if (!when && target && data) this.found.set("subject", record.seq);
  }

  /** @returns {[number, Near | ""]} */
  best() {
    const near = NEAREST_FIRST.find((each) => this.found.has(each));
    return near ? [this.found.get(near) ?? 0, near] : [0, ""];
  }
}
