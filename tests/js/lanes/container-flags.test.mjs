import assert from "node:assert/strict";
import { test } from "node:test";

import { row, storeOf } from "../records.mjs";

const APP = "container/default/web/app";
const lane = (...rows) => storeOf(row(1, 0, { machine: "container_status", subject: APP, target: "running" }), ...rows).lanes.byId.get(APP);
const hook = (seq, at_ms, target, data = {}) => row(seq, at_ms, { machine: "hook", subject: APP, target, data: { hook: "pre_stop", ...data } });
const hooks = (...rows) => lane(...rows).hooks.map(({ t0, t1, text, tone }) => [t0, t1, text, tone]);

test("a hook lasts until it is done or fails, and says what it ended with", () => {
  assert.deepEqual(hooks(hook(2, 10, "running")), [[10, Infinity, "preStop", "starting"]]);
  assert.deepEqual(hooks(hook(2, 10, "running"), hook(3, 20, "done")), [[10, 20, "preStop", "starting"]]);
  const failed = lane(hook(2, 10, "running"), hook(3, 20, "failed", { message: "exit 1" }));
  assert.deepEqual(failed.hooks.map(({ t1, tone, data }) => [t1, tone, data.message]), [[20, "failed", "exit 1"]]);
});

test("a hook without a known name is called as the record calls it", () => assert.deepEqual(hooks(row(2, 10, { machine: "hook", subject: APP, target: "running", data: { hook: "other" } })), [[10, Infinity, "other", "starting"]]));

test("the end of a hook that is over changes nothing", () => {
  assert.deepEqual(hooks(hook(2, 10, "running"), hook(3, 20, "done"), hook(4, 30, "failed")), [[10, 20, "preStop", "starting"]]);
});

test("a hook ends with its process", () => {
  assert.deepEqual(hooks(hook(2, 10, "running"), row(3, 40, { machine: "container", subject: APP, target: "exited", data: { exit_code: 137 } })), [[10, 40, "preStop", "starting"]]);
});

test("signals are flagged by name when they are sent", () => {
  const stop = (seq, target, data = {}) => row(seq, 10 * seq, { machine: "stop", subject: APP, target, data });
  const { flags } = lane(stop(2, "turn"), stop(3, "term"), stop(4, "term", { signal: "INT" }), stop(5, "killed"));
  assert.deepEqual(flags.map(({ t, text, type }) => [t, text, type]), [[30, "TERM", "Normal"], [40, "INT", "Normal"], [50, "KILL", "Warning"]]);
});

test("an act on the process is flagged once it is accepted", () => {
  const act = (seq, data, target = "accepted") => row(seq, seq, { kind: "command", machine: "command", subject: APP, target, data });
  const { flags } = lane(
    act(2, { do: "signal_container", signal: 15 }),
    act(3, { do: "signal_container", signal: 12 }),
    act(4, { do: "exit_container", exit_code: 3 }),
    act(5, { do: "oom_container" }),
    act(6, { do: "exec" }),
    act(7, { do: "hang_container" }),
    act(8, { do: "exec" }, "refused"),
  );
  assert.deepEqual(flags.map(({ t, text, type }) => `${t} ${text} ${type}`), ["2 TERM accepted", "3 12 accepted", "4 exit 3 accepted", "5 OOM accepted", "6 exec accepted"]);
});
