import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { AttemptGrader } from "../../../static/js/learn/checks/attempt.js";
import { CheckProgress } from "../../../static/js/learn/story-checks.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../scenarios/${name}`, import.meta.url), "utf8"));
const { runs, cases } = read("grading.json");

for (const { what, run, check, want, end_ms, now_ms } of cases) {
  test(`check: ${what}`, () => {
    const attempt = new AttemptGrader([check]);
    for (const record of runs[run]) if (record.at_ms <= (end_ms ?? now_ms)) attempt.add(record);
    if (end_ms === undefined) attempt.reach(now_ms);
    else attempt.finish(end_ms);
    const [found] = attempt.results();
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((name) => [name, found[name]])), want);
  });
}

const STORY = [
  { seq: 1, at_ms: 1000, kind: "transition", subject: "pod/default/web", machine: "phase", source: "Pending", target: "Running", cause: 0, rule: "PHASE", data: {} },
  { seq: 2, at_ms: 3000, kind: "command", subject: "pod/default/web", machine: "command", source: "", target: "accepted", cause: 0, rule: "COMMAND", data: { grace_s: 1, force: false } },
  { seq: 3, at_ms: 5000, kind: "transition", subject: "pod/default/web", machine: "phase", source: "Running", target: "Failed", cause: 2, rule: "PHASE", data: {} },
];

for (const { what, check, now_ms, verdict } of read("checks.json")) {
  test(`step of a story: ${what}`, () => {
    const progress = new CheckProgress(check);
    for (const record of STORY) progress.add(record);
    progress.reach(now_ms);
    assert.equal(progress.verdict, verdict);
  });
}
