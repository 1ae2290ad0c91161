import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { cleaned, united } from "../../../static/js/levels/union.js";

const CASES = JSON.parse(readFileSync(new URL("../../levels/progress.json", import.meta.url), "utf8"));

for (const { what, one, other, both } of CASES) {
  test(`progress: ${what}`, () => {
    assert.deepEqual(united(cleaned(one), cleaned(other)), cleaned(both));
    assert.deepEqual(united(cleaned(other), cleaned(one)), cleaned(both));
  });
}

test("what is no progress is left out", () => {
  const hostile = {
    levels: { a: { passed: "<b>", acts: -1, tries: 1.5 }, b: 1, ["c".repeat(121)]: {}, d: { tries: 2, solution: "x" } },
    asks: { a: { right: "1", due: 1 }, b: { right: 0, due: 5, home: "//evil.example/" }, c: { right: 0, due: 5, home: "/\\evil.example/" }, d: { right: 0, due: 5, home: "/levels/a/" } },
    stories: { s: ["try-1", "<b>", 1, "try-1"], t: "try-1" },
    hints: { a: [] },
    exams: { x: { minutes: 1, tasks: [{ key: "a" }] }, 1: { minutes: 1, tasks: [] }, 2: { minutes: 1, tasks: [{ key: "<b>" }] }, 3: { minutes: -1, tasks: [{ key: "a" }] } },
  };
  assert.deepEqual(cleaned(hostile), {
    levels: { a: {}, d: { tries: 2 } },
    asks: { b: { right: 0, due: 5 }, c: { right: 0, due: 5 }, d: { right: 0, due: 5, home: "/levels/a/" } },
    stories: { s: ["try-1"] },
    exams: {},
  });
});

for (const value of [null, 1, "x", [], { levels: [], asks: null, stories: 3 }]) {
  test(`nothing of ${JSON.stringify(value)} is progress`, () => assert.deepEqual(cleaned(value), { levels: {}, asks: {}, stories: {}, exams: {} }));
}

test("of an exam only what can be shown is kept, as long as it may be", () => {
  const missed = { at_ms: 5, seq: 1, subject: "s", reason: "r", text: "t" };
  const reported = (...report) => cleaned({ exams: { 1: { minutes: 1, tasks: [{ key: "a", title: "A", result: { passed: false, at: 9, report } }] } } }).exams[1].tasks[0].result.report;
  assert.deepEqual(reported(missed, { ...missed, at_ms: null }), [missed, { ...missed, at_ms: null }]);
  assert.deepEqual(reported({ ...missed, seq: "1" }, { ...missed, at_ms: "5" }, { ...missed, seq: -1 }, { ...missed, at_ms: 1_000_000_001 }, null), []);
  assert.equal(reported({ ...missed, reason: "x".repeat(201) })[0].reason.length, 200);
  assert.equal(reported(missed, missed, missed, missed).length, 3);
});

test("keys, pages and counts are kept up to their greatest length, and not beyond", () => {
  const page = (length) => cleaned({ asks: { a: { right: 0, due: 1, home: `/${"a".repeat(length - 2)}/` } } }).asks.a.home?.length;
  assert.deepEqual([page(200), page(201)], [200, undefined]);
  const keys = Object.keys(cleaned({ levels: { ["a".repeat(120)]: {}, ["b".repeat(121)]: {} } }).levels);
  assert.deepEqual(keys.map((key) => key.length), [120]);
  const acts = (count) => cleaned({ levels: { a: { acts: count } } }).levels.a.acts;
  assert.deepEqual([acts(0), acts(1_000_000), acts(1_000_001)], [0, 1_000_000, undefined]);
});
