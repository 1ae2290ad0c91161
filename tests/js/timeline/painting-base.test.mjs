import assert from "node:assert/strict";
import { test } from "node:test";

import { paintBase, within } from "../../../static/js/timeline/painter.js";
import { drawn, pen } from "../picture.mjs";

const span = (t0, t1, tone, text = "") => ({ t0, t1, seq: 1, tone, text, data: {} });
const row = (kind, lane = {}, more = {}) => ({ lane: { id: "a", kind, spans: [], flags: [], hooks: [], marks: [], node: [], endings: new Map(), ...lane }, y: 0, h: 40, old_h: 0, depth: 2, ...more });

/** What is drawn for these rows, without the grid. */
function painted(rows, { finished = false, ...more } = {}) {
  const on = pen(more);
  const found = paintBase(on, rows, 0, 100, { finished, ghost: null });
  return { found, parts: drawn(on).filter((part) => !/tl-grid( |$)/.test(part)) };
}

test("a pod's own row is tinted and has a line above", () => {
  assert.deepEqual(painted([row("phase", {}, { depth: 1 }), row("phase", {}, { y: 40 })]).parts, ["rect 0 0 1000 40 tl-row", "rect 0 0 1000 1 tl-grid-strong"]);
});

test("time that has not come is patterned from now on, its edge stronger where no more will come", () => {
  assert.deepEqual(painted([], { end_ms: 600 }).parts, ["rect 600 0 400 100 tl-future", "rect 600 0 1 100 tl-grid-strong"]);
  assert.deepEqual(painted([], { end_ms: 600, finished: true }).parts[1], "rect 600 0 1 100 border-strong");
  assert.deepEqual([painted([], { end_ms: 1000 }).parts, painted([], { end_ms: 999 }).parts.length], [[], 2]);
});

test("the newest moment at the left edge has its line, and none before it", () => {
  assert.deepEqual(painted([], { end_ms: 0 }).parts, ["rect 0 0 1000 100 tl-future", "rect 0 0 1 100 tl-grid-strong"]);
  assert.deepEqual(painted([], { end_ms: -5 }).parts, ["rect 0 0 1000 100 tl-future"]);
});

test("time before the run is darker", () => {
  const on = pen();
  on.viewport.start_ms = -100;
  paintBase(on, [], 0, 100, { finished: false, ghost: null });
  assert.ok(drawn(on).includes("rect 0 0 100 100 tl-future @0.35"));
});

/** The node lines of a container. */
const nodeLines = (spans, more) => painted([row("container", { node: spans })], more).parts.filter((part) => part.startsWith("line"));

test("what the node does is a line under the bar, dashed by its kind, paler while all is well", () => {
  assert.deepEqual(nodeLines([span(100, 200, "ready"), span(200, 300, "terminating"), span(300, 400, "absent"), span(400, Infinity, "failed")], { end_ms: 500 }), [
    "line M100 33L199.5 33 ready @0.62",
    "line M200 33L299.5 33 terminating ~2 2",
    "line M400 33L499.5 33 failed",
  ]);
});

test("the shortest step of a node can be seen, and none after the newest moment or beyond the window", () => {
  assert.deepEqual(nodeLines([span(100, 100.2, "starting"), span(501, Infinity, "ready")], { end_ms: 500 }), ["line M100 33L101.5 33 starting ~5 3"]);
  assert.deepEqual(nodeLines([span(1001, Infinity, "ready")], { end_ms: 3000 }), []);
  assert.deepEqual(nodeLines([span(-500, 5000, "starting")], { end_ms: 3000 }), ["line M-20 33L1020 33 starting ~5 3"]);
});

/** The lines for a probe's current result. */
const results = (spans, more) => painted([row("probe", { spans })], more).parts.filter((part) => part.startsWith("line"));

test("a probe's result stands between its attempts, dashed where it is neither good nor bad", () => {
  assert.deepEqual(results([span(0, 100, "", "success"), span(100, 200, "", "failure"), span(200, 300, "", "other"), span(300, 400, "absent", ""), span(400, Infinity, "", "timeout")], { end_ms: 500 }), [
    "line M0 20L100 20 success @0.45",
    "line M100 20L200 20 failure @0.45",
    "line M200 20L300 20 suppressed @0.3 ~2 4",
    "line M400 20L500 20 timeout @0.45 ~2 4",
  ]);
});

test("a result that begins after the newest moment or beyond the window is not there", () => {
  assert.deepEqual([results([span(501, Infinity, "", "success")], { end_ms: 500 }), results([span(1001, Infinity, "", "success")], { end_ms: 2000 })], [[], []]);
});

test("what lies over bars and groups of marks can be pointed at", () => {
  const { found } = painted([row("container", { flags: [{ t: 100, seq: 1, text: "TERM", type: "Normal", data: {} }] }), row("probe", { id: "p", marks: [{ t: 50, seq: 1, type: "success", text: "", data: {} }] })]);
  assert.deepEqual([found.targets.get("a").length, found.groups.get("p").map(({ x0 }) => x0)], [2, [50]]);
});

test("a lane that draws itself is asked to, and says what can be pointed at", () => {
  const { found } = painted([row("logs", { paint: () => ["mine"] })]);
  assert.deepEqual([...found.groups], [["a", ["mine"]]]);
});

test("one side of a moment is drawn as if the other were not there", () => {
  const sides = [false, true].map((isAfter) => {
    let seen = null;
    const x = within(pen(), 300, isAfter, false, ({ viewport }) => (seen = [viewport.width, viewport.start_ms, viewport.end_ms, viewport.xOf(500), viewport.tOf(100)]));
    return [x, ...seen];
  });
  assert.deepEqual(sides, [[0, 300, 0, 300, 500, 100], [300, 700, 300, 1000, 200, 400]]);
});

test("a side that is not on screen is not drawn", () => {
  const isDrawn = (from_ms, isAfter) => {
    let called = false;
    within(pen(), from_ms, isAfter, false, () => (called = true));
    return called;
  };
  assert.deepEqual([isDrawn(-50, false), isDrawn(-50, true), isDrawn(2000, false), isDrawn(2000, true), isDrawn(1000, true)], [false, true, true, false, false]);
});

test("what stands at the edge of two futures may reach over it, bars may not", () => {
  const clip = (isAfter, isOpen) => {
    const on = pen();
    within(on, 300, isAfter, isOpen, () => {});
    return /d="(M[-\d.]+) [-\d.]+h([\d.]+)/.exec([...on.context.defs.values()][0]).slice(1, 3).join(" ");
  };
  assert.deepEqual([clip(true, true), clip(true, false), clip(false, true), clip(false, false)], ["M-16 716", "M0 700", "M0 316", "M0 300"]);
});

test("probes have glyphs of results, other lanes of marks those of Events", () => {
  const colours = (kind, type) => painted([row(kind, { marks: [{ t: 50, seq: 1, type, text: "", data: {} }] })]).parts.map((part) => part.split(" ").at(-1));
  assert.deepEqual([colours("probe", "success").includes("success"), colours("events", "Normal")], [true, ["muted"]]);
});

/** What is drawn for a row of two futures that part at 300, and what can be pointed at. */
function futures(own) {
  const asked = [];
  const on = pen();
  const found = paintBase(on, [own], 0, 100, { finished: false, ghost: { from_ms: 300, paintOld: () => asked.push("old") } });
  return { found, asked, parts: drawn(on).filter((part) => !/tl-grid/.test(part)) };
}

test("a lane of the old future alone is drawn by that, one of both by both", () => {
  const spans = [span(0, Infinity, "ready", "Running")];
  const alone = futures(row("phase", { spans }, { isOld: true }));
  const both = futures(row("phase", { spans }, { old: {}, old_h: 15 }));
  const one = futures(row("phase", { spans }));
  assert.deepEqual([alone.asked, alone.parts, both.asked, both.parts.some((part) => part.startsWith("fill")), one.asked], [["old"], [], ["old"], true, []]);
});

test("a lane of two futures is lower after the moment at which they part", () => {
  const { parts } = futures(row("phase", { spans: [span(0, Infinity, "ready", "Running")] }, { old: {}, old_h: 15 }));
  assert.deepEqual(parts.filter((part) => part.startsWith("fill")).map((part) => /v([\d.]+)/.exec(part)[1]), ["26", "11"]);
});

test("marks and flags on both sides of that moment are found where they are drawn", () => {
  const marks = [100, 400].map((t) => ({ t, seq: t, type: "success", text: "", data: {} }));
  assert.deepEqual(futures(row("probe", { marks }, { old: {}, old_h: 15 })).found.groups.get("a").map(({ x0 }) => x0), [100, 400]);
  const flags = [100, 400].map((t) => ({ t, seq: t, text: "TERM", type: "Normal", data: {} }));
  assert.deepEqual(futures(row("container", { flags }, { old: {}, old_h: 15 })).found.targets.get("a").filter(({ x1, x0 }) => x1 - x0 === 8).map(({ x0 }) => x0 + 4).filter((x) => x <= 300 || x >= 400), [100, 400]);
});

test("a step that begins at the newest moment, or at the edge of the window, can be seen", () => {
  assert.deepEqual([nodeLines([span(500, Infinity, "starting")], { end_ms: 500 }), nodeLines([span(1000, Infinity, "starting")], { end_ms: 2000 })], [["line M500 33L501.5 33 starting ~5 3"], ["line M1000 33L1020 33 starting ~5 3"]]);
});
