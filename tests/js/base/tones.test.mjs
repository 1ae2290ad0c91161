import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { conditionTone, containerTone, nodeTone, phaseTone, severity, statusTone, worse } from "../../../static/js/base/tones.js";

test("the worse of two tones does not depend on their order", () => {
  for (const [a, b] of [["ok", "failed"], ["failed", "waiting"], ["ok", "ok"]]) assert.equal(worse(a, b), worse(b, a));
});

test("a condition that is bad when it is true has the other tone", () => assert.notEqual(conditionTone("Ready", "True"), conditionTone("DisruptionTarget", "True")));

const STATUSES = JSON.parse(readFileSync(new URL("../../web/status-tones.json", import.meta.url), "utf8"));

test("the tone of a pod is the server's", () => {
  for (const [word, data, tone] of STATUSES) assert.equal(statusTone(word, data), tone, `${word} ${JSON.stringify(data)}`);
});

test("the tone of a container is that of its state, its reason, or its exit", () => {
  const tones = [["running", { ready: true }], ["running", {}], ["terminated", { exit_code: 0 }], ["terminated", { exit_code: 0, reason: "OOMKilled" }], ["terminated", { exit_code: 1 }], ["waiting", { reason: "CrashLoopBackOff" }], ["waiting", { reason: "Odd" }], ["waiting", {}], ["unknown", {}], ["absent", {}]].map(([state, data]) => containerTone(state, data));
  assert.deepEqual(tones, ["ready", "notready", "succeeded", "failed", "failed", "backoff", "failed", "waiting", "unknown", "absent"]);
});

test("what an idle container does on its node is not drawn", () => assert.deepEqual(["waiting", "exited", "running", "pulling", "odd"].map(nodeTone), ["absent", "absent", "ready", "starting", "absent"]));

test("a phase or a condition that is not known is not there", () => assert.deepEqual([phaseTone("Failed"), phaseTone("odd"), conditionTone("Ready", "odd"), severity("odd"), severity("failed") > severity("ready")], ["failed", "absent", "absent", 0, true]));
