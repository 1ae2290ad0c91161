import assert from "node:assert/strict";
import test from "node:test";

import { GLYPHS } from "../../../static/js/base/tones-table.js";
import { labelsOf } from "../../../static/js/timeline/bar-words.js";

const words = (kind, span, end_ms = 100_000) => labelsOf({ kind }, { t0: 0, t1: 5000, text: "", tone: "ready", data: {}, ...span }, end_ms);
const { failed, backoff, succeeded } = GLYPHS;

test("a container that runs says which instance it is", () => {
  assert.deepEqual(words("container", { text: "Running", data: { instance: 2 } }), ["#2 Running", "#2"]);
  assert.deepEqual(words("container", { text: "Running" }), ["#0 Running", "#0"]);
});

test("only what failed with an exit code says the code", () => {
  assert.deepEqual(words("container", { text: "Error", tone: "failed", data: { exit_code: 0 } }), [`${failed} Error 0`, "0", failed]);
  assert.deepEqual(words("container", { text: "ErrImagePull", tone: "failed" }), [`${failed} ErrImagePull`, failed]);
  assert.deepEqual(words("container", { text: "Completed", tone: "succeeded", data: { exit_code: 0 } }), [`${succeeded} Completed`, succeeded]);
});

test("a back-off says its length so far, to tenths, and no longer than the run", () => {
  const wait = { text: "CrashLoopBackOff", tone: "backoff", t0: 0, t1: 12_340 };
  assert.deepEqual(words("container", wait), [`${backoff} CrashLoopBackOff 12.3 s`, `${backoff} 12.3 s`, backoff]);
  assert.deepEqual(words("container", wait, 4000)[1], `${backoff} 4 s`);
});

test("a pod's word says how many are ready, where that is known", () => {
  assert.deepEqual(words("status", { text: "Error", tone: "failed", data: { ready: "0/1" } }), [`${failed} Error 0/1`, `${failed} Error`, failed]);
  assert.deepEqual(words("status", { text: "Error", tone: "failed" }), [`${failed} Error`, failed]);
});

test("what is out of date says so at each length, what is inferred says that", () => {
  assert.deepEqual(words("phase", { text: "Running", data: { stale: true } }), ["⊘ Running", "⊘ R"]);
  assert.deepEqual(words("phase", { text: "Running", data: { inferred: true } }), ["≈ Running", "≈ R"]);
  assert.equal(words("status", { text: "Error", tone: "failed", data: { stale: true } }).length, 3);
});
