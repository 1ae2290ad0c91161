import assert from "node:assert/strict";
import { test } from "node:test";

import { paintOverlay } from "../../../static/js/timeline/overlay.js";
import { drawn, pen } from "../picture.mjs";

const ROW = { lane: { id: "a", kind: "status", subject: "pod/default/web" }, y: 0, h: 40, old_h: 0 };
const STATE = { t_ms: 2000, live: true, imported_ms: null, futures: null, hover_ms: null, focus: "", selected: null, groups: new Map(), targets: new Map(), pending: [], stretch: null };

/** What is drawn over the lanes in this state; the playhead is outside the window unless the state says where it is. */
function painted(state, { rows = [ROW], ...more } = {}) {
  const on = pen(more);
  paintOverlay(on, rows, 0, 100, { ...STATE, ...state });
  return drawn(on);
}
/** The edges of a rounded box. */
const box = (path) => {
  const [, x, width] = /^line M([\d.-]+) [\d.-]+h([\d.-]+)/.exec(path);
  return [Number(x), Number(width)];
};

test("what came after a moment of the past is veiled up to the newest moment", () => {
  const veiled = (state, more) => painted({ t_ms: 400, live: false, ...state }, more).filter((part) => part.endsWith("veil"));
  assert.deepEqual([veiled({}), veiled({}, { end_ms: 500 }), veiled({ t_ms: -50 })], [["rect 400 0 600 100 veil"], ["rect 400 0 100 100 veil"], ["rect 0 0 1000 100 veil"]]);
  assert.deepEqual([veiled({ live: true }), veiled({ isClear: true }), veiled({ t_ms: 1000 }), veiled({ t_ms: 500 }, { end_ms: 500 })], [[], [], [], []]);
});

test("the playhead is a line, and so is the moment under the pointer, where they are on screen", () => {
  assert.deepEqual(painted({ t_ms: 500, hover_ms: 0 }), ["line M0 0L0 100 border-strong ~4 3", "line M500 0L500 100 accent"]);
  const line = (t_ms) => painted({ t_ms }).length;
  assert.deepEqual([line(-3), line(-2), line(1002), line(1003)], [0, 1, 1, 0]);
});

test("where an imported past ends stands a line with words, as long as they are on screen", () => {
  assert.deepEqual(painted({ imported_ms: 300 }), ["line M300 0L300 100 border-strong ~6 4", "rect 212 54 88 16 border-strong", "imported here 217 tl-bg"]);
  const told = (imported_ms) => painted({ imported_ms }).some((part) => part.startsWith("imported here"));
  assert.deepEqual([told(-3), told(-2), told(1160), told(1161)], [false, true, true, false]);
});

test("the focused lane is tinted, another is not", () => {
  assert.deepEqual([painted({ focus: "a" }), painted({ focus: "b" })], [["rect 0 0 1000 40 accent @0.08"], []]);
});

const selection = (t0, t1, more = {}, rest = {}) => painted({ selected: { lane: "a", seq: 7, t0, t1 }, ...more }, rest);

test("a selected span has a ring on a wider one of the ground's colour, up to the newest moment", () => {
  const [ground, ring] = selection(100, Infinity, {}, { end_ms: 500 });
  assert.deepEqual([box(ground), ground.endsWith("tl-bg"), box(ring), ring.endsWith("accent")], [[104, 392], true, [104, 392], true]);
  assert.deepEqual(selection(100, 200, { selected: { lane: "b", seq: 7, t0: 100, t1: 200 } }), []);
});

test("the ring of a span reaches a little beyond the window at most, and a short one can be seen", () => {
  assert.deepEqual([box(selection(-500, 5000, {}, { end_ms: 9000 })[0]), box(selection(100, 101)[0]), box(selection(100, 110)[0])], [[-1, 1002], [102, 0], [104, 2]]);
});

test("a selected mark has a ring around it, or around its word where it has one", () => {
  assert.match(selection(100, 100)[0], /^line M100 2\.5h0a9 9/);
  const targets = new Map([["a", [{ marks: [{ seq: 3 }], x0: 0, x1: 9 }, { marks: [{ seq: 7 }], x0: 110, x1: 150 }]]]);
  assert.deepEqual(box(selection(100, 100, { targets })[0]), [112, 36]);
  assert.match(selection(100, 100, { targets: new Map([["a", [{ marks: [{ seq: 3 }], x0: 0, x1: 9 }]]]) })[0], /^line M100 2\.5h0a9 9/);
});

test("the ring of what came before two futures part is as high as the row, of what came after only the new one", () => {
  const height = (t0, from_ms) => /v([\d.]+)/.exec(selection(t0, t0 + 100, { futures: { from_ms, paintPoint() {} } }, { rows: [{ ...ROW, old_h: 12 }] })[0])[1];
  assert.deepEqual([height(100, 150), height(100, 100), height(100, 50)], ["25", "13", "13"]);
});

const ends = (known, state = {}, more = {}) => painted({ t_ms: -100, pending: [{ subject: "pod/default/web", ...known }], ...state }, { end_ms: 500, ...more });

test("an end that is known beforehand is outlined from the newest moment on", () => {
  assert.match(ends({ kind: "deadline", until_ms: 700 })[0], /^line M504 5\.5h192a4 .* terminating ~3 3$/);
  assert.match(ends({ kind: "deadline", until_ms: 5000 })[0], /^line M504 5\.5h512/);
  assert.match(ends({ kind: "deadline", until_ms: 700 }, { t_ms: 600 })[0], /^line M604 5\.5h92/);
});

test("an end of another lane, one that is due, or one beyond the window has no outline", () => {
  assert.deepEqual([ends({ kind: "backoff", until_ms: 700 }), ends({ kind: "deadline", until_ms: 700, subject: "pod/default/other" }), ends({ kind: "deadline", until_ms: 501 }), ends({ kind: "deadline", until_ms: 5000 }, {}, { end_ms: 1001 })], [[], [], [], []]);
});

test("a back-off has the colour of one, on its container", () => {
  const rows = [{ ...ROW, lane: { id: "c", kind: "container", subject: "container/default/web/app" } }];
  assert.match(ends({ kind: "backoff", until_ms: 700, subject: "container/default/web/app" }, {}, { rows })[0], / backoff ~3 3$/);
});

test("a probe's next attempt is a ring where nothing stands", () => {
  const rows = [{ ...ROW, lane: { id: "p", kind: "probe", subject: "probe/default/web/app/liveness" } }];
  const ring = (until_ms, groups = []) => ends({ kind: "probe", until_ms, subject: "probe/default/web/app/liveness" }, { groups: new Map([["p", groups]]) }, { rows });
  assert.match(ring(700)[0], /^line M695\.5 20a4\.5 .* muted ~2 2$/);
  assert.deepEqual([ring(700, [{ left: 690, right: 710, from: 700, to: 700 }]).length, ring(1004).length, ring(1005).length], [0, 1, 0]);
});

test("a chosen stretch is tinted between two lines, and not where it is out of sight", () => {
  const stretch = (from_ms, to_ms) => painted({ stretch: { from_ms, to_ms } });
  assert.deepEqual(stretch(100, 300), ["rect 100 0 200 100 accent @0.1", "rect 99.5 0 1 100 accent", "rect 299.5 0 1 100 accent"]);
  assert.deepEqual(stretch(-500, 5000)[0], "rect -2 0 1004 100 accent @0.1");
  assert.deepEqual([stretch(-500, -3).length, stretch(1001, 2000).length, stretch(-500, 0).length, stretch(1000, 2000).length], [0, 0, 3, 3]);
});

test("a ring at the edge of the window is half there", () => {
  const subject = "probe/default/web/app/liveness";
  const rows = [{ ...ROW, lane: { id: "p", kind: "probe", subject } }];
  assert.equal(ends({ kind: "probe", until_ms: 1004.5, subject }, {}, { rows }).length, 1);
});
