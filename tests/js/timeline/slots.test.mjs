import assert from "node:assert/strict";
import { test } from "node:test";

import { Slot } from "../../../static/js/timeline/slots.js";

/** A slot with these stretches taken. */
function slot(...stretches) {
  const made = new Slot();
  for (const [x0, x1] of stretches) made.take(x0, x1);
  return made;
}

test("a stretch can be claimed once, and beside another", () => {
  const line = slot();
  assert.deepEqual([line.claim(0, 10), line.claim(5, 15), line.claim(10, 20), line.claim(-5, 0)], [true, false, true, true]);
});

test("edges may touch by half a pixel, not by more", () => {
  assert.deepEqual([slot([0, 10]).isFree(9.5, 20), slot([0, 10]).isFree(9.3, 20), slot([10, 20]).isFree(0, 10.5), slot([10, 20]).isFree(0, 10.7)], [true, false, true, false]);
});

test("what is taken is kept in order", () => assert.deepEqual(slot([20, 30], [0, 10], [20, 25], [12, 14]).taken.map(({ x0, x1 }) => [x0, x1]), [[0, 10], [12, 14], [20, 30], [20, 25]]));

test("the first stretch that is wide enough is claimed", () => {
  const line = slot([10, 20], [25, 40], [60, 70]);
  assert.deepEqual([line.claimWithin(0, 100, 10), line.claimWithin(0, 100, 10), line.claimWithin(0, 100, 11)], [0, 40, 70]);
});

test("what ends before the edges is not in the way", () => assert.equal(slot([0, 10]).claimWithin(10, 20, 10), 10));

test("a stretch that would go beyond the far edge is not claimed", () => {
  const line = slot([10, 20]);
  assert.deepEqual([line.claimWithin(5, 29, 10), line.taken.length, line.claimWithin(5, 30, 10)], [null, 1, 20]);
});
