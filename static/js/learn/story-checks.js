// @ts-check
/**
 * Whether a step of a story has come true in the records of a run: simulator/scenarios/expect.py for the browser, a check with the two
 * words that stories use. tests/scenarios/checks.json keeps the two in step.
 */

import { AttemptGrader } from "./checks/attempt.js";

/** @typedef {import("../wire/record.js").Rec} Rec */
/** @typedef {import("./checks/patterns.js").Pattern} Pattern */
/** @typedef {Pattern & { by?: string, times?: number, never?: boolean, after?: Pattern | null, within?: string }} Expectation */
/** @typedef {"open" | "done" | "broken"} Outcome */

/** An expectation, fed with the records of one run. Once done or broken it stays so. */
export class CheckProgress {
  /** @param {Expectation} expectation */
  constructor({ by = "", times = 1, never = false, after = null, within = "", ...pattern }) {
    const scope = { id: "", by, after, within };
    this.attempt = new AttemptGrader([never ? { ...scope, never: pattern } : { ...scope, eventually: pattern, times, any: after !== null }]);
  }

  /** @returns {Outcome} */
  get verdict() {
    const [{ verdict }] = this.attempt.graders;
    return verdict === "open" ? "open" : verdict === "kept" ? "done" : "broken";
  }

  /** @param {Rec} record the next record of the run */
  add(record) {
    this.attempt.add(record);
  }

  /** @param {number} now_ms every record up to this moment has been added */
  reach(now_ms) {
    this.attempt.reach(now_ms);
  }
}
