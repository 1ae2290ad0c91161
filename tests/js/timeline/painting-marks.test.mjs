import assert from "node:assert/strict";
import { test } from "node:test";

import { besideFont, layoutMarks } from "../../../static/js/timeline/mark-layout.js";
import { drawAttempts, drawEvents, groupAt } from "../../../static/js/timeline/marks.js";
import { drawn, pen, room } from "../picture.mjs";

const mark = (t, type, data = {}, text = "") => ({ t, seq: t, type, text, data });
const lone = (type, data = {}) => ({ x0: 100, x1: 100, marks: [mark(100, type, data)], worst: mark(100, type, data), left: 94, right: 106, words: "", from: 100, to: 100 });
const pill = (type, more = {}) => ({ x0: 100, x1: 120, marks: [mark(100, type), mark(120, type)], worst: mark(120, type), left: 90, right: 130, words: "2", from: 107, to: 113, ...more });

/** What is drawn for these items; each result has its own shape. */
function painted(draw, ...items) {
  const on = pen();
  draw(on, items, 50);
  return drawn(on);
}

test("each result of a probe has a shape of its own", () => {
  const shapes = ["success", "failure", "timeout", "suppressed", "error"].map((type) => painted(drawAttempts, lone(type)).map((part) => part.split(" ")[0]).join(" "));
  assert.deepEqual(shapes, ["fill line", "line line", "frame line", "fill", "line ?"]);
  assert.equal(new Set(["success", "suppressed"].map((type) => painted(drawAttempts, lone(type))[0])).size, 2);
});

test("a result of no known kind has the colour of an error", () => assert.match(painted(drawAttempts, lone("other"))[0], / error$/));

test("a Warning is a triangle, any other Event a ring", () => {
  assert.match(painted(drawEvents, lone("Normal"))[0], /^line .*a4\.2 .* muted$/);
  assert.deepEqual(painted(drawEvents, lone("Warning")), ["fill M100 44.5L105.5 54.5L94.5 54.5Z tone-warn @0.25", "line M100 44.5L105.5 54.5L94.5 54.5Z tone-warn"]);
});

test("marks in one place are a pill with their number in its middle", () => {
  const [ground, filled, edge, words] = painted(drawAttempts, pill("success"));
  assert.match(ground, /^fill M96\.5 43\.5h27a6\.5 .* tl-bg$/);
  assert.deepEqual([filled.split("Z ")[1], edge.split("Z ")[1], words], ["success @0.2", "success", "2 110 text"]);
});

test("a pill without a number has no words, and is never too narrow to be seen", () => {
  assert.equal(painted(drawAttempts, pill("success", { words: "" })).length, 3);
  assert.match(painted(drawAttempts, pill("success", { left: 100, right: 100 }))[0], /^fill M101 43\.5h0a1 1/);
});

test("a pill of what matters less is paler", () => {
  const paleness = (draw, type) => painted(draw, pill(type))[1].split(" @")[1];
  assert.deepEqual([paleness(drawAttempts, "suppressed"), paleness(drawAttempts, "failure"), paleness(drawEvents, "Normal"), paleness(drawEvents, "Warning")], ["0.08", "0.2", "0.08", "0.2"]);
});

test("words beside a glyph stand on a ground of their own, those of counted attempts heavier", () => {
  const beside = painted(drawEvents, { ...lone("Normal"), words: "Pulled", from: 110, to: 150 });
  assert.deepEqual(beside.slice(1), ["rect 109 44 40 12 tl-bg", "Pulled 110 muted"]);
  assert.equal(painted(drawEvents, lone("Normal")).length, 1);
});

/** The layout of a probe's marks, or of Events. */
const layout = (kind, ...marks) => layoutMarks({ kind, marks }, room());

test("beside a lone attempt that failed stands its count, up to the threshold", () => {
  const words = (type, data) => layout("probe", mark(100, type, data))[0].words;
  assert.deepEqual(
    [words("failure", { run: 2, threshold: 3 }), words("timeout", { run: 5, threshold: 3 }), words("success", { run: 1, threshold: 3 }), words("suppressed", { run: 1, threshold: 3 }), words("failure", { run: 2 }), words("failure", { threshold: 3 })],
    ["2/3", "3/3", "", "", "", ""],
  );
});

test("beside a lone Event stands its reason, where it does not reach the next mark or beyond the window", () => {
  const [first, second] = layout("events", mark(100, "Normal", {}, "Pulled"), mark(160, "Normal", {}, "Created"));
  assert.deepEqual([first.words, first.from, first.to], ["Pulled", 108, 146]);
  assert.equal(second.words, "Created");
  assert.deepEqual(layout("events", mark(100, "Normal", {}, "Pulled"), mark(154, "Normal", {}, "x")).map(({ words }) => words), ["Pulled", "x"]);
  assert.deepEqual(layout("events", mark(100, "Normal", {}, "Pulled"), mark(153, "Normal", {}, "x")).map(({ words }) => words), ["", "x"]);
  assert.equal(layout("events", mark(954, "Normal", {}, "Pulled"))[0].words, "Pulled");
  assert.equal(layout("events", mark(955, "Normal", {}, "Pulled"))[0].words, "");
});

test("a pill reaches as far as its marks, and grows no longer than a pill may", () => {
  const items = layout("probe", ...Array.from({ length: 40 }, (_, index) => mark(100 + 10 * index, "success")));
  assert.deepEqual(items.map(({ x0, x1, marks }) => [x0, x1, marks.length]), [[100, 230, 14], [240, 370, 14], [380, 490, 12]]);
});

test("a pill of Events says how many of them are Warnings", () => {
  const [item] = layout("events", mark(100, "Warning"), mark(104, "Normal"), mark(108, "Normal"));
  assert.deepEqual([item.words, item.worst.t], ["1 △ / 3", 100]);
  assert.equal(layout("events", mark(100, "Normal"), mark(104, "Normal"))[0].words, "2 ○");
});

test("a lane with signs of its own counts in them", () => {
  const [item] = layoutMarks({ kind: "logs", glyphs: { Normal: "▤" }, marks: [mark(100, "Normal"), mark(104, "Normal")] }, room());
  assert.equal(item.words, "2 ▤");
});

test("a point means the group that it is on, or the nearest one within reach", () => {
  const groups = [{ x0: 100, x1: 120 }, { x0: 130, x1: 130 }];
  assert.deepEqual([91, 92, 110, 124, 126, 138, 139].map((x) => groups.indexOf(groupAt(groups, x))), [-1, 0, 0, 0, 1, 1, -1]);
  assert.equal(groupAt(undefined, 5), null);
});

const sizes = (...marks) => layout("probe", ...marks).map(({ marks: held }) => held.length);

test("equal results that are nearer than two glyphs and a pixel are one pill", () => assert.deepEqual([sizes(mark(100, "success"), mark(112, "success")), sizes(mark(100, "success"), mark(113, "success"))], [[2], [1, 1]]));

test("different results beside each other stay apart where both have room", () => {
  assert.deepEqual([sizes(mark(100, "success"), mark(111, "failure")), sizes(mark(100, "success"), mark(112, "failure"))], [[2], [1, 1]]);
});

test("a glyph beside a pill needs half as much room as beside a glyph, and a pill as wide as a glyph is one", () => {
  const beside = (x) => sizes(mark(100, "success"), mark(106, "success"), mark(112, "success"), mark(x, "failure")).length;
  assert.deepEqual([beside(119), beside(119.5), beside(120)], [1, 2, 2]);
});

const alternating = (count) => Array.from({ length: count }, (_, index) => mark(100 + 6 * index, index % 2 ? "failure" : "success"));

test("a pill of mixed results is no longer than a pill may be, but for a rest that would be too narrow", () => {
  const pills = (count) => layout("probe", ...alternating(count)).map(({ x0, x1, marks }) => [x0, x1, marks.length]);
  assert.deepEqual([pills(30), pills(26)], [[[100, 238, 24], [244, 274, 6]], [[100, 250, 26]]]);
});

test("marks of a pill are in order", () => assert.deepEqual(layout("probe", ...alternating(30)).flatMap(({ marks }) => marks), alternating(30)));

test("what stands beside a counted attempt is written heavier and smaller", () => assert.deepEqual([besideFont(mark(0, "failure", { run: 1 })), besideFont(mark(0, "Normal"))], [[10, 600], [10.5, 500]]));
