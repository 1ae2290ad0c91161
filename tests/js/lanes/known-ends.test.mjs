import assert from "node:assert/strict";
import { test } from "node:test";

import { text } from "../../../static/js/base/i18n.js";
import { KnownEnds } from "../../../static/js/lanes/known-ends.js";
import { parseSubject } from "../../../static/js/wire/record.js";
import { row, storeOf } from "../records.mjs";

test("known ends stand from when they are told until they come true, and can be asked for at any moment", () => {
  const known = new KnownEnds();
  const at = (at_ms, subject = "container/default/web/app") => ({ subject, at_ms, seq: at_ms });
  known.make("backoff", at(100), 500);
  known.make("deadline", at(200, "pod/default/web"), 400);
  known.end("backoff", at(300));
  const ends = (t_ms) => known.at(t_ms).map(({ until_ms }) => until_ms);
  assert.deepEqual([50, 150, 250, 350, 450].map(ends), [[], [500], [400, 500], [400], []]);
});

test("what ended at a moment stands no more at that moment, also when more has come since", () => {
  const known = new KnownEnds();
  const at = (at_ms) => ({ subject: "c", at_ms, seq: at_ms });
  known.make("backoff", at(100), 500);
  known.end("backoff", at(300));
  known.make("backoff", at(400), 900);
  assert.deepEqual([100, 299, 300, 400].map((t_ms) => known.at(t_ms).map(({ until_ms }) => until_ms)), [[500], [500], [], [900]]);
});

test("only the newest attempt of a probe says when the next one comes, and none is to come once its container or pod is over", () => {
  const attempt = (seq, at_ms, name, next_ms) => row(seq, at_ms, { kind: "attempt", machine: "probe_attempt", subject: `probe/default/web/app/${name}`, target: "success", data: next_ms ? { next_ms } : {} });
  const told = (store, t_ms) => store.pending(t_ms).map(({ kind, subject, until_ms }) => [kind, parseSubject(subject).name, until_ms]);
  const rows = [attempt(1, 1000, "liveness", 11_000), attempt(2, 2000, "readiness", 12_000), attempt(3, 11_000, "liveness", 21_000)];
  assert.deepEqual(told(storeOf(...rows), 11_500), [["probe", "readiness", 12_000], ["probe", "liveness", 21_000]]);
  assert.deepEqual(told(storeOf(...rows, attempt(4, 11_600, "liveness")), 11_700), [["probe", "readiness", 12_000]]);
  const deleted = row(4, 11_600, { machine: "object", target: "terminating", data: { deadline_ms: 11_600 } });
  assert.deepEqual(told(storeOf(...rows, deleted), 11_700), [["probe", "readiness", 12_000]]);
  const exited = row(4, 11_600, { machine: "container", subject: "container/default/web/app", target: "exited" });
  assert.deepEqual(told(storeOf(...rows, exited), 11_700), []);
});

test("at the very moment of an attempt the next one is known already", () => {
  const attempt = row(1, 1000, { kind: "attempt", machine: "probe_attempt", subject: "probe/default/web/app/liveness", target: "success", data: { next_ms: 11_000 } });
  assert.deepEqual(storeOf(attempt).pending(1000).map(({ kind, until_ms }) => [kind, until_ms]), [["probe", 11_000]]);
});

test("an end that is told again otherwise withdraws the old one", () => {
  const known = new KnownEnds();
  known.make("kill", { subject: "c", at_ms: 0, seq: 1 }, 900);
  known.make("kill", { subject: "c", at_ms: 10, seq: 2 }, 300);
  assert.deepEqual(known.at(20).map(({ seq }) => seq), [2]);
});

/** A pod that tolerates its node's taint until 300 s, and what comes after. */
function tolerating(...after) {
  const until = row(1, 1000, { subject: "pod/default/web", machine: "taint_eviction", target: "waiting", data: { seconds: 299, until_ms: 300_000 } });
  return storeOf(until, ...after.map((given, index) => row(index + 2, 2000, { subject: "pod/default/web", ...given }))).pending(5000).map(({ kind, until_ms }) => [kind, until_ms]);
}

test("the time for which a pod tolerates a taint ends in its deletion, known beforehand", () => assert.deepEqual(tolerating(), [["taint", 300_000]]));
test("a taint that goes takes the deletion back", () => assert.deepEqual(tolerating({ machine: "taint_eviction", target: "cancelled" }), []));
test("a pod that is deleted before its time is not deleted again", () => {
  assert.deepEqual(tolerating({ machine: "object", target: "terminating", data: { deadline_ms: 32_000 } }), [["deadline", 32_000]]);
});

/** Rows about a container on its node. */
function onNode(seq, at_ms, target, { rule = "A-RULE", subject = "container/default/web/app", ...data } = {}) {
  const [, , ...rest] = row(seq, at_ms, { machine: "container", subject, target, data });
  return [seq, at_ms, ...rest.with(7, rule)];
}

/** The known ends, as kinds with their moments. */
function known(rows, ...moments) {
  const store = storeOf(...rows);
  return moments.map((t_ms) => store.pending(t_ms).map(({ kind, until_ms }) => `${kind} ${until_ms}`).join());
}

const WAIT = { rule: "BACKOFF-WAIT", instance: 6, window: "1m20s" };

test("a back-off found in the sync that stopped the container is measured anew from the newest end", () => {
  const stopped = [onNode(1, 375_015, "exited", { instance: 4 }), onNode(2, 450_015, "exited", { instance: 5 })];
  const told = [...stopped, onNode(3, 450_015, "backoff", { ...WAIT, until_ms: 455_015 })];
  assert.deepEqual(known(told, 450_100, 460_000), ["backoff 530015", "backoff 530015"]);
  const usual = [...stopped, onNode(3, 451_000, "backoff", { ...WAIT, until_ms: 530_015 })];
  assert.deepEqual(known(usual, 451_000), ["backoff 530015"]);
  const imported = [...stopped, onNode(3, 451_000, "backoff", { ...WAIT, rule: "FOLLOWS", until_ms: 500_000 })];
  assert.deepEqual(known(imported, 451_000), ["backoff 500000"]);
});

test("after its end a back-off goes on being told until the kubelet has looked, behind what has a known end", () => {
  const rows = [onNode(1, 1000, "exited", { instance: 5 }), onNode(2, 1500, "backoff", { ...WAIT, until_ms: 81_000 })];
  const other = onNode(3, 1600, "backoff", { ...WAIT, subject: "container/default/web/side", until_ms: 90_000 });
  const begun = onNode(3, 84_000, "creating", { instance: 6 });
  assert.deepEqual(known([...rows, other], 80_999, 81_000), ["backoff 81000,backoff 90000", "backoff 90000,overdue 81000"]);
  assert.deepEqual(known([...rows, begun], 83_000, 84_000), ["overdue 81000", ""]);
});

test("nothing is told of a back-off once no container of its pod is to start, or its kubelet has forgotten it", () => {
  const rows = [row(1, 0, { machine: "object", target: "present", data: { node: "n1" } }), onNode(2, 1500, "backoff", { ...WAIT, until_ms: 81_000 })];
  const after = (given) => known([...rows, row(3, 2000, given)], 3000, 90_000);
  assert.deepEqual(after({ machine: "kubelet", subject: "node/n2", target: "stopped" }), ["backoff 81000", "overdue 81000"]);
  for (const end of [{ machine: "object", target: "terminating", data: { deadline_ms: 2500 } }, { target: "Failed" }, { machine: "kubelet", subject: "node/n1", target: "stopped" }]) {
    assert.deepEqual(after(end), ["", ""], JSON.stringify(end));
  }
});

test("a pull that is held back has a known end like a container that is", () => {
  const held = { rule: "PULL-BACKOFF", instance: 0, window: "1m20s", until_ms: 166_558 };
  const rows = [onNode(1, 86_558, "waiting", { instance: 0 }), onNode(2, 97_958, "waiting", held), onNode(3, 109_958, "waiting", held)];
  assert.deepEqual(known(rows, 90_000, 107_000, 167_000), ["", "backoff 166558", "overdue 166558"]);
  assert.deepEqual(known([...rows, onNode(4, 172_958, "pulling", { instance: 0 })], 173_000), [""]);
});

test("what is overdue has words, and a container in their midst", () => {
  assert.ok(text("next.overdue", { container: "app" }).includes("app"));
});

test("TERM is followed by KILL at a moment that is known, unless no time is left", () => {
  const stop = (seq, target, left_s) => row(seq, 1000, { machine: "stop", subject: "container/default/web/app", target, data: { left_s } });
  const told = (...rows) => storeOf(...rows).pending(1000).map(({ kind, until_ms }) => [kind, until_ms]);
  assert.deepEqual([told(stop(1, "term", 30)), told(stop(1, "term", 0)), told(stop(1, "term", 30), stop(2, "killed"))], [[["kill", 31_000]], [], []]);
});
