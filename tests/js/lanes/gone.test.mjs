import "../setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { isGone, passed } from "../../../static/js/lanes/gone.js";
import { LaneSet } from "../../../static/js/lanes/lane-set.js";
import { buildRows } from "../../../static/js/timeline/rows.js";
import { View } from "../../../static/js/timeline/view.js";

let seq = 0;

function record(at_ms, subject, machine, target, data = {}) {
  seq += 1;
  return { seq, at_ms, kind: "transition", subject, machine, source: "", trigger: "", target, cause: 0, rule: "", data };
}

/** Pods that are created at 0 and go at these moments; null for one that stays. */
function lanesOf(pods) {
  const set = new LaneSet();
  for (const name of Object.keys(pods)) {
    set.add(record(0, `pod/default/${name}`, "object", "present"));
    set.add(record(0, `pod/default/${name}`, "status_word", "Running", { tone: "ready", ready: "1/1" }));
    set.add(record(0, `container/default/${name}/app`, "container", "running", { instance: 0 }));
  }
  const ends = Object.entries(pods).filter(([, end]) => end !== null).sort((a, b) => a[1] - b[1]);
  for (const [name, end] of ends) {
    set.add(record(end, `container/default/${name}/app`, "container", "exited", { instance: 0, exit_code: 0 }));
    set.add(record(end, `pod/default/${name}`, "object", "gone"));
  }
  return set;
}

/** The pods of the rows, in order, and the fold. */
function shown(lanes, t_ms, change = () => {}) {
  const view = new View(false);
  change(view);
  view.readGone(lanes, t_ms);
  const { rows, fold } = buildRows(lanes, view);
  return { pods: [...new Set(rows.map(({ pod }) => pod.key.slice(8)))], fold: fold?.count ?? 0 };
}

test("pods that are gone fold away below those that are there", () => {
  const lanes = lanesOf({ a: 10, b: null, c: 20 });
  assert.deepEqual(shown(lanes, 30), { pods: ["b"], fold: 2 });
  assert.deepEqual(shown(lanes, 30, (view) => view.showGone(true)), { pods: ["b", "a", "c"], fold: 2 });
});

test("at a moment at which they were there they stand where they stood", () => {
  assert.deepEqual(shown(lanesOf({ a: 10, b: null, c: 20 }), 15), { pods: ["a", "b", "c"], fold: 0 });
});

test("a single one that is gone stays, and so do all where none is left", () => {
  assert.deepEqual(shown(lanesOf({ a: 10, b: null }), 30), { pods: ["a", "b"], fold: 0 });
  assert.deepEqual(shown(lanesOf({ a: 10, b: 10 }), 30), { pods: ["a", "b"], fold: 0 });
});

test("what a search leaves is not folded", () => {
  const only = { pods: new Set(["default/a"]), others: new Set() };
  assert.deepEqual(shown(lanesOf({ a: 10, b: null, c: 20 }), 30, (view) => view.filter(only)), { pods: ["a"], fold: 0 });
});

test("a pod of which a process still runs on its node is not gone", () => {
  const lanes = lanesOf({ a: null });
  lanes.add(record(10, "pod/default/a", "object", "gone"));
  assert.equal(isGone(lanes.pod("default/a"), 15), false);
  lanes.add(record(20, "container/default/a/app", "container", "exited", { instance: 0, exit_code: 137 }));
  assert.equal(isGone(lanes.pod("default/a"), 25), true);
  assert.deepEqual(lanes.turns.map((_, index) => passed(lanes.turns, [9, 15][index])), [0, 1]);
});
