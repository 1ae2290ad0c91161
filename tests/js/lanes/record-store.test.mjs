import assert from "node:assert/strict";
import { test } from "node:test";

import { isInteresting } from "../../../static/js/lanes/record-store.js";
import { row, storeOf } from "../records.mjs";

test("rows that are held already are skipped", () => {
  const store = storeOf(row(1, 0), row(2, 10));
  assert.equal(store.append([row(2, 10), row(3, 20)]), 1);
  assert.equal(store.headSeq, 3);
});

test("a gap between rows is an error", () => assert.throws(() => storeOf(row(1, 0), row(3, 20)), /record 3 after 1/));

test("number of the last record at a moment", () => {
  const store = storeOf(row(1, 0), row(2, 100), row(3, 100), row(4, 250));
  assert.deepEqual([-1, 0, 99, 100, 249, 9999].map((t_ms) => store.seqAt(t_ms)), [0, 1, 1, 3, 3, 4]);
});

test("steps to instants, and over those that are not wanted", () => {
  const store = storeOf(row(1, 0), row(2, 100, { kind: "attempt", machine: "probe", subject: "probe/default/web/app/liveness" }), row(3, 200));
  assert.deepEqual([store.nextInstant(0), store.nextInstant(0, isInteresting), store.nextInstant(200)], [100, 200, null]);
  assert.deepEqual([store.previousInstant(200), store.previousInstant(200, isInteresting), store.previousInstant(0)], [100, 0, null]);
});
