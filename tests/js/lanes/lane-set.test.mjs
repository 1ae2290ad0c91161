import assert from "node:assert/strict";
import { test } from "node:test";

import { row, storeOf } from "../records.mjs";

test("records become spans of their lane, one after the other", () => {
  const store = storeOf(row(1, 0, { target: "Pending" }), row(2, 300, { target: "Running" }));
  const { spans } = store.lanes.byId.get("phase:pod/default/web");
  assert.deepEqual(spans.map(({ t0, t1, text }) => [t0, t1, text]), [[0, 300, "Pending"], [300, Infinity, "Running"]]);
});

test("the moment from which a container is started is marked where a startup probe said so", () => {
  const seen = (seq, at_ms, started, instance = 0, target = "running") => row(seq, at_ms, { machine: "container_status", subject: "container/default/web/app", target, data: { started, instance } });
  const flags = (...rows) => storeOf(...rows).lanes.byId.get("container/default/web/app").flags.map(({ t, text }) => [t, text]);
  assert.deepEqual(flags(seen(1, 0, false), seen(2, 900, true), seen(3, 1900, true)), [[900, "started"]]);
  assert.deepEqual(flags(seen(1, 0, true), seen(2, 900, true)), []);
  assert.deepEqual(flags(seen(1, 0, false), seen(2, 900, true, 1)), []);
  assert.deepEqual(flags(seen(1, 0, false, 0, "waiting"), seen(2, 900, true)), []);
});
