import assert from "node:assert/strict";
import { test } from "node:test";

import { row, storeOf } from "../records.mjs";

const APP = "container/default/web/app";
const status = (seq, at_ms, target, data = {}, subject = APP) => row(seq, at_ms, { machine: "container_status", subject, target, data });
const shown = (lane) => lane.spans.map(({ t0, text, tone }) => `${t0} ${text} ${tone}`);

test("a container says Running, the reason, or its state where it has none", () => {
  const { lanes } = storeOf(status(1, 0, "waiting", { reason: "ContainerCreating" }), status(2, 1, "running", { ready: true, reason: "x" }), status(3, 2, "terminated", { exit_code: 0 }));
  assert.deepEqual(shown(lanes.byId.get(APP)), ["0 ContainerCreating starting", "1 Running ready", "2 Terminated succeeded"]);
});

test("an init container that is ready while it runs is a sidecar, and stays one", () => {
  const group = (...rows) => storeOf(...rows).lanes.byId.get(APP).group;
  const init = (seq, target, data = {}) => status(seq, seq, target, { group: "init", ...data });
  assert.deepEqual([group(init(1, "waiting")), group(init(1, "running")), group(init(1, "terminated", { ready: true })), group(status(1, 0, "running", { group: "app", ready: true }))], ["init", "init", "init", "app"]);
  assert.equal(group(init(1, "running", { ready: true }), init(2, "terminated")), "sidecar");
  assert.equal(group(status(1, 0, "running")), "app");
});

test("rows change only where a lane comes or moves to another group", () => {
  const store = storeOf(status(1, 0, "waiting", { group: "app" }));
  const { version } = store.lanes;
  store.append([status(2, 1, "running", { group: "app" })]);
  assert.equal(store.lanes.version, version);
  store.append([status(3, 2, "running", { group: "ephemeral" })]);
  assert.equal(store.lanes.version, version + 1);
});

test("a workload says what it has of what it asks for, or what it has where it asks for no number", () => {
  const workload = (target, data) => {
    const lane = storeOf(row(1, 0, { machine: "workload", subject: "deployment/default/api", target, data })).lanes.workloads.get("deployment/default/api");
    return [lane.name, lane.group, ...shown(lane)];
  };
  assert.deepEqual(workload("partial", { kind: "Deployment", there: 1, wanted: 3 }), ["api", "Deployment", "0 1/3 notready"]);
  assert.deepEqual([workload("complete", { there: 0, wanted: 0 }), workload("done", { there: 2, wanted: null }), workload("odd", { there: 2 })], [["api", "", "0 0/0 ready"], ["api", "", "0 2 succeeded"], ["api", "", "0 2 unknown"]]);
});

test("a mistyped name is not a pod, and an act on one that is there belongs to it", () => {
  const act = (seq, subject) => row(seq, seq, { kind: "command", machine: "command", subject, target: "refused", data: { do: "exec" } });
  const { lanes } = storeOf(act(1, "container/default/wbe/app"), status(2, 2, "running"), act(3, APP));
  assert.deepEqual([[...lanes.pods.keys()], lanes.commands.map(({ seq, text, type }) => [seq, text, type])], [["default/web"], [[1, "exec", "refused"], [3, "exec", "refused"]]]);
});

test("an instance that has ended keeps its code, 0 where none is said", () => {
  const exited = (data) => [...storeOf(row(1, 5, { machine: "container", subject: APP, target: "exited", data })).lanes.byId.get(APP).endings].map(([instance, { t, text }]) => [instance, t, text]);
  assert.deepEqual([exited({ instance: 2, exit_code: 137 }), exited({})], [[[2, 5, "137"]], [[0, 5, "0"]]]);
});

test("when a process ends its own probes have no result, others keep theirs", () => {
  const result = (seq, container) => row(seq, 1, { machine: "probe", subject: `probe/default/web/${container}/liveness`, target: "success" });
  const { lanes } = storeOf(result(1, "app"), result(2, "apple"), row(3, 9, { machine: "container", subject: APP, target: "exited" }), row(4, 9, { machine: "container", subject: "container/default/web/none", target: "exited" }));
  assert.deepEqual(["app", "apple"].map((container) => lanes.byId.get(`probe/default/web/${container}/liveness`).spans.length), [2, 1]);
});

test("the end of a grace is the record's own, or so many seconds from it", () => {
  const deadline = (data) => storeOf(row(1, 1000, { machine: "object", target: "terminating", data })).lanes.pods.get("default/web").deadline_ms;
  assert.deepEqual([deadline({ deadline_ms: 5000, grace_s: 30 }), deadline({ grace_s: 30 }), deadline({})], [5000, 31_000, 1000]);
});

test("a pod that is gone shows nothing any more, what its node does stays", () => {
  const { lanes } = storeOf(row(1, 0, { machine: "phase", target: "Running" }), status(2, 0, "running"), row(3, 0, { machine: "container", subject: APP, target: "running" }), row(4, 9, { machine: "object", target: "gone" }));
  assert.deepEqual([shown(lanes.byId.get("phase:pod/default/web")).at(-1), shown(lanes.byId.get(APP)).at(-1)], ["9  absent", "9  absent"]);
  assert.equal(lanes.byId.get(APP).node.length, 1);
});

test("a pod is bound where it was made, unless the scheduler does it", () => {
  const nodes = (...rows) => storeOf(...rows).lanes.pods.get("default/web").nodes.map(({ text }) => text);
  const made = row(1, 0, { machine: "object", target: "present", data: { node: "north" } });
  assert.deepEqual(nodes(made, row(2, 1, { machine: "object", target: "present", data: { node: "south" } })), ["north"]);
  assert.deepEqual(nodes(row(1, 0, { machine: "scheduling", target: "north" }), row(2, 1, { machine: "scheduling", target: "unschedulable" })), ["north"]);
});

test("moments are kept at which it may have changed which pods are gone", () => {
  const object = (seq, at_ms, target) => row(seq, at_ms, { machine: "object", target });
  const { lanes } = storeOf(object(1, 0, "present"), object(2, 10, "gone"), row(3, 20, { machine: "container", subject: APP, target: "exited" }), row(4, 30, { machine: "phase", target: "Failed" }), object(5, 40, "present"));
  assert.deepEqual([lanes.turns, [...lanes.left.keys()]], [[10, 20, 40], ["default/web"]]);
});

test("where an imported past ends is known", () => {
  assert.deepEqual([storeOf(row(1, 0)).lanes.imported_ms, storeOf(row(1, 700, { kind: "note", machine: "import" })).lanes.imported_ms], [null, 700]);
});

test("a store knows its newest moment, the last at which anything is seen, and the last act", () => {
  const store = storeOf(row(1, 100, { kind: "command", machine: "command" }), row(2, 500, { kind: "decision" }));
  assert.deepEqual([store.head_ms, store.active_ms, store.lastAct.seq, store.headSeq], [500, 100, 1, 2]);
});

test("records are looked for before and after one, itself left out", () => {
  const store = storeOf(row(1, 0), row(2, 0), row(3, 0));
  const any = () => true;
  assert.deepEqual([store.recordAfter(1, any).seq, store.recordAfter(3, any), store.recordBefore(3, any).seq, store.recordBefore(1, any)], [2, null, 2, null]);
  assert.deepEqual([store.recordAfter(0, ({ seq }) => seq > 2).seq, store.recordBefore(4, ({ seq }) => seq < 2).seq], [3, 1]);
});
