import assert from "node:assert/strict";
import { test } from "node:test";

import { isTaken } from "../../../static/js/timeline/overlay.js";

const glyph = { left: 92, right: 108, from: 110, to: 128 };

test("a ring has room beside a mark and its words, and none over them", () => {
  assert.equal(isTaken([glyph], 100), true);
  assert.equal(isTaken([glyph], 130), true);
  assert.equal(isTaken([glyph], 150), false);
  assert.equal(isTaken([glyph], 80), false);
});

test("a ring that only touches a mark or its words has room", () => {
  const touching = [glyph.left - 4.5, glyph.to + 4.5];
  assert.deepEqual(touching.map((x) => isTaken([glyph], x)), [false, false]);
  assert.deepEqual([touching[0] + 0.1, touching[1] - 0.1].map((x) => isTaken([glyph], x)), [true, true]);
});

test("a lane without marks has room everywhere", () => assert.equal(isTaken(undefined, 100), false));
