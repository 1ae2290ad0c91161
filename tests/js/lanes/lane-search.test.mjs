import assert from "node:assert/strict";
import { test } from "node:test";

import { firstEndingAfter, firstMarkFrom, spanAt } from "../../../static/js/lanes/lane-search.js";

test("spans and marks are found by their moment", () => {
  const spans = [{ t0: 0, t1: 10 }, { t0: 10, t1: 20 }, { t0: 30, t1: Infinity }];
  assert.deepEqual([0, 10, 19, 20, 99].map((t_ms) => firstEndingAfter(spans, t_ms)), [0, 1, 1, 2, 2]);
  assert.deepEqual([9, 10, 25, 30].map((t_ms) => spanAt(spans, t_ms)?.t0 ?? null), [0, 10, null, 30]);
  const marks = [5, 5, 8].map((t) => ({ t }));
  assert.deepEqual([0, 5, 6, 9].map((t_ms) => firstMarkFrom(marks, t_ms)), [0, 0, 2, 3]);
});
