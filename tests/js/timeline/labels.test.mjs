import assert from "node:assert/strict";
import { test } from "node:test";

import { nameOf, valueAt } from "../../../static/js/timeline/labels.js";

const lane = (kind, spans = [], more = {}) => ({ kind, name: "app", pod: "default/web", spans, marks: [], ...more });
const span = (text, data = {}, tone = "ready") => ({ t0: 10, t1: 100, seq: 1, tone, text, data });
const attempt = (t, type, data = {}) => ({ t, seq: t, type, text: "", data });
const words = (of, t_ms = 50) => valueAt(of, t_ms).words;

test("a lane is named by what it is of", () => {
  assert.deepEqual(["status", "phase", "events", "container"].map((kind) => nameOf(lane(kind))), ["web", "phase", "events", "app"]);
  assert.equal(nameOf(lane("probe", [], { name: "liveness" })), "liveness");
});

test("a lane says what it shows at the moment, and a dash where that is nothing", () => {
  const status = lane("status", [span("Running"), { ...span("Error", {}, "absent"), t0: 100, t1: 200 }]);
  assert.deepEqual([9, 10, 99, 100, 200].map((t_ms) => words(status, t_ms)), ["–", "Running", "Running", "–", "–"]);
  assert.equal(valueAt(status, 50).tone, "ready");
});

test("a STATUS that is out of date says so, the other lanes of its pod do not", () => {
  assert.notEqual(words(lane("status", [span("Running", { stale: true })])), "Running");
  assert.equal(words(lane("phase", [span("Running", { stale: true })])), "Running");
});

test("a container says its instance while it runs, and its code once it has ended", () => {
  assert.deepEqual([span("Running", { instance: 2 }), span("Running"), span("Error", { exit_code: 1 }), span("CrashLoopBackOff")].map((each) => words(lane("container", [each]))), ["#2", "#0", "Error 1", "CrashLoopBackOff"]);
  assert.equal(words(lane("phase", [span("Running", { instance: 2 })])), "Running");
});

test("a part of a node is said in words", () => {
  assert.equal(words(lane("part", [span("shutting_down")])), "shutting down");
  assert.equal(words(lane("phase", [span("shutting_down")])), "shutting_down");
});

test("Events are counted up to the moment", () => {
  const events = lane("events", [], { marks: [attempt(10, "Normal"), attempt(20, "Normal")] });
  assert.deepEqual([9, 10, 20].map((t_ms) => words(events, t_ms)), ["", "1", "2"]);
});

test("a probe says its last attempt, counted up to its threshold", () => {
  const probe = (...marks) => lane("probe", [], { marks });
  assert.deepEqual(valueAt(probe(attempt(10, "success"), attempt(40, "failure", { run: 2, threshold: 3 })), 50), { words: "✕ 2/3", tone: "probe-failure" });
  assert.deepEqual([words(probe(attempt(10, "failure", { run: 5, threshold: 3 }))), words(probe(attempt(10, "failure", { run: 5 }))), words(probe(attempt(10, "other"))), words(probe(attempt(60, "success")))], ["✕ 3/3", "✕", "?", ""]);
});

test("a probe says nothing of the instance before", () => {
  const probe = (text) => lane("probe", [span(text)], { marks: [attempt(5, "success")] });
  assert.deepEqual([words(probe("")), words(probe("success"))], ["", "✓"]);
  assert.equal(words(lane("probe", [span("")], { marks: [attempt(10, "success")] })), "✓");
});

test("a lane that speaks for itself is asked", () => assert.deepEqual(valueAt(lane("logs", [], { said: (t_ms) => ({ words: `at ${t_ms}`, tone: "" }) }), 5), { words: "at 5", tone: "" }));
