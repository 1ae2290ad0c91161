import assert from "node:assert/strict";
import { test } from "node:test";

import { Viewport } from "../../../static/js/timeline/viewport.js";

function settled(viewport) {
  assert.equal(viewport.animate(Infinity), false);
  return viewport;
}

test("zoom leaves the moment under the pointer where it is", () => {
  const viewport = new Viewport();
  const before = viewport.tOf(300);
  viewport.zoomAt(0.25, 300);
  assert.ok(Math.abs(viewport.tOf(300) - before) < 1e-6);
  assert.equal(viewport.auto, false);
});

test("a place and its moment are each other's inverse", () => {
  const viewport = new Viewport();
  viewport.show(1000, 9000);
  for (const t_ms of [1000, 4321, 9000]) assert.ok(Math.abs(viewport.tOf(viewport.xOf(t_ms)) - t_ms) < 1e-6);
});

test("range of a shown stretch is that stretch", () => {
  const viewport = new Viewport();
  viewport.show(12_500, 47_250);
  assert.equal(viewport.range(), "12500:47250");
});

test("width changes keep the stretch", () => {
  const viewport = new Viewport();
  viewport.show(0, 60_000);
  viewport.resize(1600);
  assert.equal(viewport.range(), "0:60000");
});

test("view grows with the run and keeps its end in sight", () => {
  const viewport = new Viewport();
  for (const end_ms of [10_000, 90_000, 1_000_000]) {
    viewport.keep(end_ms, end_ms);
    settled(viewport);
    const x = viewport.xOf(end_ms);
    assert.ok(x >= 0 && x <= viewport.width, `${end_ms} is at ${x}`);
  }
});

test("panning stops the view from following", () => {
  const viewport = new Viewport();
  viewport.panBy(200);
  const range = viewport.range();
  viewport.keep(1_000_000, 1_000_000);
  assert.equal(viewport.range(), range);
});

test("the beginning stays where it is in sight, and else comes to the left edge", () => {
  const viewport = new Viewport();
  for (const from_ms of [0, -400]) {
    viewport.show(from_ms, 31_000);
    viewport.reveal(0);
    assert.equal(viewport.range(), `${from_ms}:31000`);
    assert.equal(viewport.aim, null);
  }
  viewport.show(60_000, 91_000);
  viewport.reveal(0);
  settled(viewport);
  assert.equal(viewport.range(), "-620:30380");
  viewport.reveal(0);
  assert.equal(viewport.aim, null);
});

test("revealing a moment in sight moves nothing, one out of sight brings it in", () => {
  const viewport = new Viewport();
  viewport.show(0, 60_000);
  viewport.reveal(30_000);
  assert.equal(viewport.aim, null);
  viewport.reveal(500_000);
  settled(viewport);
  const x = viewport.xOf(500_000);
  assert.ok(x > 0 && x < viewport.width);
});

test("animation arrives", () => {
  const viewport = new Viewport();
  viewport.fit(100_000, 200_000);
  let steps = 0;
  while (viewport.animate(16) && steps < 1000) steps += 1;
  assert.ok(steps > 1 && steps < 200);
  assert.equal(viewport.aim, null);
});

test("labelled ticks are apart and minor ones lie between them", () => {
  const viewport = new Viewport();
  for (const end_ms of [50, 9000, 60_000, 7_200_000, 86_400_000 * 9]) {
    viewport.show(0, end_ms);
    const { step_ms, major, minor } = viewport.ticks(70);
    assert.ok(step_ms / viewport.msPerPx >= 70);
    assert.ok(major.every((t_ms) => Math.abs(t_ms / step_ms - Math.round(t_ms / step_ms)) < 1e-6));
    assert.ok(minor.length >= major.length - 1);
  }
});

test("labels may be just as near to each other as they must be apart", () => {
  const viewport = new Viewport();
  viewport.resize(1000);
  viewport.show(0, 10_000);
  assert.deepEqual([100, 100.1].map((gap_px) => viewport.ticks(gap_px).step_ms), [1000, 2000]);
});

const FOUR_HOURS_MS = 4 * 3_600_000;

test("a run that has become long is gone along with, until somebody asks for all of it", () => {
  const viewport = new Viewport();
  viewport.keep(FOUR_HOURS_MS, FOUR_HOURS_MS);
  settled(viewport);
  assert.ok(viewport.span_ms < FOUR_HOURS_MS);
  viewport.fitAll(FOUR_HOURS_MS);
  settled(viewport);
  for (const end_ms of [FOUR_HOURS_MS, FOUR_HOURS_MS + 1000, 2 * FOUR_HOURS_MS]) {
    viewport.keep(end_ms, end_ms);
    settled(viewport);
    assert.ok(viewport.start_ms <= 0 && viewport.end_ms >= end_ms, `whole at ${end_ms}`);
  }
});

test("a view that moves at once says so, for what is drawn of it holds no more", () => {
  const viewport = new Viewport();
  viewport.show(0, 10_000);
  viewport.follow = true;
  assert.equal(viewport.keep(5_000, 5_000), false);
  assert.equal(viewport.keep(20_000, 20_000), true);
  assert.equal(viewport.keep(20_000, 20_000), false);
});

test("a view that goes along stays while the moment is at one of its edges, and follows it beyond", () => {
  const at = (t_ms) => {
    const viewport = new Viewport();
    viewport.show(10_000, 20_000);
    viewport.follow = true;
    viewport.keep(t_ms, 60_000);
    return viewport.range() === "10000:20000";
  };
  const right_ms = 10_000 + 10_000 * 0.84;
  assert.deepEqual([10_000, 9_999, right_ms, right_ms + 1].map(at), [true, false, true, false]);
});

test("a view that goes along by itself begins where the run does, also after it was moved a little", () => {
  const viewport = new Viewport();
  viewport.keep(1000, 1000);
  settled(viewport);
  const { start_ms } = viewport;
  viewport.start_ms += 5;
  viewport.keep(1000, 1000);
  assert.equal(viewport.start_ms, start_ms);
});
