import assert from "node:assert/strict";
import { test } from "node:test";

import { LevelMarks, marksOf } from "../../../static/js/levels/marks.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";
import { FakeElement } from "../page.mjs";

globalThis.document ??= /** @type {any} */ ({});
document.createElement = /** @type {any} */ ((tag) => new FakeElement(tag));

test("a mark stays at its moment while the view moves", () => {
  const viewport = new Viewport();
  const timeline = { viewport, stage: new FakeElement("div"), overlays: [] };
  const marks = new LevelMarks(timeline);
  const left = () => marks.element.children[0].style.set.left;
  viewport.fit(0, 200_000);
  marks.show([{ kind: "failed", at_ms: 50_000 }]);
  for (let moves = true; moves; ) {
    moves = viewport.animate(16);
    for (const show of timeline.overlays) show();
    assert.equal(left(), `${Math.round(viewport.xOf(50_000))}px`);
  }
});

test("a stretch is as wide as what of it is in sight, and can always be seen", () => {
  const viewport = new Viewport();
  const marks = new LevelMarks({ viewport, stage: new FakeElement("div"), overlays: [] });
  viewport.fit(100_000, 200_000);
  while (viewport.animate(16));
  const [at, until] = [100, 160].map((x) => viewport.tOf(x));
  marks.show([{ kind: "stretch", at_ms: at, until_ms: until }, { kind: "stretch", at_ms: viewport.tOf(-500), until_ms: until }, { kind: "stretch", at_ms: at, until_ms: viewport.tOf(viewport.width + 900) }, { kind: "stretch", at_ms: at, until_ms: at }]);
  const shown = marks.element.children.map(({ style }) => [style.set.left, style.set.width]);
  assert.deepEqual(shown, [["100px", "60px"], ["-4px", "164px"], ["100px", `${viewport.width - 96}px`], ["100px", "2px"]]);
});

test("a moment beyond either edge is hidden, a stretch only while it begins beyond the right one", () => {
  const viewport = new Viewport();
  const marks = new LevelMarks({ viewport, stage: new FakeElement("div"), overlays: [] });
  viewport.fit(100_000, 200_000);
  while (viewport.animate(16));
  const [from_ms, to_ms] = [0, viewport.width].map((x) => viewport.tOf(x));
  marks.show([
    { kind: "moment", at_ms: from_ms - 5000 },
    { kind: "moment", at_ms: (from_ms + to_ms) / 2 },
    { kind: "moment", at_ms: to_ms + 5000 },
    { kind: "stretch", at_ms: from_ms - 5000, until_ms: to_ms + 5000 },
    { kind: "stretch", at_ms: to_ms + 5000, until_ms: to_ms + 9000 },
  ]);
  assert.deepEqual(marks.element.children.map(({ hidden }) => hidden), [true, false, true, false, true]);
});

test("a moment at the very left edge is not hidden yet", () => {
  const viewport = new Viewport();
  const marks = new LevelMarks({ viewport, stage: new FakeElement("div"), overlays: [] });
  viewport.fit(100_000, 200_000);
  while (viewport.animate(16));
  marks.show([0, -1].map((x) => ({ kind: "moment", at_ms: viewport.tOf(x) })));
  assert.deepEqual(marks.element.children.map(({ hidden }) => hidden), [false, true]);
});

/** The marks of a check, as kinds with their moments. */
function marked(grader, { pointed = false, near = 0 } = {}) {
  const own = { verdict: "open", at_ms: null, windows: [], check: { id: "c", text: "It is `Ready`." }, ...grader };
  const all = marksOf(/** @type {any} */ ({ ...own, result: () => ({ near_seq: near, stretches: own.stretches ?? [] }) }), pointed, { get: (seq) => (seq ? { at_ms: 7000 } : undefined) }, 60_000);
  return all.map(({ kind, at_ms, until_ms, text = "" }) => [kind, at_ms, until_ms, text].filter((each) => each !== undefined && each !== "").join(" "));
}
const ENDS = { from_ms: 1000, until_ms: 20_000 };

test("a check that is open has its deadline on the lanes where it has one, in its words or by its name", () => {
  assert.deepEqual([marked({ windows: [ENDS] }), marked({ windows: [ENDS], check: { id: "c" } })], [["deadline 20000 It is Ready."], ["deadline 20000 c"]]);
  assert.deepEqual([marked({}), marked({ windows: [{ ...ENDS, until_ms: Infinity }] }), marked({ verdict: "kept", windows: [ENDS] })], [[], [], []]);
});

test("a check that failed has the moment of that, where it has one", () => {
  const at = (verdict, at_ms) => marked({ verdict, at_ms });
  assert.deepEqual([at("broken", 4000), at("lost", 0), at("lost", null), at("kept", 4000)], [["failed 4000 It is Ready."], ["failed 0 It is Ready."], [], []]);
});

test("a check that is pointed at has all that it looks at, up to the end of the level", () => {
  const grader = { verdict: "broken", at_ms: 4000, stretches: [[2000, 3000]], windows: [ENDS, { from_ms: 5000, until_ms: Infinity }] };
  assert.deepEqual(marked(grader, { pointed: true, near: 3 }), ["failed 4000 It is Ready.", "near 7000", "stretch 2000 3000", "stretch 1000 20000", "stretch 5000 60000"]);
  assert.deepEqual(marked(grader, { near: 3 }), ["failed 4000 It is Ready."]);
});

test("only a mark with words has words", () => {
  const viewport = new Viewport();
  const marks = new LevelMarks({ viewport, stage: new FakeElement("div"), overlays: [] });
  marks.show([{ kind: "near", at_ms: 5 }, { kind: "failed", at_ms: 5, text: "It failed." }]);
  assert.deepEqual(marks.element.children.map(({ children }) => children.map(({ textContent }) => textContent)), [[], ["It failed."]]);
});
