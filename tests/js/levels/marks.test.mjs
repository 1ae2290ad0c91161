import assert from "node:assert/strict";
import { test } from "node:test";

import { LevelMarks } from "../../../static/js/levels/marks.js";
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
