import assert from "node:assert/strict";
import { test } from "node:test";

import { lanesKept, podsInScope } from "../../../static/js/search/matching.js";
import { parseQuery } from "../../../static/js/search/query.js";
import { row, storeOf } from "../records.mjs";

/** Two pods on nodes of their own: web is ready from 1 s, job's container fails at 2 s. There are also web's Deployment, a Service and a
 * node. */
const lanes = storeOf(
  row(1, 0, { machine: "object", target: "present", data: { node: "north" } }),
  row(2, 0, { machine: "status_word", target: "Pending" }),
  row(3, 0, { machine: "object", subject: "pod/default/job", target: "present", data: { node: "south" } }),
  row(4, 0, { machine: "status_word", subject: "pod/default/job", target: "Pending" }),
  row(5, 0, { machine: "workload", subject: "deployment/default/front", target: "partial", data: { there: 0, wanted: 1 } }),
  row(6, 0, { machine: "requests", subject: "requests/default/shop/web", target: "answered" }),
  row(7, 500, { machine: "node_condition", subject: "node/north", data: { condition: "Ready", status: "False" } }),
  row(8, 1000, { machine: "status_word", target: "Running", data: { pod_ready: true } }),
  row(9, 1000, { machine: "container_status", subject: "container/default/web/app", target: "running", data: { ready: true } }),
  row(10, 2000, { machine: "container_status", subject: "container/default/job/main", target: "terminated", data: { exit_code: 1, reason: "Error" } }),
  row(11, 5000, { machine: "object", subject: "pod/default/job", target: "gone" }),
).lanes;

const inScope = (text, t_ms = 3000, labelled = null) => [...podsInScope(lanes, parseQuery(text), t_ms, labelled)].map((key) => key.slice("default/".length));
const kept = (text, found = []) => {
  const query = parseQuery(text);
  const { pods, others } = lanesKept(lanes, query, podsInScope(lanes, query, 3000, null), found, 3000);
  return { pods: [...pods], others: [...others] };
};

test("an empty query leaves every pod", () => assert.deepEqual(inScope("", 3000), ["web", "job"]));

test("pods are chosen by parts of names", () => {
  assert.deepEqual(["pod:WEB", "container:mai", "node:nor", "pod:web node:south"].map((text) => inScope(text)), [["web"], ["job"], ["web"], []]);
});

test("pods are chosen by labels where the server has answered", () => assert.deepEqual(inScope("", 3000, new Set(["default/job"])), ["job"]));

test("a state is a tone, or a word as kubectl prints it, of the pod or of one of its containers", () => {
  assert.deepEqual(["is:ready", "is:failed", "is:running", "is:error", "is:pending is:failed"].map((text) => inScope(text)), [["web"], ["job"], ["web"], ["job"], ["job"]]);
});

test("trouble is any bad tone, at the moment shown", () => {
  assert.deepEqual([inScope("is:trouble", 1500), inScope("is:trouble", 3000)], [[], ["job"]]);
});

test("a pod that is gone is in no state", () => assert.deepEqual(inScope("is:failed", 6000), []));

test("only where to look is said: all pods there stay", () => assert.deepEqual(kept("pod:web"), { pods: ["default/web"], others: [] }));

test("words keep what is named by them: pods by container and status too, workloads, Services and nodes", () => {
  assert.deepEqual(["JOB", "app", "running", "front", "shop", "north"].map((text) => kept(text)), [
    { pods: ["default/job"], others: [] },
    { pods: ["default/web"], others: [] },
    { pods: ["default/web"], others: [] },
    { pods: [], others: ["deployment/default/front"] },
    { pods: [], others: ["service/default/shop"] },
    { pods: [], others: ["node/north"] },
  ]);
});

test("all words have to name a lane together", () => assert.deepEqual(kept("web running").pods.concat(kept("web error").pods), ["default/web"]));

test("a node that is looked on stays itself, unless words look for something there", () => {
  assert.deepEqual(kept("node:north"), { pods: ["default/web"], others: ["node/north"] });
  assert.deepEqual(kept("node:north web"), { pods: ["default/web"], others: [] });
});

test("a length or the first of all is no name of a lane: only what was found stays", () => {
  assert.deepEqual(["> 1 s web", "first web", "first front"].map((text) => kept(text)), Array(3).fill({ pods: [], others: [] }));
});

test("what was found keeps its pod where the query looks, and the Service of its requests", () => {
  const found = [{ pod: "default/web", subject: "" }, { pod: "default/job", subject: "" }, { pod: "", subject: "requests/default/shop/web" }, { pod: "", subject: "node/south" }];
  assert.deepEqual(kept("pod:web first kill", found), { pods: ["default/web"], others: ["service/default/shop", "node/south"] });
});

test("a pod that is not there yet is in no state", () => assert.deepEqual(inScope("is:pending", -1), []));
