import assert from "node:assert/strict";
import { test } from "node:test";

import { findInstants, placeFrom, STATE_WORDS } from "../../../static/js/search/instants.js";
import { parseQuery } from "../../../static/js/search/query.js";
import { row, storeOf } from "../records.mjs";

const APP = "container/default/web/app";
const find = (store, text, pods = null) => findInstants(store, parseQuery(text), pods).map(({ seq }) => seq);

test("an instant says its record, its moment and its pod", () => {
  const store = storeOf(row(1, 700, { kind: "event", target: "Killing", data: { reason: "Killing" } }));
  assert.deepEqual(findInstants(store, parseQuery("killing"), null), [{ seq: 1, at_ms: 700, subject: "pod/default/web", pod: "default/web", length_ms: null }]);
});

test("all words have to be found in what a record says, in any letters", () => {
  const store = storeOf(row(1, 0, { kind: "event", target: "BackOff", data: { type: "Warning", message: "Back-off restarting" } }), row(2, 9, { kind: "event", target: "Pulled", data: { message: "pulled" } }));
  assert.deepEqual(["restarting WARNING", "normal", "restarting pulled", "backoff web"].map((text) => find(store, text)), [[1], [2], [], [1]]);
});

test("an act is found by its name in words, and as the reader's own", () => {
  const store = storeOf(row(1, 0, { kind: "command", target: "accepted", data: { do: "delete_pod" } }), row(2, 5, { machine: "phase", target: "Running" }));
  assert.deepEqual([find(store, '"delete pod"'), find(store, "you")], [[1], [1]]);
});

test("an exit is found by its code as a number of its own, and by the word exit", () => {
  const store = storeOf(row(1, 0, { machine: "container", subject: APP, target: "exited", data: { exit_code: 1 } }), row(2, 5, { machine: "container", subject: APP, target: "exited", data: { exit_code: 137 } }), row(3, 9, { machine: "container", subject: APP, target: "running" }));
  assert.deepEqual(["1", "137", "exit", '"exit 137"'].map((text) => find(store, text)), [[1], [2], [1, 2], [2]]);
});

test("the name of a condition is no part of another's", () => {
  const condition = (seq, name) => row(seq, seq, { machine: "condition", subject: `condition/default/web/${name}`, target: "True" });
  const store = storeOf(condition(1, "Ready"), condition(2, "ContainersReady"), row(3, 3, { kind: "event", target: "Note", data: { message: "not ready" } }));
  assert.deepEqual([find(store, "ready"), find(store, "containersready")], [[1, 3], [2]]);
});

test("of records of one pod at one moment the weightiest stands for all, the first of equals", () => {
  const store = storeOf(
    row(1, 5, { kind: "event", target: "Killing" }),
    row(2, 5, { kind: "event", target: "Unhealthy", data: { type: "Warning" } }),
    row(3, 5, { kind: "event", target: "Unhealthy", data: { type: "Warning" } }),
    row(4, 5, { kind: "event", subject: "pod/default/other", target: "Killing" }),
    row(5, 6, { kind: "event", target: "Killing" }),
  );
  assert.deepEqual(find(store, "default"), [2, 4, 5]);
});

test("instants are in order of time, and of the log within a moment", () => {
  const store = storeOf(
    row(1, 5, { kind: "event", target: "Killing" }),
    row(2, 5, { kind: "event", subject: "pod/default/other", target: "Killing" }),
    row(3, 5, { kind: "event", target: "Unhealthy", data: { type: "Warning" } }),
  );
  assert.deepEqual(find(store, "default"), [2, 3]);
});

test("decisions of the simulation are not found", () => assert.deepEqual(find(storeOf(row(1, 0, { kind: "decision", target: "x" })), "x"), []));

test("first and last are one instant of all", () => {
  const store = storeOf(...[1, 2, 3].map((seq) => row(seq, seq, { kind: "event", target: "Killing" })));
  assert.deepEqual(["killing", "first killing", "last killing"].map((text) => find(store, text)), [[1, 2, 3], [1], [3]]);
});

test("after and before take the moments that they name", () => {
  const store = storeOf(...[1, 2, 3].map((seq) => row(seq, 1000 * seq, { kind: "event", target: "Killing" })));
  assert.deepEqual(["after 2s", "before 2s", "after 2s before 2s"].map((text) => find(store, text)), [[2, 3], [1, 2], [2]]);
});

test("instants are looked for where the query and its labels say", () => {
  const store = storeOf(
    row(1, 1, { kind: "event", subject: APP, target: "Killing" }),
    row(2, 2, { kind: "event", subject: "pod/default/other", target: "Killing" }),
    row(3, 3, { kind: "event", subject: "node/north", target: "NodeNotReady" }),
  );
  assert.deepEqual(["pod:web", "container:app", "node:nor", "pod:other"].map((text) => find(store, text)), [[1], [1], [3], [2]]);
  assert.deepEqual(find(store, "", new Set(["default/other"])), [2]);
});

const RAN = storeOf(
  row(1, 0, { machine: "container_status", subject: APP, target: "waiting", data: { reason: "ContainerCreating" } }),
  row(2, 1000, { machine: "container_status", subject: APP, target: "running" }),
  row(3, 5000, { machine: "container_status", subject: APP, target: "terminated", data: { exit_code: 3, reason: "Error" } }),
  row(4, 9000, { machine: "condition", subject: "condition/default/web/Ready", target: "False" }),
  row(5, 10_000, { machine: "condition", subject: "condition/default/web/Ready", target: "True" }),
  row(6, 12_000, { machine: "note", kind: "note" }),
);

test("states are asked for by how long they last, the open ones up to now", () => {
  const states = (text) => findInstants(RAN, parseQuery(text), null).map(({ seq, length_ms }) => [seq, length_ms]);
  assert.deepEqual(states("> 3 s"), [[2, 4000], [3, 7000]]);
  assert.deepEqual(states("< 2 s"), [[1, 1000], [4, 1000], [5, 2000]]);
});

test("a state as long as the length asked for is not longer", () => assert.deepEqual([find(RAN, "> 4 s"), find(RAN, "< 4 s running")], [[3], [2]]));

test("states are asked for by word, exit code and condition, and by when they begin", () => {
  assert.deepEqual(["> 1ms error", "> 1ms 3", "> 1ms ready", "> 1ms after 1s before 5s"].map((text) => find(RAN, text)), [[3], [3], [4, 5], [2, 3]]);
});

test("a state of a lane outside of the query is not found", () => assert.deepEqual([find(RAN, "> 1ms container:app"), find(RAN, "> 1ms pod:other")], [[1, 2, 3], []]));

test("what is gone lasts no longer, and Events never do", () => {
  const store = storeOf(row(1, 0, { machine: "phase", target: "Running" }), row(2, 10, { machine: "object", target: "gone" }), row(3, 5000, { kind: "event", target: "Killed" }));
  assert.deepEqual(find(store, "> 1ms"), [1]);
});

test("the next place is after the moment, the one before is before it, and past an end it begins at the other", () => {
  const found = [{ at_ms: 10 }, { at_ms: 20 }, { at_ms: 30 }];
  assert.deepEqual([5, 10, 20, 30].map((t_ms) => placeFrom(found, t_ms, 1)), [0, 1, 2, 0]);
  assert.deepEqual([35, 30, 20, 10].map((t_ms) => placeFrom(found, t_ms, -1)), [2, 1, 0, 2]);
});

test("words of states are the tones and trouble, without what is not there", () => {
  assert.equal(STATE_WORDS[0], "trouble");
  assert.ok(STATE_WORDS.includes("ready") && !STATE_WORDS.includes("absent"));
});

test("a node is looked for among nodes only, and each of several at one moment is an instant", () => {
  const store = storeOf(row(1, 5, { kind: "event", target: "Killing" }), row(2, 5, { kind: "event", subject: "node/north", target: "Rebooted" }), row(3, 5, { kind: "event", subject: "node/south", target: "Rebooted" }));
  assert.deepEqual([find(store, "node:web"), find(store, "rebooted")], [[], [2, 3]]);
});

test("a record that is no Event has no type to be found by", () => assert.deepEqual(find(storeOf(row(1, 0, { machine: "phase", target: "Running" })), "normal"), []));

test("a phrase goes on from one field of a record to the next that it has", () => {
  const store = storeOf(row(1, 0, { kind: "event", target: "x", data: { reason: "Killing", message: null, signal: "TERM" } }));
  assert.deepEqual(find(store, '"killing term"'), [1]);
});

test("states that begin together are in the order of the log", () => {
  const phase = (seq, at_ms, name, target) => row(seq, at_ms, { machine: "phase", subject: `pod/default/${name}`, target });
  const store = storeOf(phase(1, 0, "a", "Pending"), phase(2, 0, "b", "Pending"), phase(3, 9, "b", "Running"), phase(4, 9, "a", "Running"), row(5, 99, { kind: "note" }));
  assert.deepEqual(find(store, "> 1ms"), [1, 2, 3, 4]);
});

test("states of a condition are those of its whole name, and words of other lanes count in part", () => {
  const store = storeOf(
    row(1, 0, { machine: "condition", subject: "condition/default/web/Ready", target: "True" }),
    row(2, 0, { machine: "condition", subject: "condition/default/web/ContainersReady", target: "True" }),
    row(3, 0, { machine: "status_word", target: "NotReady" }),
    row(4, 99, { kind: "note" }),
  );
  assert.deepEqual(find(store, "> 1ms ready"), [1, 3]);
});
