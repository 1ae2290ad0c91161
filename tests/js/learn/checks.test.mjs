import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { AttemptGrader, LiveAttempt } from "../../../static/js/learn/checks/attempt.js";
import { Lineage } from "../../../static/js/learn/checks/patterns.js";
import { CheckProgress } from "../../../static/js/learn/story-checks.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../scenarios/${name}`, import.meta.url), "utf8"));
const { runs, cases } = read("grading.json");

for (const { what, run, check, want, end_ms, now_ms, given } of cases) {
  test(`check: ${what}`, () => {
    const attempt = new AttemptGrader([check], given);
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

const READY = { id: "c", always: { machine: "condition", subject: "condition/default/web/Ready", target: "True" }, at: "22s" };
const storeOf = (records) => ({ headSeq: records.length, get: (seq) => records[seq - 1] });
const verdictOf = (attempt) => attempt.grader.results()[0].verdict;

test("a run that stands at the moment has decided, until an act comes at that very moment", () => {
  const records = runs.web.filter(({ at_ms }) => at_ms <= 22000);
  const attempt = new LiveAttempt([READY], 50000);
  attempt.read(storeOf(records.slice(0, -1)), 21999);
  assert.equal(verdictOf(attempt), "open");
  attempt.read(storeOf(records), 22000);
  assert.equal(verdictOf(attempt), "broken");
  const ready = { ...records[2], seq: records.length + 1, at_ms: 22000 };
  attempt.read(storeOf([...records, ready]), 22000);
  assert.equal(verdictOf(attempt), "kept");
});

test("what comes at the very end of an attempt counts, what comes after it does not", () => {
  const attempt = new LiveAttempt([{ id: "c", never: { machine: "condition", target: "False" } }], 20000);
  const before = runs.web.filter(({ at_ms }) => at_ms < 20000);
  attempt.read(storeOf(before), 20000);
  assert.equal(verdictOf(attempt), "kept");
  attempt.read(storeOf([...before, { ...runs.web[4], at_ms: 20001 }]), 20001);
  assert.equal(verdictOf(attempt), "kept");
  attempt.read(storeOf([...before, runs.web[4]]), 20001);
  assert.equal(verdictOf(attempt), "broken");
});

for (const [what, check, now_ms, until_ms] of [
  ["a moment", READY, 5000, 22000],
  ["a window of its own", { id: "c", never: { machine: "stop" }, after: { kind: "command" }, within: "5s" }, 12000, 15000],
  ["the attempt alone", { id: "c", never: { machine: "stop" } }, 5000, Infinity],
])
  test(`an open check knows until when: ${what}`, () => {
    const attempt = new LiveAttempt([check], 50000);
    attempt.read(storeOf(runs.web.filter(({ at_ms }) => at_ms <= now_ms)), now_ms);
    assert.equal(attempt.grader.graders[0].openUntil_ms, until_ms);
  });

test("of what occurred so many records are named, and all are counted", () => {
  const found = (count) => {
    const attempt = new AttemptGrader([{ id: "c", at_most: { machine: "condition", target: "True" }, times: 1000 }], []);
    for (let seq = 1; seq <= count; seq += 1) attempt.add({ ...runs.web[4], machine: "condition", target: "True", seq, at_ms: seq, cause: 0 });
    const [{ seqs, count: all }] = attempt.results();
    return [seqs.length, seqs.at(-1), all];
  };
  assert.deepEqual([found(99), found(100), found(102)], [[99, 99, 99], [100, 100, 100], [100, 100, 102]]);
});

test("an act of the learner's is a command that does something and was not given", () => {
  const lineage = new Lineage([[1000, "exec"]]);
  const isOwn = (seq, at_ms, data, kind = "command") => {
    const record = /** @type {any} */ ({ seq, at_ms, kind, subject: "", machine: "command", source: "", target: "accepted", cause: 0, rule: "", data });
    lineage.add(record);
    return lineage.isOwn(record);
  };
  assert.deepEqual([isOwn(1, 1000, { do: "exec" }), isOwn(2, 1000, { do: "exec" }), isOwn(3, 2000, { do: null }), isOwn(4, 2000, {}), isOwn(5, 2000, { do: "exec" }, "event")], [false, true, false, false, false]);
});
