import "../setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { LaneSet } from "../../../static/js/lanes/lane-set.js";
import { sentenceOf, weight } from "../../../static/js/lanes/sentences.js";
import { labelsOf } from "../../../static/js/timeline/bar-words.js";
import { valueAt } from "../../../static/js/timeline/labels.js";

let seq = 0;

function record(at_ms, subject, machine, target, data = {}) {
  seq += 1;
  return { seq, at_ms, kind: "transition", subject, machine, source: "", trigger: "", target, cause: 0, rule: "", data };
}

const RUNNING = [
  record(0, "pod/default/p", "object", "present"),
  record(1, "pod/default/p", "scheduling", "node-1"),
  record(2, "pod/default/p", "status_word", "Running", { tone: "ready", ready: "1/1" }),
  record(2, "container/default/p/app", "container_status", "running", { instance: 0, ready: true }),
  record(2, "container/default/p/app", "container", "running", { instance: 0 }),
];

function lanes(...more) {
  const set = new LaneSet();
  for (const each of [...RUNNING, ...more]) set.add(each);
  return set.pod("default/p");
}

const CUT = record(10, "node/node-1", "uplink", "cut");
const BACK = record(20, "node/node-1", "uplink", "back");
const CONNECTED = record(25, "node/node-1", "uplink", "connected");

function spans({ spans: all }) {
  return all.map(({ t0, text, data }) => [t0, text, Boolean(data.stale)]);
}

test("what the API server shows of a pod is marked from the cut until the kubelet has caught up", () => {
  assert.deepEqual(spans(lanes(CUT, BACK, CONNECTED).status), [[2, "Running", false], [10, "Running", true], [25, "Running", false]]);
});

test("a pod of another node is not marked", () => {
  assert.deepEqual(spans(lanes(record(10, "node/node-2", "uplink", "cut")).status), [[2, "Running", false]]);
});

test("what the node really does is not marked", () => {
  const [app] = lanes(CUT, record(15, "container/default/p/app", "container", "exited", { instance: 0, exit_code: 1 })).containers.values();
  assert.deepEqual(spans(app), [[2, "Running", false], [10, "Running", true]]);
  assert.deepEqual(app.node.map(({ t0, text, data }) => [t0, text, Boolean(data.stale)]), [[2, "running", false], [15, "exited", false]]);
});

test("what the API server shows anew meanwhile is marked, too", () => {
  const told = record(15, "pod/default/p", "status_word", "Terminating", { tone: "terminating", ready: "1/1" });
  assert.deepEqual(spans(lanes(CUT, told).status).slice(-1), [[15, "Terminating", true]]);
});

test("a pod that is bound to a node that is cut off is marked from then on", () => {
  const set = new LaneSet();
  const late = [record(12, "pod/default/q", "status_word", "Pending", { tone: "waiting" }), record(13, "pod/default/q", "scheduling", "node-1")];
  for (const each of [CUT, ...late]) set.add(each);
  assert.deepEqual(spans(set.pod("default/q").status), [[12, "Pending", false], [13, "Pending", true]]);
});

test("the mark is a sign and words, not a colour", () => {
  const { status } = lanes(CUT);
  assert.equal(labelsOf(status, status.spans[1], 30)[0], "⊘ the API server still shows ● Running 1/1");
  assert.ok(labelsOf(status, status.spans[1], 30).every((word) => word.startsWith("⊘")));
  assert.equal(valueAt(status, 15).words, "the API server still shows Running");
});

test("both truths are told in words", () => {
  const held = record(15, "pod/default/p", "status_report", "held", { holds: "Error 0/1 0", shows: "Running 1/1 0" });
  assert.equal(sentenceOf(held), "on its node p is Error 0/1 0, but the API server still shows Running 1/1 0");
  assert.match(sentenceOf(CUT), /node-1 is disconnected/);
  assert.ok(weight(held) > 0 && weight(CUT) > 0);
  assert.match(sentenceOf(record(25, "pod/default/p", "status_report", "")), /agree about p again/);
});
