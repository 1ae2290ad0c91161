// @ts-check
/** All checks of an attempt on their way through the records of one run: simulator/scenarios/grading/attempt.py for the browser. */

import { CheckGrader } from "./grader.js";
import { Lineage } from "./patterns.js";

/** @typedef {import("../../wire/record.js").Rec} Rec */

export class AttemptGrader {
  /** @param {import("./grader.js").Check[]} checks */
  constructor(checks) {
    this.lineage = new Lineage();
    this.graders = checks.map((check) => new CheckGrader(check));
  }

  /** @param {Rec} record  the next one, from the first */
  add(record) {
    this.lineage.add(record);
    for (const grader of this.graders) grader.add(record, this.lineage);
  }

  /** @param {number} now_ms  every record up to this moment has been added */
  reach(now_ms) {
    for (const grader of this.graders) grader.reach(now_ms);
  }

  /** @param {number} end_ms */
  finish(end_ms) {
    for (const grader of this.graders) grader.finish(end_ms);
    return this.results();
  }

  results() {
    return this.graders.map((grader) => grader.result());
  }
}
