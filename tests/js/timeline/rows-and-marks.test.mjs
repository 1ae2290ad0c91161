import assert from "node:assert/strict";
import { test } from "node:test";

import { groupAt } from "../../../static/js/timeline/marks.js";
import { Navigator } from "../../../static/js/timeline/navigator.js";
import { layoutMarks } from "../../../static/js/timeline/mark-layout.js";
import { buildRows, rowAt, visibleRows } from "../../../static/js/timeline/rows.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";

const ROWS = [0, 20, 50, 90].map((y, index) => ({ y, h: [20, 30, 40, 10][index] }));

function marksAt(...marks) {
  return marks.map(([t, type], index) => ({ t, seq: index + 1, type, text: "", data: {} }));
}

/** One ms per pixel. */
function viewport() {
  const view = new Viewport();
  view.resize(1000);
  view.show(0, 1000);
  return view;
}

test("rows on screen are those that touch it", () => {
  assert.deepEqual(visibleRows(ROWS, 20, 50).map(({ y }) => y), [20]);
  assert.deepEqual(visibleRows(ROWS, 19, 51).map(({ y }) => y), [0, 20, 50]);
  assert.deepEqual(visibleRows(ROWS, 500, 900), []);
});

test("a record that begins a span and is a mark is one step of the keys", () => {
  const lane = { marks: [], flags: [{ t: 10, seq: 2 }, { t: 30, seq: 3 }], endings: new Map([[0, { t: 30, seq: 4 }]]), spans: [{ t0: 0, seq: 1 }, { t0: 10, seq: 2 }] };
  assert.deepEqual(Navigator.prototype.items(lane).map(({ seq }) => seq), [1, 2, 3, 4]);
});

test("row under a point", () => assert.deepEqual([0, 19, 20, 99, 100].map((y) => rowAt(ROWS, y)?.y ?? null), [0, 0, 20, 90, null]));

/** What is drawn for a lane of probe results; a letter is six pixels wide. */
function drawn(marks, end_ms = 1000) {
  return layoutMarks({ kind: "probe", marks }, { viewport: viewport(), end_ms, measure: (_size, _weight, words) => words.length * 6 });
}

const MANY = marksAt(...Array.from({ length: 90 }, (_, index) => [index * 11, index % 7 ? "success" : "failure"]));

test("every mark on screen is in one place, in order", () => assert.deepEqual(drawn(MANY).flatMap(({ marks }) => marks), MANY));

test("in a pill of marks the earlier comes first, of one moment the one recorded first", () => {
  const marks = [["success", 2, 100], ["failure", 1, 104], ["success", 4, 104], ["failure", 3, 108]].map(([type, seq, t]) => ({ t, seq, type, text: "", data: {} }));
  assert.deepEqual(drawn(marks).map((item) => item.marks.map(({ t, seq }) => [t, seq])), [[[100, 2], [104, 1], [104, 4], [108, 3]]]);
});

test("a pill at the edge of the window that has no room for its number takes its neighbour in", () => {
  const items = drawn(marksAt([0, "success"], [1, "success"], [16, "success"], [17, "success"], [18, "success"], [400, "success"]));
  assert.deepEqual(items.map(({ marks, words }) => [marks.length, words]), [[5, "5 ✓"], [1, ""]]);
});

test("a pill of different results stands for the worst, wherever it is among them", () => {
  for (const worst of [0, 1, 2]) {
    const [{ worst: kept, words }] = drawn(marksAt(...[0, 1, 2].map((t) => [t, t === worst ? "failure" : "success"])));
    assert.deepEqual([kept.type, words], ["failure", "1 ✕ / 3"]);
  }
});

test("nothing that is drawn lies on what is beside it", () => {
  const items = drawn(MANY);
  assert.ok(items.length > 1);
  for (const [index, item] of items.entries()) {
    const next = items[index + 1];
    if (next) assert.ok(item.right <= next.left && (!item.words || item.to <= next.left), `${index}: ${item.right} ${item.to} ${next.left}`);
  }
});

test("marks that are apart stand alone, equal ones that touch become one", () => {
  const sizes = drawn(marksAt([100, "success"], [400, "success"], [404, "success"], [408, "success"])).map(({ marks }) => marks.length);
  assert.deepEqual(sizes, [1, 3]);
});

test("a pill of marks at an edge of the window is there as a whole, and leaves with its marks", () => {
  const [first] = drawn(marksAt([0, "success"], [4, "success"]));
  const [last] = drawn(marksAt([990, "success"], [999, "success"]));
  const [leaving] = drawn(marksAt([-40, "success"], [-30, "success"]));
  assert.equal(first.left, 0);
  assert.ok(first.from >= 0 && first.to <= first.right);
  assert.equal(last.right, 1000);
  assert.ok(leaving.right < 0);
});

test("below the lanes of two futures there is room for their names", () => {
  const lane = { id: "phase", kind: "phase", subject: "" };
  const lanes = { workloads: new Map([["", lane]]), services: new Map(), pods: new Map(), nodes: new Map() };
  const futures = { oldOf: () => null, isOld: () => false, podsOf: () => new Map() };
  const [both, one] = [futures, null].map((each) => buildRows(lanes, /** @type {any} */ ({ futures: each, only: null, order: null, pins: [] })));
  assert.deepEqual(both.rows.at(-1).y, one.rows.at(-1).y);
  assert.ok(both.height >= one.height + 18);
});

test("what has not happened yet is not drawn", () => assert.equal(drawn(marksAt([100, "success"], [600, "success"]), 500).length, 1));

test("point near marks means them, the nearest ones where there are two", () => {
  const items = drawn(marksAt([100, "success"], [400, "failure"]));
  assert.equal(groupAt(items, 103), items[0]);
  assert.equal(groupAt(items, 250), null);
});
