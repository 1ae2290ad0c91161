import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Playhead } from "../../../static/js/playback/playhead.js";

/** The requested frames, and the pauses before a request. */
let frames;
let pauses;

beforeEach(() => {
  [frames, pauses] = [[], []];
  globalThis.CustomEvent ??= /** @type {any} */ (class {});
  globalThis.requestAnimationFrame = /** @type {any} */ ((task) => frames.push(task));
});

/** A playhead on a run that has reached `end_ms`; it draws its frames when told to. */
function playhead(context, { end_ms = 10_000, running = false, rate = 1000 } = {}) {
  context.mock.method(performance, "now", () => 0);
  context.mock.method(globalThis, "setTimeout", (_, ms) => pauses.push(ms));
  context.mock.method(globalThis, "clearTimeout", () => {});
  const clock = { now: () => end_ms, running, frame: { rate } };
  const own = new Playhead({ seqAt: (t_ms) => Math.floor(t_ms / 1000), head_ms: 0 }, clock);
  const shown = [];
  own.onFrame((t_ms) => shown.push(t_ms));
  return { own, clock, shown, draw: (now) => frames.shift()(now) };
}

test("a moment is at least zero and at most the newest, and leaves Live", (context) => {
  const { own } = playhead(context);
  assert.deepEqual([-5, 500, 10_000, 99_999].map((t_ms) => (own.seek(t_ms), own.t_ms)), [0, 500, 10_000, 10_000]);
  assert.deepEqual([own.live, own.moving], [false, false]);
});

test("Live is the newest moment, and so is the end of a recording, or nearly", (context) => {
  const { own } = playhead(context);
  assert.equal(own.isNewest, true);
  const newest = (t_ms, recorded) => {
    own.recorded = recorded;
    own.seek(t_ms);
    return own.isNewest;
  };
  assert.deepEqual([newest(10_000, false), newest(9501, true), newest(9500, true)], [false, true, false]);
});

test("one frame is drawn for all that changes before it, and none after it where nothing moves", (context) => {
  const { own, shown, draw } = playhead(context);
  own.seek(100);
  own.seek(200);
  assert.equal(frames.length, 1);
  draw(16);
  assert.deepEqual([shown, frames.length, pauses], [[200], 0, []]);
});

test("a replay goes on at its rate, a tab that slept does not leap", (context) => {
  const { own, shown, draw } = playhead(context);
  own.rate = 2000;
  own.seek(1000);
  own.replay();
  draw(100);
  own.step(5000);
  assert.deepEqual(shown, [1200, 1700]);
});

test("a replay that reaches the newest moment is Live, and one from there is Live at once", (context) => {
  const { own, draw } = playhead(context);
  own.seek(9900);
  own.replay();
  draw(99);
  assert.equal(own.live, false);
  own.step(199);
  assert.deepEqual([own.live, own.replaying, own.t_ms], [true, false, 10_000]);
  own.seek(10_000);
  own.replay();
  assert.equal(own.live, true);
});

test("freezing stops a replay where it is", (context) => {
  const { own } = playhead(context);
  own.seek(1000);
  own.replay();
  own.freeze();
  assert.deepEqual([own.moving, own.live, own.t_ms], [false, false, 1000]);
});

test("between two pictures that look alike the browser is left alone, as long as the run's rate allows", (context) => {
  const asleep = (rate) => {
    pauses = [];
    frames = [];
    const { own, draw } = playhead(context, { running: true, rate });
    own.changed();
    draw(0);
    return [pauses, frames.length];
  };
  assert.deepEqual([asleep(1000), asleep(2000), asleep(4000)], [[[91.5], 0], [[41.5], 0], [[], 1]]);
});

test("a replay sleeps by its own rate, and never longer than a tenth of a second", (context) => {
  const { own, draw } = playhead(context, { running: true, rate: 4000 });
  own.rate = 500;
  own.seek(1000);
  own.replay();
  draw(0);
  assert.deepEqual([pauses, frames.length], [[100], 0]);
});

test("a picture that would look the same is not shown, one that something has changed in is", (context) => {
  const { own, shown, draw } = playhead(context);
  own.rate = 500;
  own.seek(1000);
  own.replay();
  draw(0);
  own.due = false;
  own.step(100);
  own.step(200);
  assert.deepEqual(shown, [1000, 1100]);
  own.changed();
  own.step(210);
  assert.deepEqual(shown.length, 3);
});

test("a step to a record holds while nothing moves, and is over when time goes on or Live begins", (context) => {
  const { own, draw } = playhead(context);
  own.seek(1000, 7);
  draw(16);
  assert.equal(own.step_seq, 7);
  own.replay();
  draw(32);
  assert.equal(own.step_seq, 0);
  own.seek(1000, 7);
  own.goLive();
  assert.equal(own.step_seq, 0);
  own.stepLive(9);
  own.goLive();
  assert.deepEqual([own.live, own.step_seq], [true, 9]);
});

test("the newest moment is that of the clock or of the records, whichever is later", (context) => {
  const { own } = playhead(context);
  own.store.head_ms = 12_000;
  assert.equal(own.end_ms, 12_000);
  own.store.head_ms = 5;
  assert.equal(own.end_ms, 10_000);
});
