import assert from "node:assert/strict";
import { test } from "node:test";

import { LaneSet } from "../../../static/js/lanes/lane-set.js";
import { fieldOf } from "../../../static/js/timeline/fields.js";

const POD = "default/web";

/** Lanes of records, each given by its special fields. */
function lanesOf(...records) {
  const lanes = new LaneSet();
  records.forEach((record, index) => lanes.add({ seq: index + 1, at_ms: 1000 * index, kind: "transition", machine: "", source: "", trigger: "", target: "", cause: 0, rule: "", data: {}, ...record }));
  return lanes;
}

/** The field of the first span of a lane. */
function fieldFor(record, { id = record.subject, group = undefined } = {}) {
  const lane = lanesOf(record).byId.get(id);
  return fieldOf(lane, lane.spans[0] ?? lane.marks[0], record, group);
}

const CONTAINER = `container/${POD}/app`;
const CASES = [
  ["a waiting container", { subject: CONTAINER, machine: "container_status", target: "waiting", data: { reason: "CrashLoopBackOff" } }, {}, 'status.containerStatuses[?name=="app"].state.waiting.reason'],
  ["a running init container", { subject: CONTAINER, machine: "container_status", target: "running", data: { group: "init" } }, {}, 'status.initContainerStatuses[?name=="app"].state.running.startedAt'],
  ["an ephemeral container that ended", { subject: CONTAINER, machine: "container_status", target: "terminated", data: { group: "ephemeral", reason: "Error" } }, {}, 'status.ephemeralContainerStatuses[?name=="app"].state.terminated.reason'],
  ["STATUS of a container's reason", { subject: `pod/${POD}`, machine: "status_word", target: "ImagePullBackOff", rule: "PRINT-WAITING" }, { id: `status:pod/${POD}` }, "status.containerStatuses[*].state.waiting.reason"],
  ["STATUS of a deleted pod", { subject: `pod/${POD}`, machine: "status_word", target: "Terminating", rule: "PRINT-TERMINATING" }, { id: `status:pod/${POD}` }, "metadata.deletionTimestamp"],
  ["a condition", { subject: `condition/${POD}/Ready`, machine: "condition", target: "True" }, {}, 'status.conditions[?type=="Ready"].status'],
  ["a probe", { subject: `probe/${POD}/app/liveness`, machine: "probe_attempt", kind: "attempt", target: "success" }, {}, 'spec.containers[?name=="app"].livenessProbe'],
  ["a probe of a sidecar", { subject: `probe/${POD}/app/startup`, machine: "probe_attempt", kind: "attempt", target: "success" }, { group: "sidecar" }, 'spec.initContainers[?name=="app"].startupProbe'],
  ["an Event", { subject: `pod/${POD}`, machine: "k8s_event", kind: "event", target: "Unhealthy", data: { type: "Warning" } }, { id: `events:pod/${POD}` }, "kind: Event, reason: Unhealthy"],
  ["a node", { subject: "node/n1", machine: "node_condition", target: "Unknown", data: { condition: "Ready", status: "Unknown" } }, {}, 'status.conditions[?type=="Ready"].status'],
  ["a node under pressure", { subject: "node/n1", machine: "node_condition", target: "True", data: { condition: "MemoryPressure", status: "True" } }, { id: "MemoryPressure:node/n1" }, 'status.conditions[?type=="MemoryPressure"].status'],
  ["the kubelet, of which no field tells", { subject: "node/n1", machine: "kubelet", target: "stopped" }, { id: "kubelet:node/n1" }, ""],
];

for (const [name, record, options, expected] of CASES) test(`source field of ${name}`, () => assert.equal(fieldFor(record, options), expected));
