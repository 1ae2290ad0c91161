import assert from "node:assert/strict";
import { test } from "node:test";

import { buildRows } from "../../../static/js/timeline/rows.js";
import { row, storeOf } from "../records.mjs";

const VIEW = { isFolded: () => false, open: new Set(), compact: false, density: "", pins: [], only: null, futures: null, order: null };
const names = ({ rows }) => rows.map(({ lane, depth }) => `${depth} ${lane.kind === "status" ? lane.pod.slice(8) : lane.kind === "phase" || lane.kind === "events" ? lane.kind : lane.name}`);
const condition = (seq, name) => row(seq, 0, { machine: "condition", subject: `condition/default/web/${name}`, target: "True" });
const container = (seq, name, group) => row(seq, 0, { machine: "container_status", subject: `container/default/web/${name}`, target: "waiting", data: { group } });
const probe = (seq, name) => row(seq, 0, { kind: "attempt", subject: `probe/default/web/app/${name}`, target: "success" });
const pod = (seq, name) => row(seq, 0, { machine: "status_word", subject: `pod/default/${name}`, target: "Pending" });

const WEB = storeOf(
  condition(1, "Ready"),
  condition(2, "Initialized"),
  condition(3, "Custom"),
  condition(4, "PodScheduled"),
  container(5, "debug", "ephemeral"),
  container(6, "app", "app"),
  container(7, "setup", "init"),
  probe(8, "readiness"),
  probe(9, "startup"),
  probe(10, "liveness"),
).lanes;

test("a pod has its phase, the condition Ready, its containers as they start with their probes, and Events", () => {
  assert.deepEqual(names(buildRows(WEB, VIEW)), ["1 web", "2 phase", "2 Ready", "2 setup", "2 app", "3 startup", "3 liveness", "3 readiness", "2 debug", "2 events"]);
  assert.equal(buildRows(WEB, VIEW).rows[2].hidden, 3);
});

test("all conditions stand below Ready in the order in which they come true, unknown ones last", () => {
  const open = new Set(["default/web"]);
  assert.deepEqual(names(buildRows(WEB, { ...VIEW, open })).slice(2, 6), ["2 Ready", "3 PodScheduled", "3 Initialized", "3 Custom"]);
});

test("a folded pod is its own row, and the next pod follows without a gap", () => {
  const { lanes } = storeOf(pod(1, "a"), pod(2, "b"));
  const folded = buildRows(lanes, { ...VIEW, isFolded: (key) => key === "default/a" });
  assert.deepEqual(names(folded), ["1 a", "1 b", "2 phase", "2 events"]);
  assert.equal(folded.rows[1].y, folded.rows[0].y + folded.rows[0].h);
  const unfolded = buildRows(lanes, VIEW).rows;
  assert.equal(unfolded[3].y, unfolded[2].y + unfolded[2].h + 10);
});

test("pods stand in the order wanted, those that came later at the end", () => {
  const { lanes } = storeOf(pod(1, "a"), pod(2, "b"), pod(3, "c"));
  const order = ["default/b", "default/none", "default/a"];
  const isFolded = () => true;
  assert.deepEqual([names(buildRows(lanes, { ...VIEW, isFolded })), names(buildRows(lanes, { ...VIEW, isFolded, order }))], [["1 a", "1 b", "1 c"], ["1 b", "1 a", "1 c"]]);
});

const OTHERS = storeOf(
  pod(1, "a"),
  row(2, 0, { machine: "workload", subject: "deployment/default/front", target: "partial", data: { there: 0, wanted: 1 } }),
  row(3, 0, { machine: "requests", subject: "requests/default/shop/web", target: "answered" }),
  row(4, 0, { machine: "node_condition", subject: "node/north", data: { condition: "Ready", status: "False" } }),
  row(5, 0, { machine: "node_condition", subject: "node/south", data: { condition: "Ready", status: "True" } }),
).lanes;

test("workloads and Services stand above the pods, nodes that something happened to below", () => {
  assert.deepEqual(names(buildRows(OTHERS, VIEW)), ["1 front", "1 shop", "2 web", "1 a", "2 phase", "2 events", "1 north", "2 events"]);
  assert.deepEqual(names(buildRows(OTHERS, { ...VIEW, isFolded: () => true })), ["1 front", "1 shop", "1 a", "1 north"]);
});

test("a search leaves the pods and the others that it found", () => {
  const only = (pods, others) => names(buildRows(OTHERS, { ...VIEW, isFolded: () => true, only: { pods: new Set(pods), others: new Set(others) } }));
  assert.deepEqual([only(["default/a"], []), only([], ["deployment/default/front"]), only([], ["service/default/shop"]), only([], ["node/north"])], [["1 a"], ["1 front"], ["1 shop"], ["1 north"]]);
});

test("pods that are gone stand below a line that says how many they are, once it is opened", () => {
  const { lanes } = storeOf(pod(1, "a"), pod(2, "b"), pod(3, "c"));
  const gone = (isGoneOpen) => buildRows(lanes, { ...VIEW, isFolded: () => true, gone: new Set(["default/a", "default/b"]), isGoneOpen });
  assert.deepEqual([names(gone(false)), names(gone(true))], [["1 c"], ["1 c", "1 a", "1 b"]]);
  const { rows, fold } = gone(true);
  assert.deepEqual([fold.count, fold.y, rows[1].y], [2, rows[0].y + rows[0].h, fold.y + fold.h]);
  assert.equal(buildRows(lanes, VIEW).fold, null);
});

test("no row of a small screen is lower than a finger needs, and letters that are larger make rows higher", () => {
  const heights = (view) => buildRows(WEB, { ...VIEW, ...view }).rows.slice(0, 3).map(({ h }) => h);
  assert.deepEqual([heights({}), heights({ compact: true }), heights({ scale: 2 })], [[34, 20, 20], [34, 24, 24], [68, 40, 40]]);
});

test("a gap stands between what is above the pods and the pods, and none where there is nothing above", () => {
  const { rows } = buildRows(OTHERS, VIEW);
  const at = rows.findIndex(({ lane }) => lane.kind === "status");
  assert.equal(rows[at].y, rows[at - 1].y + rows[at - 1].h + 10);
  assert.equal(buildRows(WEB, VIEW).rows[0].y, 4);
});

test("a pinned lane belongs to its pod, or to what it is of itself", () => {
  const pins = ["status:pod/default/a", "deployment/default/front"];
  assert.deepEqual(buildRows(OTHERS, { ...VIEW, pins }).rows.slice(0, 2).map(({ pod: { key } }) => key), ["default/a", "deployment/default/front"]);
});
