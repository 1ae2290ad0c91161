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
