import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { takeRules } from "../../../static/js/base/i18n.js";
import { needsRuleTexts, sentenceOf, weight } from "../../../static/js/lanes/sentences.js";
import { decode } from "../../../static/js/wire/record.js";
import { row } from "../records.mjs";

const NONE = { rules: {}, docs: {}, headlines: {}, acts: {} };
const APP = "container/default/web/app";
const record = (fields) => ({ ...decode(row(1, 0, fields)), ...(fields.source === undefined ? {} : { source: fields.source }) });
const told = (fields) => sentenceOf(record(fields));

afterEach(() => takeRules(NONE));

test("a pod's object is told of by what became of it, another object by its rule", () => {
  takeRules({ ...NONE, rules: { "A-RULE": "an object was made" } });
  assert.equal(told({ machine: "object", target: "present" }), "API server stored pod web");
  assert.equal(told({ machine: "object", subject: "node/n1", target: "present" }), "an object was made");
});

test("a sentence names the node that a record is of, or else the one that it mentions", () => {
  takeRules({ ...NONE, rules: { "A-RULE": "it is on {node}" } });
  assert.deepEqual([told({ machine: "drain", subject: "node/n1" }), told({ machine: "bind", data: { node: "n2" } })], ["it is on n1", "it is on n2"]);
});

test("what mentions no node has no sentence of one", () => {
  takeRules({ ...NONE, headlines: { "bind.done": "it is on {node}" } });
  assert.deepEqual([told({ machine: "bind", target: "done", data: { node: "n2" } }), told({ machine: "bind", target: "done" })], ["it is on n2", "Something changed: web"]);
});

test("a pod of another namespace has its namespace before it", () => assert.equal(told({ machine: "phase", subject: "pod/shop/web", target: "Failed" }), "phase of shop/web is Failed"));

test("a STATUS without a word has no sentence of its own", () => {
  assert.equal(told({ machine: "status_word", target: "Running" }), "kubectl prints Running for web");
  assert.equal(told({ machine: "status_word", target: "" }), "Something changed: web");
});

test("a condition is told of with its reason where it has one", () => {
  const condition = { machine: "condition", subject: "condition/default/web/Ready", target: "False" };
  assert.deepEqual([told(condition), told({ ...condition, data: { reason: "ContainersNotReady" } })], ["Ready=False on web", "Ready=False on web: ContainersNotReady"]);
});

test("a container's status is told of by its state, and whether it is ready", () => {
  const status = (target, data = {}) => told({ machine: "container_status", subject: APP, target, data });
  assert.deepEqual(
    [status("running", { instance: 2 }), status("running", { ready: true, instance: 0 }), status("waiting", { reason: "CrashLoopBackOff" }), status("terminated", { reason: "Error", exit_code: 1 }), status("absent")],
    ["app is running, instance #2", "app is running and ready, instance #0", "app is waiting: CrashLoopBackOff", "app terminated: Error, exit code 1", "Something changed: web · app"],
  );
});

test("a hook that failed is told of with the message, and by its rule where there is none", () => {
  takeRules({ ...NONE, rules: { "A-RULE": "the hook failed" } });
  const failed = (data) => told({ machine: "hook", subject: APP, target: "failed", data: { hook: "pre_stop", ...data } });
  assert.deepEqual([failed({ message: "exit 1" }), failed({})], ["preStop hook of app failed: exit 1", "the hook failed"]);
});

test("a state that no text tells of is told by its rule", () => {
  takeRules({ ...NONE, rules: { "A-RULE": "by its rule" } });
  assert.deepEqual([told({ machine: "stop", subject: APP, target: "other" }), told({ machine: "hook", subject: APP, target: "done", data: { hook: "post_start" } })], ["by its rule", "postStart hook of app ended"]);
});

test("what the node and the API server do not agree about is told until it is over", () => {
  const report = (target) => told({ machine: "status_report", target, data: { holds: "Failed", shows: "Running" } });
  assert.deepEqual([report("held"), report("")], ["on its node web is Failed, but the API server still shows Running", "the node and the API server agree about web again"]);
});

test("an attempt is counted up to its threshold, and by how often in a row beyond it", () => {
  const attempt = (target, data) => told({ kind: "attempt", subject: "probe/default/web/app/liveness", target, data });
  assert.deepEqual(
    [attempt("failure", { run: 2, threshold: 3 }), attempt("failure", { run: 3, threshold: 3 }), attempt("failure", { run: 4, threshold: 3 }), attempt("success", { run: 4, threshold: 3 }), attempt("success", {}), attempt("failure", { run: 2 }), attempt("failure", { threshold: 2 })],
    ["liveness probe of app: failure, 2 of 3", "liveness probe of app: failure, 3 of 3", "The liveness probe of app failed 4 times in a row (threshold 3)", "liveness probe of app: success", "liveness probe of app: success", "liveness probe of app: failure", "liveness probe of app: failure"],
  );
  assert.deepEqual(["error", "suppressed"].map((target) => attempt(target, { run: 1, threshold: 3 })), ["liveness probe of app: unknown result", "liveness probe of app: not run yet"]);
});

test("an attempt says the beginning of what it printed", () => {
  const attempt = (output) => told({ kind: "attempt", subject: "probe/default/web/app/liveness", target: "failure", data: { output } });
  assert.deepEqual([attempt("refused"), attempt("x".repeat(130)), attempt("")], ["liveness probe of app: failure (refused)", `liveness probe of app: failure (${"x".repeat(120)})`, "liveness probe of app: failure"]);
});

test("an Event is told as kubectl prints it, by its target where it has no reason", () => {
  assert.deepEqual([told({ kind: "event", target: "Killing", data: { message: "Stopping" } }), told({ kind: "event", target: "x", data: { reason: "Pulled" } })], ["Killing: Stopping", "Pulled: "]);
});

test("a note says its own text, what a command printed, or where an import ends", () => {
  const note = (fields) => told({ kind: "note", ...fields });
  assert.equal(note({ data: { text: "in its own words" } }), "in its own words");
  assert.equal(note({ target: "exec", subject: APP, data: { exit_code: 0, text: "ok" } }), "command in app exited with code 0: ok");
  assert.equal(note({}), "Something changed: web");
});

test("an act is told in its own words, the value of a field deciding which", () => {
  takeRules({ ...NONE, acts: { turn: { field: "mode", texts: { off: "{name} is off" }, set: "{name} is {mode}", otherwise: "{name} turned" } } });
  const act = (data, name = "turn") => told({ kind: "command", target: "accepted", data: { do: name, ...data } });
  assert.deepEqual([act({ mode: "off" }), act({ mode: "dim" }), act({}), act({ mode: "dim", name: "lamp" }), act({}, "other")], ["web is off", "web is dim", "web turned", "lamp is dim", "You entered a command"]);
});

test("a refused act says why, by its rule with the owner's name, or else by its message", () => {
  const act = (data) => told({ kind: "command", target: "refused", data: { do: "turn", ...data } });
  assert.deepEqual([act({ message: "no such pod" }), act({})], ["Your command was refused: no such pod", "Your command was refused"]);
  takeRules({ ...NONE, rules: { "A-RULE": "{owner} would make it again" } });
  assert.equal(act({ owner: "deployment/default/api", message: "no" }), "Your command was refused: api would make it again");
});

test("texts of rules are wanted for what no other text tells of", () => {
  const wants = (fields) => needsRuleTexts(record(fields));
  assert.deepEqual([{ kind: "command" }, { kind: "note" }, { machine: "workload" }, { machine: "status_word", target: "" }].map(wants), [true, true, true, true]);
  assert.deepEqual([{ kind: "note", machine: "import" }, { kind: "note", data: { text: "said" } }, { kind: "attempt" }, { kind: "event" }, { machine: "phase", target: "Failed" }].map(wants), Array(5).fill(false));
});

for (const [want, ...all] of [
  [6, { machine: "note", target: "exec" }],
  [5, { kind: "command", target: "refused" }],
  [4, { kind: "event", data: { type: "Warning" } }, { machine: "object" }, { machine: "container_status", target: "terminated" }, { machine: "hook", target: "failed" }, { machine: "stop", target: "killed" }, { machine: "uplink" }, { machine: "taint" }, { machine: "node_condition", source: "True" }],
  [3, { kind: "attempt", target: "failure" }, { kind: "attempt", target: "timeout" }, { machine: "status_word", source: "Pending", target: "Running" }, { machine: "status_report" }],
  [2, { kind: "command", target: "accepted" }, { kind: "note" }, { machine: "container_status", target: "running" }, { machine: "hook", target: "done" }, { machine: "stop", target: "turn" }, { machine: "container", target: "pulling" }, { machine: "condition", subject: "condition/default/web/Ready" }],
  [1, { kind: "event", data: { type: "Normal" } }],
  [0, { kind: "attempt", target: "success" }, { machine: "status_word", source: "Running", target: "Running" }, { machine: "node_condition" }, { machine: "container", target: "running" }, { machine: "note", target: "x" }, { machine: "other", target: "exec" }, { machine: "condition", subject: "condition/default/web/Initialized" }, { machine: "other", subject: "condition/default/web/Ready" }],
]) {
  test(`a listener is told of by weight ${want}`, () => {
    for (const fields of all) assert.equal(weight(record(fields)), want, JSON.stringify(fields));
  });
}
