// @ts-check
/** All checks of an attempt, fed with the records of one run: simulator/scenarios/grading/attempt.py for the browser. */

import { CheckGrader } from "./grader.js";
import { Lineage } from "./patterns.js";

/** @typedef {import("../../wire/record.js").Rec} Rec */

export class AttemptGrader {
  /** @param {import("./grader.js").Check[]} checks @param {[number, string][]} [given]  see Lineage */
  constructor(checks, given) {
    this.lineage = new Lineage(given);
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

/** An attempt that is graded while its run plays. */
export class LiveAttempt {
  /** @param {import("./grader.js").Check[]} checks @param {number} horizon_ms  when it ends @param {[number, string][]} [given]  see Lineage */
  constructor(checks, horizon_ms, given) {
    this.checks = checks;
    this.given = given;
    this.horizon_ms = horizon_ms;
    this.grader = new AttemptGrader(checks, given);
    /** How many records have been taken in. */
    this.seen = 0;
    this.reached_ms = 0;
  }

  /**
   * Take in what is new. A run that stands still at a moment has decided what ends there, but an act may still come at that very moment:
   * then everything is graded again, as it is for a record that came later than expected.
   * @param {{ headSeq: number, get(seq: number): Rec | null | undefined }} store
   * @param {number} known_ms  nothing more can be recorded before this moment
   */
  read(store, known_ms) {
    const { horizon_ms } = this;
    if ((store.get(this.seen + 1)?.at_ms ?? Infinity) <= Math.min(this.reached_ms, horizon_ms)) {
      this.grader = new AttemptGrader(this.checks, this.given);
      this.seen = this.reached_ms = 0;
    }
    for (; this.seen < store.headSeq; this.seen += 1) {
      const record = store.get(this.seen + 1);
      if (!record || record.at_ms > horizon_ms) break;
      this.grader.add(record);
    }
    this.reached_ms = Math.max(this.reached_ms, known_ms);
    if (this.reached_ms >= horizon_ms) this.grader.finish(horizon_ms);
    else this.grader.reach(this.reached_ms);
  }
}
