import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { endExam, isExamOn, writeExam } from "../../../static/js/levels/exam-state.js";

const BEGUN = 1_000_000;
const MINUTE_MS = 60_000;

beforeEach(() => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  writeExam({ begun: BEGUN, minutes: 10, ended: 0, tasks: [{ key: "a", title: "A" }] });
});

test("an exam goes on for its tasks until its time is up", () => {
  const at = (minutes) => isExamOn("a", BEGUN + minutes * MINUTE_MS);
  assert.deepEqual([at(0), at(9), at(10)], [true, true, false]);
});

test("a task of another exam is over", () => assert.equal(isExamOn("b", BEGUN), false));

test("an exam that was ended is over", () => {
  endExam();
  assert.equal(isExamOn("a", BEGUN), false);
});

test("where no exam is known, none goes on", () => {
  writeExam(null);
  assert.equal(isExamOn("a", BEGUN), false);
});
