import assert from "node:assert/strict";
import { test } from "node:test";

import { eventsOf, statsOf } from "../../../static/js/timeline/stretch-stats.js";
import { row, storeOf } from "../records.mjs";

const APP = "container/default/web/app";
const status = (seq, at_ms, target, data = {}) => row(seq, at_ms, { machine: "container_status", subject: APP, target, data });
const node = (seq, at_ms, target, data = {}) => row(seq, at_ms, { machine: "container", subject: APP, target, data });
const event = (seq, at_ms, type, subject) => row(seq, at_ms, { kind: "event", target: `event-${seq}`, data: { type }, ...(subject ? { subject } : {}) });

/** A pod that runs, fails and runs again; it is Ready from 3 s to 5 s and from 8 s on. */
const RAN = storeOf(
  row(1, 0, { machine: "status_word", target: "Pending" }),
  status(2, 1000, "waiting", { reason: "ContainerCreating" }),
  node(3, 2000, "running", { instance: 0 }),
  status(4, 2000, "running", { ready: true, instance: 0 }),
  row(5, 3000, { machine: "condition", subject: "condition/default/web/Ready", target: "True" }),
  row(6, 4000, { kind: "attempt", subject: "probe/default/web/app/liveness", target: "success" }),
  row(7, 4500, { kind: "attempt", subject: "probe/default/web/app/liveness", target: "failure" }),
  row(8, 4600, { kind: "attempt", subject: "probe/default/web/app/readiness", target: "suppressed" }),
  row(9, 4600, { kind: "attempt", subject: "probe/default/web/apple/liveness", target: "success" }),
  row(10, 5000, { machine: "condition", subject: "condition/default/web/Ready", target: "False" }),
  node(11, 5000, "exited", { exit_code: 1, instance: 0 }),
  status(12, 5000, "terminated", { exit_code: 1, reason: "Error", instance: 0 }),
  event(13, 6000, "Warning"),
  event(14, 7000, "Normal"),
  node(15, 8000, "running", { instance: 1 }),
  status(16, 8000, "running", { ready: true, instance: 1 }),
  row(17, 8000, { machine: "condition", subject: "condition/default/web/Ready", target: "True" }),
  event(18, 9000, "Warning"),
).lanes;

const podIn = (from_ms, to_ms) => statsOf(RAN, from_ms, to_ms).pods[0];
const appIn = (from_ms, to_ms) => podIn(from_ms, to_ms).containers.find(({ name }) => name === "app");

test("the time in which a pod was Ready is that within the stretch", () => {
  assert.deepEqual([podIn(0, 10_000).ready_ms, podIn(4000, 9000).ready_ms, podIn(5000, 8000).ready_ms], [4000, 2000, 0]);
});

test("Warnings are counted from the beginning of the stretch to before its end", () => {
  assert.deepEqual([podIn(6000, 9000).warnings, podIn(6001, 9001).warnings, podIn(0, 10_000).warnings], [1, 1, 2]);
});

test("a process that is started again is a restart, the first one is none", () => {
  assert.deepEqual([appIn(0, 10_000).restarts, appIn(8000, 8001).restarts, appIn(0, 8000).restarts, appIn(8001, 9000).restarts], [1, 1, 0, 0]);
});

test("exit codes are those of processes that ended in the stretch", () => {
  assert.deepEqual([appIn(5000, 5001).exits, appIn(0, 5000).exits, appIn(5001, 9000).exits], [["1"], [], []]);
});

test("attempts are counted by probe of the container, without those that were not run", () => {
  assert.deepEqual(appIn(0, 10_000).probes, { liveness: { ok: 1, all: 2 } });
  assert.deepEqual([appIn(4500, 10_000).probes, appIn(5000, 10_000).probes], [{ liveness: { ok: 0, all: 1 } }, {}]);
});

test("a container's states say for how long of the stretch they lasted together, the longest first", () => {
  assert.deepEqual(appIn(1500, 10_000).states, [["Running", 5000], ["Error", 3000], ["ContainerCreating", 500]]);
  assert.equal(appIn(1500, 10_000).ready_ms, 5000);
});

test("a pod that is not there in the stretch is left out", () => {
  const { lanes } = storeOf(row(1, 1000, { machine: "status_word", target: "Pending" }), row(2, 2000, { machine: "object", target: "gone" }));
  const pods = (from_ms, to_ms) => statsOf(lanes, from_ms, to_ms).pods.length;
  assert.deepEqual([pods(0, 1000), pods(0, 1001), pods(1999, 5000), pods(2000, 5000)], [0, 1, 1, 0]);
});

test("requests of a Service are counted by what they came to within the stretch", () => {
  const counts = (seq, at_ms, data) => row(seq, at_ms, { machine: "requests", subject: "requests/default/shop/web", target: "answered", data });
  const { lanes } = storeOf(counts(1, 1000, { answered: 5 }), counts(2, 2000, { answered: 8, error: 2, retried: 1 }), counts(3, 3000, { answered: 9, error: 2, timeout: 3, retried: 1 }));
  const of = (from_ms, to_ms) => statsOf(lanes, from_ms, to_ms).services.map(({ name, failed, all }) => [name, failed, all]);
  assert.deepEqual([of(0, 3000), of(1000, 2000), of(2000, 2999), of(1999, 3000)], [[["shop", 5, 15]], [["shop", 2, 6]], [["shop", 0, 0]], [["shop", 5, 10]]]);
});

test("the first and the last Event of a stretch are those of pods and nodes, or of the pods that alone are shown", () => {
  const { lanes } = storeOf(event(1, 1000, "Normal", "node/north"), event(2, 2000, "Normal"), event(3, 2000, "Normal", "pod/default/other"), event(4, 3000, "Normal", "node/north"));
  const of = (...stretch) => Object.values(eventsOf(lanes, ...stretch)).map((mark) => mark?.text ?? null);
  assert.deepEqual(of(0, 9000), ["event-1", "event-4"]);
  assert.deepEqual(of(2000, 3000), ["event-2", "event-3"]);
  assert.deepEqual(of(0, 9000, new Set(["default/web"])), ["event-2", "event-2"]);
  assert.deepEqual(of(5000, 9000), [null, null]);
});
