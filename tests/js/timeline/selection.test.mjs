import assert from "node:assert/strict";
import test from "node:test";

import { laneOf, selectedOn } from "../../../static/js/timeline/selection.js";

const POD = "pod/default/web";
const lane = (id, more = {}) => ({ id, kind: "container", spans: [], marks: [], flags: [], endings: new Map(), ...more });
const byId = new Map([
  [POD, lane(POD, { pod: "default/web" })],
  ["events:pod/default/web", lane("events:pod/default/web")],
  ["events:node/north", lane("events:node/north")],
  [`phase:${POD}`, lane(`phase:${POD}`)],
  ["status:pod/default/api", lane("status:pod/default/api")],
]);
const records = { 1: { kind: "event" }, 2: { kind: "transition", machine: "phase" }, 3: { kind: "transition", machine: "object" } };
const store = { lanes: { byId }, get: (seq) => records[seq] };
const found = (subject, rec) => laneOf(store, subject, rec)?.id ?? null;

test("an event stands on the lane of the events of its pod or node", () => {
  assert.deepEqual([found(POD, 1), found("node/north", 1), found("pod/default/gone", 1)], ["events:pod/default/web", "events:node/north", null]);
});

test("a phase stands on its own lane, other records on that of their subject", () => {
  assert.deepEqual([found(POD, 2), found(POD, 3), found(POD, 0)], [`phase:${POD}`, POD, POD]);
});

test("a pod without a lane of its own is found at its status", () => {
  assert.deepEqual([found("pod/default/api", 0), found("pod/default/gone", 0)], ["status:pod/default/api", null]);
});

test("a mark is chosen before a span, and a span for as long as it lasts", () => {
  const span = { seq: 5, t0: 10, t1: 20, tone: "ok" };
  const own = lane("a", { spans: [span], marks: [{ seq: 4, t: 7 }] });
  assert.deepEqual({ ...selectedOn(own, 4) }, { lane: "a", seq: 4, t0: 7, t1: 7 });
  const chosen = selectedOn(own, 5);
  span.t1 = 30;
  assert.deepEqual([chosen.lane, chosen.seq, chosen.t0, chosen.t1], ["a", 5, 10, 30]);
});

test("what is absent, a probe and a record of another lane are no span to choose", () => {
  const span = { seq: 5, t0: 10, t1: 20, tone: "ok" };
  assert.equal(selectedOn(lane("a", { spans: [{ ...span, tone: "absent" }] }), 5), null);
  assert.equal(selectedOn(lane("a", { kind: "probe", spans: [span] }), 5), null);
  assert.equal(selectedOn(lane("a", { spans: [span] }), 6), null);
});
