import assert from "node:assert/strict";
import { test } from "node:test";

import { open } from "../../../static/js/lanes/spans.js";

const record = (seq, data = {}) => ({ seq, at_ms: seq * 100, data });

/** The spans after these records, each `[from, to, word]`. */
function opened(...records) {
  const spans = [];
  for (const [seq, tone, word, data] of records) open(spans, record(seq, data), tone, word);
  return spans.map(({ t0, t1, text }) => [t0, t1, text]);
}

test("a span ends where the next one begins", () => {
  assert.deepEqual(opened([1, "waiting", "Pending"], [3, "ready", "Running"]), [[100, 300, "Pending"], [300, Infinity, "Running"]]);
});

for (const [what, before, after] of [
  ["its reason", ["failed", "Waiting", { reason: "ErrImagePull" }], ["failed", "Waiting", { reason: "ImagePullBackOff" }]],
  ["its instance", ["ready", "Running", { instance: 1 }], ["ready", "Running", { instance: 2 }]],
  ["its tone", ["notready", "Running", {}], ["ready", "Running", {}]],
  ["its word", ["failed", "Error", {}], ["failed", "OOMKilled", {}]],
]) {
  test(`a span splits on ${what}`, () => assert.equal(opened([1, ...before], [2, ...after]).length, 2));
}

test("a record that repeats the value adds only its data", () => {
  const spans = [];
  open(spans, record(1, { reason: "x", ready: false }), "ready", "Running");
  open(spans, record(2, { reason: "x", ready: true, exit_code: 3 }), "ready", "Running");
  assert.deepEqual(spans.map(({ t0, data }) => [t0, data]), [[100, { reason: "x", ready: true, exit_code: 3 }]]);
});
