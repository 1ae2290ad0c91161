import assert from "node:assert/strict";
import { test } from "node:test";

import { showFirst } from "../../../static/js/timeline/first-view.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";

function viewport(from_ms = 0, to_ms = 100_000, width = 1000) {
  const own = new Viewport();
  own.width = width;
  own.show(from_ms, to_ms);
  return own;
}
const aim = (own) => own.aim && [Math.round(own.aim.start_ms), Math.round(own.aim.msPerPx * own.width)];

test("a stretch is fitted with a margin, at least half a second", () => {
  const fitted = (from, to) => {
    const own = viewport();
    own.fit(from, to);
    return aim(own);
  };
  assert.deepEqual([fitted(100_000, 200_000), fitted(10_000, 11_000)], [[94_000, 112_000], [9500, 2000]]);
});

test("the past of a run is fitted, a quarter of a minute at least", () => {
  const fitted = (active_ms) => {
    const own = viewport();
    own.fitPast(active_ms);
    return [...aim(own), own.auto, own.follow];
  };
  assert.deepEqual([fitted(1000), fitted(100_000)], [[-900, 16_800, false, false], [-6000, 112_000, false, false]]);
});

test("the span that a run has grown to grows by halves, and not without end", () => {
  const own = viewport();
  assert.deepEqual([0, 55_800, 55_801, 83_700, 83_701].map((end_ms) => own.autoSpan(end_ms)), [60_000, 60_000, 90_000, 90_000, 135_000]);
  assert.ok(own.autoSpan(Infinity) < 1.5e12);
});

test("zoom goes no further than there is something to see", () => {
  const own = viewport();
  own.zoomAt(1e-9, 0);
  assert.equal(own.msPerPx, 0.5);
  own.zoomAt(1e12, 0);
  assert.equal(own.msPerPx, 600_000);
});

test("panning stops where the beginning has come to two fifths of the window", () => {
  const own = viewport();
  own.panBy(-1e6);
  assert.equal(own.xOf(0), 400);
});

test("a width of nothing, or the same again, changes nothing, another keeps the aim as well", () => {
  const own = viewport();
  own.fit(0, 50_000);
  const [before, aimed] = [own.range(), own.aim.msPerPx];
  own.resize(0);
  own.resize(-5);
  own.resize(1000);
  assert.deepEqual([own.range(), own.aim.msPerPx], [before, aimed]);
  own.resize(500);
  assert.deepEqual([own.range(), own.aim.msPerPx], [before, 2 * aimed]);
});

test("a run is followed at five sixths of the window, and from a sixth where time went back", () => {
  const at = (t_ms) => {
    const own = viewport();
    own.follow = true;
    own.keep(t_ms, t_ms);
    return Math.round(own.xOf(t_ms));
  };
  assert.deepEqual([at(84_000), at(84_001), at(500_000)], [840, 840, 840]);
  const back = viewport(100_000, 200_000);
  back.follow = true;
  back.keep(50_000, 50_000);
  assert.equal(Math.round(back.xOf(50_000)), 160);
  back.keep(50_000, 50_000);
  assert.equal(Math.round(back.xOf(50_000)), 160);
});

test("while the view moves to an aim it does not follow", () => {
  const own = viewport();
  own.follow = true;
  own.centre(50_000);
  own.follow = true;
  assert.equal(own.keep(500_000, 500_000), false);
});

test("a view that grows with its run aims at the next span, and stands still until then", () => {
  const own = new Viewport();
  own.keep(1000, 1000);
  assert.equal(own.aim, null);
  own.keep(60_000, 60_000);
  assert.deepEqual(aim(own), [-1800, 90_000]);
  const held = own.aim;
  own.keep(61_000, 61_000);
  assert.equal(own.aim, held);
});

test("a moment is revealed where it is not near an edge, early ones at a quarter and late ones at seven tenths", () => {
  const revealed = (t_ms) => {
    const own = viewport(100_000, 200_000);
    own.reveal(t_ms);
    return own.aim ? Math.round(((t_ms - own.aim.start_ms) / own.aim.msPerPx) / 10) : null;
  };
  assert.deepEqual([103_999, 104_000, 194_000, 194_001, 50_000, 300_000].map(revealed), [24, null, null, 70, 24, 70]);
});

test("an animation goes a part of the way each frame, in zoom by an equal factor", () => {
  const own = viewport(0, 100_000);
  own.aim = { start_ms: 0, msPerPx: 400 };
  assert.equal(own.animate(70 * Math.LN2), true);
  assert.ok(Math.abs(own.msPerPx - 200) < 1e-6, `${own.msPerPx}`);
  own.aim = { start_ms: 0, msPerPx: own.msPerPx };
  assert.deepEqual([own.animate(1), own.aim, own.animate(1)], [false, null, false]);
});

test("ticks are those on screen from the beginning of the run, minor ones between them as close as can be seen", () => {
  const own = viewport(-20_000, 80_000);
  const { step_ms, major, minor } = own.ticks(92);
  assert.deepEqual([step_ms, major, minor[0], minor.length], [10_000, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000], 2000, 32]);
  const close = viewport(0, 40_000);
  assert.deepEqual([close.ticks(92).step_ms, close.ticks(92).minor[0]], [5000, 1000]);
  const narrow = viewport(0, 100_000, 300);
  assert.deepEqual([narrow.ticks(20).step_ms, narrow.ticks(20).minor[0]], [10_000, 5000]);
});

test("ticks are counted from the origin of the clock", () => {
  const own = viewport(0, 100_000);
  own.origin_ms = 3000;
  assert.deepEqual(own.ticks(92).major.slice(0, 2), [3000, 13_000]);
});

test("days are counted whole where even the longest step is too close", () => {
  const own = viewport(0, 400 * 86_400e3);
  assert.equal(own.ticks(92).step_ms % 86_400e3, 0);
  assert.ok(own.ticks(92).step_ms / own.msPerPx >= 92);
});

test("what happens just at the moment of opening still belongs to the first view", () => {
  let more = () => {};
  globalThis.document.addEventListener = (_, listener) => (more = listener);
  let fitted = 0;
  const own = { viewport: { follow: false, range: () => "same" }, run: { playhead: { end_ms: 1000 }, store: { active_ms: 0 } }, isEmptyAfter: () => true, fit: () => (fitted += 1) };
  showFirst(own);
  own.run.store.active_ms = 1000;
  more();
  own.run.store.active_ms = 1001;
  more();
  assert.equal(fitted, 2);
});
