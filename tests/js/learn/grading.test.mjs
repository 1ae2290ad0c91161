import assert from "node:assert/strict";
import { test } from "node:test";

import { counted, readScore, stateOf, writtenScore } from "../../../static/js/learn/grading.js";

const record = (seq, at_ms, kind = "transition") => ({ seq, at_ms, kind });

function run(end_ms, ...records) {
  return { end_ms, store: { headSeq: records.length, get: (seq) => records[seq - 1] } };
}

const BEFORE = [record(1, 0), record(2, 1000, "command")];
const ANSWER = { at_ms: 5000, seq: 4 };

test("a run that has not come to the record is on its way", () => {
  assert.equal(stateOf(run(4000, ...BEFORE), 2, ANSWER), "going");
  assert.equal(stateOf(run(5000, ...BEFORE, record(3, 5000)), 2, ANSWER), "going");
});

test("a run that has come to the record is there", () => assert.equal(stateOf(run(5000, ...BEFORE, record(3, 2000), record(4, 5000)), 2, ANSWER), "there"));

test("an act after the question makes it void, also where the run has come that far", () => {
  assert.equal(stateOf(run(2000, ...BEFORE, record(3, 2000, "command")), 2, ANSWER), "void");
  assert.equal(stateOf(run(6000, ...BEFORE, record(3, 2000, "command"), record(4, 5000)), 2, ANSWER), "void");
});

test("an act at the very moment of the answer, but before it, makes it void too", () => {
  assert.equal(stateOf(run(5000, ...BEFORE, record(3, 5000, "command"), record(4, 5000)), 2, ANSWER), "void");
  assert.equal(stateOf(run(5000, ...BEFORE, record(3, 5000, "command")), 2, { at_ms: 5000, seq: 0 }), "void");
});

test("an act before the question or after its answer does not", () => {
  assert.equal(stateOf(run(5000, ...BEFORE, record(3, 2000), record(4, 5000), record(5, 5000, "command")), 2, ANSWER), "there");
});

test("an answer without a record shows by its moment", () => {
  const none = { at_ms: 5000, seq: 0 };
  assert.equal(stateOf(run(4999, ...BEFORE), 2, none), "going");
  assert.equal(stateOf(run(5000, ...BEFORE), 2, none), "there");
  assert.equal(stateOf(run(9000, ...BEFORE, record(3, 7000, "command")), 2, none), "there");
  assert.equal(stateOf(run(9000, ...BEFORE, record(3, 4000, "command")), 2, none), "void");
});

test("the score counts every answer and comes back as it was written", () => {
  const two = counted(counted(readScore(null), true), false);
  assert.deepEqual(two, { right: 1, asked: 2 });
  assert.deepEqual(readScore(writtenScore(two)), two);
});

test("a score that nobody can have is none", () => {
  for (const wrong of ["", "3", "5/3", "-1/2", "a/b", "1/2/3"]) assert.deepEqual(readScore(wrong), { right: 0, asked: 0 });
});

test("a score of which all were right is one", () => assert.deepEqual([readScore("5/5"), readScore("6/5")], [{ right: 5, asked: 5 }, { right: 0, asked: 0 }]));
