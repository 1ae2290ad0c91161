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
