import assert from "node:assert/strict";
import { test } from "node:test";

import { row, storeOf } from "../records.mjs";

const NODE = "node/north";
const condition = (seq, name, status) => row(seq, seq, { machine: "node_condition", subject: NODE, target: status, data: { condition: name, status } });
const taint = (seq, target, words = "node.kubernetes.io/unschedulable:NoSchedule") => row(seq, seq, { machine: "taint", subject: NODE, target, data: { taint: words } });
const node = (...rows) => storeOf(...rows).lanes.nodes.get("north");
const shown = (lane) => lane.spans.map(({ text, tone }) => `${text} ${tone}`);

test("a node is Ready, NotReady, or not heard of", () => {
  const { status, noteworthy } = node(condition(1, "Ready", "True"), condition(2, "Ready", "False"), condition(3, "Ready", "Unknown"));
  assert.deepEqual(shown(status), ["Ready ready", "NotReady failed", "NotReady unknown"]);
  assert.equal(noteworthy, true);
});

test("a node that was always well has nothing to show", () => assert.equal(node(condition(1, "Ready", "True"), condition(2, "DiskPressure", "False")).noteworthy, false));

test("a cordoned node says so as kubectl does, in a tone of its own only while it is Ready", () => {
  const { status } = node(condition(1, "Ready", "True"), taint(2, "present"), condition(3, "Ready", "False"), taint(4, "absent"));
  assert.deepEqual(shown(status), ["Ready ready", "Ready,SchedulingDisabled notready", "NotReady,SchedulingDisabled failed", "NotReady failed"]);
});

test("another taint cordons nothing, and is worth a lane", () => {
  const { status, noteworthy } = node(condition(1, "Ready", "True"), taint(2, "present", "team=a:NoSchedule"));
  assert.deepEqual([shown(status), noteworthy], [["Ready ready"], true]);
});

test("a pressure has a lane from when it first shows", () => {
  const { parts } = node(condition(1, "DiskPressure", "False"), condition(2, "DiskPressure", "True"), condition(3, "DiskPressure", "False"), condition(4, "DiskPressure", "Unknown"));
  assert.deepEqual([...parts.values()].map((lane) => [lane.name, shown(lane)]), [["DiskPressure", ["True failed", "False ready", "Unknown unknown"]]]);
});

test("a part of the node has a lane, and is worth showing once it is not well", () => {
  const kubelet = (seq, target) => row(seq, seq, { machine: "kubelet", subject: NODE, target });
  assert.deepEqual([node(kubelet(1, "running")).noteworthy, node(kubelet(1, "running"), kubelet(2, "stopped")).noteworthy], [false, true]);
  assert.deepEqual(shown(node(kubelet(1, "running"), kubelet(2, "stopped"), kubelet(3, "other")).parts.get("kubelet")), ["running ready", "stopped failed", "other unknown"]);
});

test("a node that is gone shows nothing until it is there again", () => {
  const object = (seq, target) => row(seq, seq, { machine: "object", subject: NODE, target });
  assert.deepEqual(shown(node(condition(1, "Ready", "True"), object(2, "gone"), object(3, "present")).status), ["Ready ready", " absent", "Ready ready"]);
});

test("Events of a node are marks of its own lane", () => {
  const { events } = node(row(1, 5, { kind: "event", subject: NODE, target: "NodeNotReady" }), row(2, 6, { kind: "event", subject: NODE, target: "Rebooted", data: { type: "Warning" } }));
  assert.deepEqual(events.marks.map(({ t, type, text }) => [t, type, text]), [[5, "Normal", "NodeNotReady"], [6, "Warning", "Rebooted"]]);
});
