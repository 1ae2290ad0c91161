import assert from "node:assert/strict";
import { test } from "node:test";

import { differs, hollowOf, statusAfter } from "../../../static/js/gestures/hollow.js";
import { holdAt, meaningOf, momentFields, movedTo, steppedBy } from "../../../static/js/gestures/holds.js";
import { RecordStore } from "../../../static/js/lanes/record-store.js";

const END_MS = 60_000;
const WHERE = { end_ms: END_MS, reach_ms: 1000 };
const SUBJECT = "container/default/web/app";

function containerLane(...spans) {
  return { kind: "container", id: SUBJECT, subject: SUBJECT, spans: spans.map(([t0, t1, text]) => ({ t0, t1, text, tone: "ready", data: {} })), marks: [] };
}

function probeLane(...marks) {
  return { kind: "probe", id: "p", subject: "probe/default/web/app/liveness", spans: [], marks: marks.map(([t, type, took_ms]) => ({ t, type, data: { took_ms } })) };
}

const OPEN = containerLane([0, 5000, "ContainerCreating"], [5000, Infinity, "Running"]);
const CLOSED = containerLane([5000, 20_000, "Running"], [20_000, Infinity, "Error"]);
const end = (lane, t_ms) => holdAt(null, lane, t_ms, WHERE);

test("a bar that still runs ends at the present and may be moved past it", () => {
  const hold = end(OPEN, 30_000);
  assert.deepEqual([hold.kind, hold.at_ms, hold.min_ms], ["end", Infinity, 5100]);
  assert.ok(hold.max_ms > END_MS);
});

test("a bar that has ended may only end earlier", () => assert.deepEqual([end(CLOSED, 10_000).at_ms, end(CLOSED, 10_000).max_ms], [20_000, 20_000]));

test("only a running container has an end to take", () => assert.deepEqual([end(OPEN, 2000), end(CLOSED, 30_000), end({ ...OPEN, kind: "phase" }, 30_000)], [null, null, null]));

test("an end is moved in tenths of a second and sticks to the present", () => {
  const hold = end(OPEN, 30_000);
  const now = { end_ms: END_MS, near_ms: 200 };
  assert.deepEqual([41_234, 100, 60_150, 60_250].map((t_ms) => movedTo(hold, t_ms, now)), [41_200, 5100, Infinity, 60_300]);
});

test("keys move an end from the present, and no further than it may", () => {
  const hold = end(OPEN, 30_000);
  assert.equal(steppedBy(hold, Infinity, -1000, END_MS), 59_000);
  assert.equal(steppedBy(hold, 5200, -10_000, END_MS), 5100);
  assert.equal(steppedBy(end(CLOSED, 10_000), 20_000, 1000, END_MS), 20_000);
});

test("an end means an act in the past, now or ahead", () => {
  const hold = end(OPEN, 30_000);
  assert.deepEqual(momentFields(meaningOf(hold, 20_000, "1", END_MS)), { at_ms: "20000" });
  assert.deepEqual(momentFields({ when: "past", at_ms: 10_000, at_seq: 4, value: "7" }), { at_ms: "10000", at_seq: "4" });
  assert.deepEqual(momentFields({ when: "past", at_ms: 10_000, at_seq: 0, value: "7" }), { at_ms: "10000", at_seq: "0" });
  assert.deepEqual(momentFields(meaningOf(hold, Infinity, "1", END_MS)), {});
  assert.deepEqual(momentFields(meaningOf(hold, 70_000, "1", END_MS)), { run_to_ms: "70000" });
  assert.equal(meaningOf(hold, Infinity, "1", END_MS).at_ms, END_MS);
});

test("an attempt flips what it saw, from just before it began", () => {
  const lane = probeLane([10_000, "success", 0], [20_000, "timeout", 1000], [30_000, "suppressed", 0]);
  const [ok, late] = [10_300, 20_400].map((t_ms) => holdAt(null, lane, t_ms, WHERE));
  assert.deepEqual([ok.value, late.value], ["failure", "success"]);
  assert.equal(meaningOf(late, 20_000, "success", END_MS).at_ms, 18_999);
  assert.deepEqual([holdAt(null, lane, 15_000, WHERE), holdAt(null, lane, 30_000, WHERE)], [null, null]);
});

test("an attempt is moved from one to the next and no further", () => {
  const hold = holdAt(null, probeLane([10_000, "success"], [20_000, "success"], [30_000, "success"]), 20_000, WHERE);
  assert.deepEqual([movedTo(hold, 24_000, { end_ms: END_MS, near_ms: 0 }), movedTo(hold, 99_000, { end_ms: END_MS, near_ms: 0 })], [20_000, 30_000]);
  assert.deepEqual([steppedBy(hold, 20_000, -100, END_MS), steppedBy(hold, 30_000, 1000, END_MS)], [10_000, 30_000]);
  assert.deepEqual([15_000, 25_000, 25_001].map((t_ms) => movedTo(hold, t_ms, { end_ms: END_MS, near_ms: 0 })), [10_000, 20_000, 30_000]);
});

/** A pod that was deleted at 10 s by a command, with a grace period of 30 s; `rows` may change this. */
function storeOf(command, cause = 1, more = []) {
  const store = new RecordStore();
  store.append([
    [1, 10_000, "command", command.subject, "command", "", "", "accepted", 0, "COMMAND", [["do", command.do]]],
    [2, 10_000, "transition", "pod/default/web", "object", "present", "", "terminating", cause, "R", [["grace_s", 30], ["deadline_ms", 40_000]]],
    ...more,
  ]);
  return store;
}

function deadlineOf(command, cause, more) {
  const store = storeOf(command, cause, more);
  return holdAt(store, store.lanes.byId.get("status:pod/default/web"), 20_000, WHERE);
}

test("a deadline is a number of seconds of grace, given in the place of the deletion", () => {
  const hold = deadlineOf({ subject: "pod/default/web", do: "delete_pod" });
  assert.deepEqual([hold.at_ms, hold.seq], [40_000, 0]);
  assert.equal(movedTo(hold, 17_400, { end_ms: END_MS, near_ms: 0 }), 17_000);
  assert.equal(movedTo(hold, 3000, { end_ms: END_MS, near_ms: 0 }), 11_000);
  assert.deepEqual(meaningOf(hold, 17_000, "", END_MS), { when: "past", at_ms: 10_000, at_seq: 0, value: "7" });
  assert.deepEqual([steppedBy(hold, 40_000, -100, END_MS), steppedBy(hold, 40_000, 10_000, END_MS)], [39_000, 50_000]);
});

test("a deadline stands no later than its pod, which may go before it", () => {
  const gone = [3, 12_000, "transition", "pod/default/web", "object", "terminating", "", "gone", 2, "R", []];
  const hold = deadlineOf({ subject: "pod/default/web", do: "delete_pod" }, 1, [gone]);
  assert.equal(hold.at_ms, 12_000);
  assert.deepEqual(meaningOf(hold, 11_000, "", END_MS), { when: "past", at_ms: 10_000, at_seq: 0, value: "1" });
});

test("a deadline that nobody asked for cannot be taken", () => {
  assert.equal(deadlineOf({ subject: "pod/default/web", do: "delete_pod" }, 0), null);
  assert.equal(deadlineOf({ subject: "node/node-1", do: "drain_node" }), null);
  assert.equal(deadlineOf({ subject: "pod/default/web", do: "evict_pod" }), null);
});

test("of two pods that end each has its own deadline", () => {
  const other = [3, 12_000, "transition", "pod/default/api", "object", "present", "", "terminating", 1, "R", [["grace_s", 5], ["deadline_ms", 17_000]]];
  assert.equal(deadlineOf({ subject: "pod/default/web", do: "delete_pod" }, 1, [other]).at_ms, 40_000);
});

const lane = (spans, marks = []) => ({ spans: spans.map(([t0, t1, text]) => ({ t0, t1, text, tone: "ready" })), marks: marks.map((t) => ({ t, type: "success", text: "" })) });
const STRETCH = { from_ms: 10_000, end_ms: 30_000, until_ms: 50_000 };

test("a lane would be another one where it says something else from the act on", () => {
  const is = lane([[0, Infinity, "Running"]], [5000, 20_000]);
  assert.equal(differs(is, lane([[0, Infinity, "Running"]], [5000, 20_000]), STRETCH), false);
  assert.equal(differs(is, lane([[0, 12_000, "Running"], [12_000, Infinity, "Error"]], [5000, 20_000]), STRETCH), true);
  assert.equal(differs(is, lane([[0, Infinity, "Running"]], [5000]), STRETCH), true);
  assert.equal(differs(undefined, lane([[15_000, Infinity, "Running"]]), STRETCH), true);
});

test("what has not come yet counts where something begins or ends there", () => {
  const is = lane([[0, Infinity, "Running"]]);
  assert.equal(differs(is, lane([[0, 40_000, "Running"]]), STRETCH), true);
  assert.equal(differs(is, lane([[0, 60_000, "Running"]]), STRETCH), false);
  assert.equal(differs(is, lane([[0, Infinity, "Running"]], [40_000]), STRETCH), true);
});

test("an answer is folded over the records that both have", () => {
  const store = storeOf({ subject: "pod/default/web", do: "delete_pod" });
  const word = (seq, at_ms, target) => [seq, at_ms, "transition", "pod/default/web", "status_word", "", "", target, 0, "R", []];
  store.append([word(3, 11_000, "Terminating")]);
  const hollow = hollowOf(store, { after: 2, until_ms: 50_000, records: [word(3, 12_000, "Error"), word(4, 70_000, "")] }, 10_000, 30_000);
  assert.deepEqual(statusAfter(hollow, "default/web"), [{ t_ms: 12_000, word: "Error" }, { t_ms: 70_000, word: "" }]);
  assert.ok(hollow.changed.has("status:pod/default/web"));
  assert.deepEqual([hollow.at_ms, hollow.from_ms], [10_000, 10_000]);
  assert.equal(store.lanes.byId.get("status:pod/default/web").spans.length, 1);
});

test("of two attempts as near as each other the earlier is held", () => {
  const hold = holdAt(null, probeLane([10_000, "success", 0], [11_000, "success", 0]), 10_500, WHERE);
  assert.equal(hold.at_ms, 10_000);
});
