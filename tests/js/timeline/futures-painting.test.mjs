import assert from "node:assert/strict";
import { test } from "node:test";

import { Futures } from "../../../static/js/timeline/futures.js";
import { drawn, pen } from "../picture.mjs";

const lane = (kind, more = {}) => ({ id: kind, kind, subject: "s", spans: [], marks: [], flags: [], hooks: [], node: [], endings: new Map(), ...more });
const span = (t0, t1, tone = "ready", text = "Running") => ({ t0, t1, seq: 1, tone, text, data: { instance: 0 } });

/** Two futures that part at 300; the old one is known up to 600. */
function futures(lanes = [], now = []) {
  const byId = (all) => new Map(all.map((each) => [each.id, each]));
  const store = { lanes: { byId: byId(lanes), pods: new Map() }, head_ms: 600 };
  const run = { main: { dataset: { parentRecords: "/r/abc/records/" } }, playhead: { end_ms: 900 }, clock: { running: false }, store: { lanes: { byId: byId(now), pods: new Map() }, head_ms: 900, headSeq: 5 } };
  const both = new Futures(run, { store, from_ms: 300, until_ms: 0 }, { old: "main", now: "Kill" });
  both.follow();
  return { both, run };
}
const row = (own, more = {}) => ({ lane: own, y: 0, h: 40, old: null, old_h: 0, ...more });

function old(own, more) {
  const on = pen({ end_ms: 900 });
  const [groups, targets] = [new Map(), new Map()];
  futures([own]).both.paintOld(on, row(own, more), groups, targets);
  return { parts: drawn(on), groups, targets };
}

test("bars of the old future are hollow, from where the futures part to where it is known", () => {
  const { parts } = old(lane("phase", { spans: [span(0, 400), span(400, 500, "absent"), span(500, Infinity, "failed", "Failed")] }));
  assert.deepEqual(parts.filter((part) => part.startsWith("fill")).map((part) => [Number(/M([\d.]+) /.exec(part)[1]) - 4, part.split("Z ")[1]]), [[-0.25, "ready @0.14"], [200.75, "failed @0.14"]]);
  assert.ok(parts.some((part) => part.startsWith("Failed")));
});

test("what was too short for a bar can still be seen", () => {
  assert.ok(old(lane("phase", { spans: [span(400, 400.5, "failed")] })).parts.includes("rect 100 3 2 34 failed"));
});

test("marks before the futures part belong to both, those after it are pale, and are found where they are drawn", () => {
  const marks = [100, 350].map((t) => ({ t, seq: t, type: "success", text: "", data: {} }));
  const { parts, groups } = old(lane("probe", { marks }));
  assert.match(parts[0], /success @0\.75/);
  assert.deepEqual(groups.get("old:probe").map(({ x0 }) => x0), [350]);
});

test("flags of the old future can be pointed at, those before it not", () => {
  const flags = [100, 400].map((t) => ({ t, seq: t, text: "TERM", type: "Normal", data: {} }));
  assert.deepEqual(old(lane("container", { flags })).targets.get("old:container").map(({ x0 }) => x0), [401, 396]);
});

test("the old one of two futures is drawn in the lower part of their row", () => {
  const own = lane("phase", { spans: [span(300, 300.5, "failed")] });
  const [, y, height] = /rect 0 ([\d.]+) 2 ([\d.]+)/.exec(old(own, { old: own, old_h: 18 }).parts[0]);
  assert.deepEqual([y, height], ["22", "14"]);
});

/** The line and the names at the point where the futures part. */
function point({ width = 1000, isOldShown = true, start_ms = 0 } = {}) {
  const on = pen({ width });
  on.viewport.start_ms = start_ms;
  futures().both.paintPoint(on, 200, { isOldShown, foot: 100 });
  return drawn(on);
}
const names = (parts) => parts.filter((part) => /^[▲▽]/.test(part)).map((part) => part.replace(/ [\d.]+ \S+$/, ""));

test("where the futures part stand both names below the last lane, the new one shortened where there is no room", () => {
  const wide = (width) => names(point({ width }));
  assert.deepEqual([wide(1000), wide(392), wide(391)], [["▲ Kill", "▽ main"], ["▲ Kill", "▽ main"], ["▲", "▽ main"]]);
  assert.deepEqual(names(point({ isOldShown: false })), ["▲ Kill"]);
});

test("without the old future its name is not there, and the new one's stands at the foot of the window", () => {
  const y = (isOldShown) => /^rect \d+ (\d+)/.exec(point({ isOldShown }).find((part) => part.startsWith("rect")))[1];
  assert.deepEqual([y(true), y(false)], ["102", "182"]);
});

test("a line that is off the screen is not drawn, one on its edge is", () => {
  assert.deepEqual([point({ start_ms: 303 }).length, point({ start_ms: 302 }).length > 0, point({ width: 298 }).length > 0, point({ width: 297 }).length], [0, true, true, 0]);
});

/** What is under x in the old future. */
function under(x, own, { groups = new Map(), targets = new Map() } = {}) {
  const { viewport } = pen();
  const { span: of, marks } = futures([own]).both.hitAt({ viewport, groups, targets }, row(own), x);
  return of ? of.text : marks ? "marks" : "";
}

test("under the pointer is what the old future shows from where it parts to where it is known", () => {
  const own = lane("container", { spans: [span(0, 500), span(500, Infinity, "absent", "")] });
  assert.deepEqual([299, 300, 499, 500].map((x) => under(x, own)), ["", "Running", "Running", ""]);
  const still = lane("container", { spans: [span(0, Infinity)] });
  assert.deepEqual([600, 601].map((x) => under(x, still)), ["Running", ""]);
});

test("a hook lies over the bar, flags and marks over both", () => {
  const own = lane("container", { spans: [span(0, Infinity)], hooks: [span(350, 450, "starting", "preStop")] });
  assert.deepEqual([under(400, own), under(470, own)], ["preStop", "Running"]);
  const targets = new Map([["old:container", [{ x0: 390, x1: 400, marks: [{}] }]]]);
  assert.deepEqual([389, 390, 400, 401].map((x) => under(x, own, { targets })), ["preStop", "marks", "marks", "preStop"]);
  assert.equal(under(400, own, { groups: new Map([["old:container", [{ x0: 400, x1: 400, marks: [{}] }]]]) }), "marks");
});

test("lanes that say the same are one, those that differ in words, codes or marks are two", () => {
  const split = (was, is) => futures([lane("a", was)], [lane("a", is)]).both.split.size;
  const mark = (t, text) => ({ t, seq: 1, type: "Normal", text, data: {} });
  assert.deepEqual([split({ spans: [span(0, 500)] }, { spans: [span(0, 500)] }), split({ spans: [span(0, 500)] }, { spans: [span(100, 500)] }), split({ spans: [span(0, 500)] }, { spans: [span(0, 500, "ready", "x")] })], [0, 0, 1]);
  assert.deepEqual([split({ marks: [mark(299, "a")] }, {}), split({ marks: [mark(300, "a")] }, {}), split({ flags: [mark(899, "a")] }, {}), split({ flags: [mark(900, "a")] }, {}), split({ hooks: [span(400, 500)] }, {})], [0, 1, 1, 0, 1]);
});

test("a run that stands is compared again only when more of it has come", () => {
  const { both, run } = futures([lane("a", { spans: [span(0, 500)] })], [lane("a")]);
  const held = both.split;
  both.follow();
  assert.equal(both.split, held);
  run.store.headSeq += 1;
  both.follow();
  assert.notEqual(both.split, held);
  const again = both.split;
  run.playhead.end_ms = run.store.head_ms = 1000;
  both.follow();
  assert.notEqual(both.split, again);
});

test("rows are built again only where other lanes differ", () => {
  const { both, run } = futures([lane("a", { spans: [span(0, 500)] }), lane("b", { spans: [span(0, 500)] })], [lane("a"), lane("b", { spans: [span(0, 500)] })]);
  const again = () => {
    run.store.headSeq += 1;
    return both.follow();
  };
  const version = both.version;
  assert.equal(again(), version);
  run.store.lanes.byId.set("b", lane("b"));
  assert.equal(again(), version + 1);
  run.store.lanes.byId.set("a", lane("a", { spans: [span(0, 500)] }));
  assert.equal(again(), version + 2);
  run.store.lanes.byId.set("a", lane("a"));
  run.store.lanes.byId.set("b", lane("b", { spans: [span(0, 500)] }));
  assert.equal(again(), version + 3);
});

test("the page of the old future is that of its records, at a moment", () => assert.equal(futures().both.address(1500), "/r/abc/?t=1.500"));

test("Events of the old future are drawn as Events", () => {
  const marks = [{ t: 350, seq: 1, type: "Warning", text: "", data: {} }];
  assert.ok(old(lane("events", { marks })).parts.some((part) => part.includes("tone-warn")));
});

/** The pods of both futures; the old one also has a container and the pod "gone". */
function pods() {
  const app = lane("container", { id: "app", spans: [span(0, 500)] });
  const debug = lane("container", { id: "debug", spans: [span(400, 500)] });
  const status = (id) => lane("status", { id, spans: [span(350, 500)] });
  const [web, gone] = [status("status:web"), status("status:gone")];
  const { both, run } = futures([app, debug, web, gone], [app, web]);
  const of = (own, ...containers) => ({ key: own.id, status: own, conditions: new Map(), probes: new Map(), containers: new Map(containers.map((each) => [each.id, each])) });
  both.store.lanes.pods = new Map([["web", of(web, app, debug)], ["gone", of(gone)], ["never", of(status("status:never"))]]);
  run.store.lanes.pods = new Map([["web", of(web, app)]]);
  return { both, run, merged: both.podsOf(run.store.lanes) };
}

test("a pod of both futures has the containers of both, and one that only the old future has is there", () => {
  const { merged, run } = pods();
  assert.deepEqual([[...merged.keys()], [...merged.get("web").containers.keys()], [...run.store.lanes.pods.get("web").containers.keys()]], [["web", "gone"], ["app", "debug"], ["app"]]);
});

test("a lane is the old future's alone where the new one does not have it", () => {
  const { both } = pods();
  assert.deepEqual([both.lane("debug")?.id, both.lane("app"), both.isOld(both.store.lanes.byId.get("debug")), both.isOld(both.store.lanes.byId.get("app"))], ["debug", null, true, false]);
});
