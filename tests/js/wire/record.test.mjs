import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, parseSubject, shortPod } from "../../../static/js/wire/record.js";
import { row } from "../records.mjs";

test("record has the fields of its row", () => {
  const record = decode(row(3, 1500, { target: "Running", data: { ready: true } }));
  assert.deepEqual([record.seq, record.at_ms, record.target, record.data], [3, 1500, "Running", { ready: true }]);
});

test("subject says which pod it belongs to", () => {
  assert.deepEqual(parseSubject("probe/default/web/app/liveness"), { type: "probe", pod: "default/web", container: "app", name: "liveness" });
  assert.deepEqual(parseSubject("container/default/api/app"), { type: "container", pod: "default/api", container: "app", name: "app" });
  assert.deepEqual(parseSubject("condition/default/web/Ready"), { type: "condition", pod: "default/web", container: "", name: "Ready" });
  assert.deepEqual(parseSubject("pod/default/web"), { type: "pod", pod: "default/web", container: "", name: "web" });
  assert.deepEqual(parseSubject("deployment/default/web"), { type: "deployment", pod: "", container: "", name: "web" });
  assert.equal(parseSubject("node/node-1").pod, "");
  assert.deepEqual([shortPod("default/web"), shortPod("kube-system/dns")], ["web", "kube-system/dns"]);
});
