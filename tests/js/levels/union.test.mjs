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

const RUN_PAGE = "/r/00000000-0000-0000-0000-000000000000/";
const exam = (more = {}) => ({ minutes: 6, ended: 0, tasks: [{ key: "a", title: "A" }], ...more });
const exams = (part) => cleaned({ exams: part }).exams;

test("a whole state of progress is kept as it is", () => {
  const whole = {
    levels: { a: { passed: "2026-11-02", acts: 2, tries: 3 } },
    asks: { "a/q": { right: 1, due: 5, text: "t", home: "/levels/a/" } },
    stories: { s: ["try-1", "watch-1"] },
    exams: { 7: exam({ ended: 9, tasks: [{ key: "a", title: "A", run: RUN_PAGE, result: { passed: true, at: 8, report: [] } }] }) },
  };
  assert.deepEqual(cleaned(whole), whole);
});

test("of an exam nothing is kept that is no count, no run and no title", () => {
  const tasks = [{ key: "a", title: 5, run: "https://evil.example/", result: { passed: "yes", report: [] } }, { key: "b", run: [RUN_PAGE], result: { passed: true, at: -1, report: [] } }, { key: "c", result: { passed: true, report: {} } }];
  assert.deepEqual(exams({ 1: { minutes: 6, ended: "9", tasks } }), { 1: exam({ tasks: [{ key: "a", title: "" }, { key: "b", title: "", result: { passed: true, at: 0, report: [] } }, { key: "c", title: "" }] }) });
  const minutes = (value) => exams({ 1: exam({ minutes: value }) })[1]?.minutes;
  assert.deepEqual([0, 1000, 1001, -1, 1.5, "6"].map(minutes), [0, 1000, undefined, undefined, undefined, undefined]);
  for (const part of [null, "x", [exam()], { x: exam() }, { "01": exam() }]) assert.deepEqual(exams(part), {});
});

test("an exam that one browser ended is over in both, at the first end", () => {
  const both = (one, other) => united(cleaned({ exams: { 1: exam({ ended: one }) } }), cleaned({ exams: { 1: exam({ ended: other }) } })).exams[1].ended;
  assert.deepEqual([both(0, 0), both(0, 5), both(9, 0), both(9, 5)], [0, 5, 9, 5]);
});

test("of a task that was not submitted the one with a run stays, and of two runs always the same", () => {
  const both = (...tasks) => {
    const [one, other] = tasks.map((task) => cleaned({ exams: { 1: exam({ tasks: [{ key: "a", title: "A", ...task }] }) } }));
    const [there, back] = [united(one, other), united(other, one)].map((found) => found.exams[1].tasks[0]);
    assert.deepEqual(there, back);
    return there;
  };
  assert.equal(both({ run: RUN_PAGE }, {}).run, RUN_PAGE);
  assert.equal(both({}, { run: RUN_PAGE }).run, RUN_PAGE);
  const later = RUN_PAGE.replace("0/", "1/");
  assert.deepEqual([both({ run: later }, { run: RUN_PAGE }).run, both({ title: "B" }, {}).title], [later, "B"]);
});

test("of an answer the words are kept, and of two at one moment always the same", () => {
  const ask = (more) => cleaned({ asks: { q: { right: 0, due: 5, ...more } } });
  assert.deepEqual([ask({ text: 7 }), ask({ text: "" }), ask({ text: "t" })].map(({ asks }) => asks.q), [{ right: 0, due: 5 }, { right: 0, due: 5 }, { right: 0, due: 5, text: "t" }]);
  for (const pair of [[ask({ text: "a" }), ask({ text: "b" })], [ask({ text: "b" }), ask({ text: "a" })]]) assert.equal(united(...pair).asks.q.text, "b");
});

test("what no browser knows of a level is not made up", () => {
  const both = (one, other) => united(cleaned({ levels: { a: one } }), cleaned({ levels: { a: other } })).levels.a;
  assert.deepEqual([both({}, {}), both({ tries: 2 }, {}), both({ passed: "2026-11-02" }, {}), both({}, { acts: 3 })], [{}, { tries: 2 }, { passed: "2026-11-02" }, { acts: 3 }]);
});
