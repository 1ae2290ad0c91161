import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { changeKept, dueAsks, forgetKept, keepAnswer, keepCheck, readKept } from "../../../static/js/levels/kept.js";
import { ownProgress, takeProgressFile } from "../../../static/js/levels/progress.js";
import { keepProgress, readProgress } from "../../../static/js/learn/progress.js";

const DAY_MS = 86_400_000;
/** The browser's storage. */
let kept;

beforeEach(() => {
  kept = {};
  globalThis.localStorage = /** @type {any} */ ({ getItem: (name) => kept[name] ?? null, setItem: (name, value) => (kept[name] = value), removeItem: (name) => delete kept[name] });
});

test("a level that was passed keeps its first day, and the fewest acts", () => {
  keepCheck("a", false, 9);
  assert.deepEqual(readKept().levels.a, { tries: 1 });
  keepCheck("a", true, 5);
  const { passed } = readKept().levels.a;
  assert.match(passed, /^\d{4}-\d\d-\d\d$/);
  keepCheck("a", true, 7);
  keepCheck("a", true, 3);
  keepCheck("a", false, 1);
  assert.deepEqual(readKept().levels.a, { tries: 5, passed, acts: 3 });
});

test("a prediction comes back tomorrow where it was wrong, and ever later where it was right", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 0 });
  const days = [true, true, true, true, true, false, true].map((right) => {
    keepAnswer("q", right, { home: "h", text: "t" });
    return [readKept().asks.q.right, readKept().asks.q.due / DAY_MS];
  });
  assert.deepEqual(days, [[1, 1], [2, 3], [3, 7], [4, 21], [5, 21], [0, 1], [1, 1]]);
});

test("predictions that are due are asked again, the longest due first, until they were right four times", () => {
  kept["podscope.levels"] = JSON.stringify({ asks: { a: { right: 0, due: 50 }, b: { right: 3, due: 20 }, c: { right: 4, due: 10 }, d: { right: 0, due: 101 }, e: { right: 0, due: 100 } } });
  assert.deepEqual(dueAsks(100).map(([id]) => id), ["b", "a", "e"]);
});

test("what cannot be read counts as nothing", () => {
  for (const words of ["", "[", "null", '{"levels": null, "asks": 5, "other": {}}']) {
    kept["podscope.levels"] = words;
    assert.deepEqual(readKept(), { levels: {}, asks: {}, hints: {}, asked: {}, found: {} }, words);
  }
});

test("a browser that keeps nothing does no harm", () => {
  globalThis.localStorage = /** @type {any} */ ({ getItem() { throw new Error(); }, setItem() { throw new Error(); }, removeItem() { throw new Error(); } });
  keepCheck("a", true, 1);
  forgetKept();
  keepProgress("s", ["a"]);
  assert.deepEqual([readKept().levels, readProgress()], [{}, {}]);
});

test("hints of the last fifty runs are kept", () => {
  changeKept(({ hints, asked }) => {
    for (let run = 0; run < 52; run += 1) hints[`r${run}`] = [];
    asked.r0 = [];
  });
  const runs = Object.keys(readKept().hints);
  assert.deepEqual([runs.length, runs[0], Object.keys(readKept().asked)], [50, "r2", ["r0"]]);
});

test("progress out of a file stands beside what is here: what was passed in either is passed", () => {
  keepCheck("here", true, 4);
  keepAnswer("q", true, { home: "here", text: "" });
  const { passed } = readKept().levels.here;
  assert.equal(takeProgressFile(JSON.stringify({ levels: { here: { tries: 9 }, there: { passed: "2020-01-01" }, odd: null }, asks: {} })), true);
  const { levels } = readKept();
  assert.deepEqual([levels.here.passed, levels.here.tries, levels.there.passed, levels.odd], [passed, 9, "2020-01-01", undefined]);
  takeProgressFile(JSON.stringify({ levels: { here: { passed: "2019-01-01" } }, asks: {} }));
  assert.equal(readKept().levels.here.passed, "2019-01-01");
});

test("a file of something else is not taken", () => {
  assert.deepEqual(["", "{", "null", "5", '{"levels": {}}', '{"asks": {}}', '{"levels": {}, "asks": {}}'].map(takeProgressFile), [false, false, false, false, false, false, true]);
});

test("what is kept can be written down, and forgotten", () => {
  keepCheck("a", false, 1);
  assert.deepEqual(ownProgress().levels, { a: { tries: 1 } });
  forgetKept();
  assert.deepEqual(readKept().levels, {});
});

test("steps of a story are kept once each, and what is no list is left out", () => {
  keepProgress("s", ["a", "b", "a"]);
  assert.deepEqual(readProgress(), { s: ["a", "b"] });
  kept["podscope.stories"] = '{"s": ["a"], "t": 5}';
  assert.deepEqual(readProgress(), { s: ["a"] });
});
