import assert from "node:assert/strict";
import { test } from "node:test";

const { inParts, isCovered, stick, wholeName } = await import("../../../static/js/timeline/pins.js");
const { buildRows, rowAt, visibleRows } = await import("../../../static/js/timeline/rows.js");
const { View } = await import("../../../static/js/timeline/view.js");

/** Lanes of two pods, each with its phase. */
function lanesOf(...pods) {
  const lanes = { byId: new Map(), pods: new Map(), workloads: new Map(), services: new Map(), nodes: new Map() };
  const lane = (kind, pod) => {
    const made = { id: `${kind}:pod/${pod}`, kind, subject: `pod/${pod}`, pod, name: kind, spans: [], marks: [], flags: [], hooks: [], endings: new Map() };
    lanes.byId.set(made.id, made);
    return made;
  };
  for (const pod of pods) lanes.pods.set(pod, { key: pod, status: lane("status", pod), phase: lane("phase", pod), events: lane("events", pod), conditions: new Map(), containers: new Map(), probes: new Map() });
  return lanes;
}

const LANES = lanesOf("default/a", "default/b");

function pinned(...ids) {
  const view = new View(false);
  view.readPins(ids.join(","));
  return { view, ...buildRows(LANES, view) };
}

test("pinned lanes stand above all pods in the order of pinning, and keep their place besides", () => {
  const { rows } = pinned("phase:pod/default/b", "status:pod/default/a");
  assert.deepEqual(rows.slice(0, 3).map(({ lane, isPinned }) => [lane.id, isPinned]), [["phase:pod/default/b", true], ["status:pod/default/a", true], ["status:pod/default/a", false]]);
  assert.deepEqual(rows.filter(({ isTwin }) => isTwin).map(({ lane }) => lane.id), ["status:pod/default/a", "phase:pod/default/b"]);
});

test("neither what is folded nor what is searched for takes a pinned lane away", () => {
  const { view } = pinned("phase:pod/default/b");
  view.toggleAll();
  view.filter({ pods: new Set(["default/a"]), others: new Set() });
  assert.deepEqual(buildRows(LANES, view).rows.map(({ lane }) => lane.id), ["phase:pod/default/b", "status:pod/default/a"]);
});

test("a lane that the run does not have is not there, and is pinned once it is", () => {
  assert.equal(pinned("status:pod/default/later").rows.filter(({ isPinned }) => isPinned).length, 0);
  const { view } = pinned("status:pod/default/later");
  assert.equal(buildRows(lanesOf("default/later"), view).rows[0].isPinned, true);
});

test("pinned lanes stay while the others scroll", () => {
  const { rows } = pinned("phase:pod/default/b");
  const taken = stick(rows, 100, 400);
  assert.equal(rows[0].y, rows[0].rest_y + 100);
  assert.equal(rowAt(rows, 100 + rows[0].rest_y + 1), rows[0]);
  assert.equal(rowAt(rows, 100 + taken - 1), null);
  assert.deepEqual(visibleRows(rows, 100, 500).filter(({ isStuck }) => isStuck), [rows[0]]);
  assert.ok(isCovered(rows, rows[1]) && !isCovered(rows, rows.at(-1)));
});

test("those that would leave the others no room scroll with them", () => {
  const { rows } = pinned("phase:pod/default/b", "status:pod/default/a", "status:pod/default/b");
  stick(rows, 50, 140);
  assert.deepEqual(rows.slice(0, 3).map(({ isStuck }) => isStuck), [true, true, false]);
  assert.equal(stick(rows, 50, 40), 0);
  assert.equal(rows[0].y, rows[0].rest_y);
});

test("lanes that stay and lanes that scroll are drawn apart", () => {
  const { rows } = pinned("phase:pod/default/b");
  const taken = stick(rows, 30, 400);
  const context = Object.fromEntries(["save", "restore", "beginPath", "rect", "clip"].map((name) => [name, () => {}]));
  const parts = [];
  inParts(context, rows, { top: 30, width: 100, height: 400 }, (part, top, height) => parts.push([part.length, top, height]));
  assert.deepEqual(parts, [[rows.length - 1, 30 + taken, 400 - taken], [1, 30, taken]]);
});

test("a link holds so many pins, and no more can be pinned", () => {
  const view = new View(false);
  let done = "";
  for (let number = 0; done !== "full"; number += 1) done = view.togglePin(`status:pod/default/a-pod-with-quite-a-long-name-${number}`);
  const word = view.pinWord();
  assert.ok(view.pins.length > 5 && word.length <= 600);
  const other = new View(false);
  other.readPins(word);
  assert.deepEqual(other.pins, view.pins);
  assert.equal(view.togglePin(view.pins[0]), "unpinned");
});

test("where it stands alone a lane is named with its pod", () => {
  assert.equal(wholeName({ kind: "probe", subject: "probe/default/web/main/liveness", pod: "default/web" }, "liveness"), "web ▸ main ▸ liveness");
  assert.equal(wholeName({ kind: "status", subject: "pod/default/web", pod: "default/web" }, "web"), "web");
  assert.equal(wholeName({ kind: "part", subject: "node/node-1", pod: "" }, "kubelet"), "node-1 ▸ kubelet");
});
