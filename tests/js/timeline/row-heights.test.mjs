import assert from "node:assert/strict";
import { test } from "node:test";

import { buildRows } from "../../../static/js/timeline/rows.js";
import { DENSITIES, View } from "../../../static/js/timeline/view.js";

const KINDS = ["status", "phase", "condition", "container", "probe", "events", "node", "part", "workload", "requests", "logs", "endpoint"];
const lanes = () => ({
  byId: new Map(KINDS.map((kind) => [kind, { id: kind, kind, subject: kind, pod: "" }])),
  workloads: new Map(),
  services: new Map(),
  pods: new Map(),
  nodes: new Map(),
});

const heights = (density, isSmall = false) => {
  const view = new View(isSmall, density);
  view.pins = [];
  const set = { ...lanes(), workloads: new Map(KINDS.map((kind) => [kind, { id: kind, kind, subject: kind, pod: "" }])) };
  return buildRows(set, view).rows.map((row) => row.h);
};

test("lanes are lower where they are close and higher where they are wide, of every kind", () => {
  const [normal, close, wide] = DENSITIES.map((density) => heights(density));
  assert.equal(normal.length, KINDS.length);
  assert.ok(normal.every((height, at) => close[at] < height && height < wide[at]));
});

test("no lane of a small screen is lower than a finger needs", () => {
  assert.ok(heights("close", true).every((height) => height >= 24));
});

test("densities are gone through one after the other, and nonsense that was kept is as usual", () => {
  const view = new View(false, "nonsense");
  const seen = DENSITIES.map(() => (view.turnDensity(), view.density));
  assert.deepEqual(seen, ["close", "wide", "normal"]);
});
