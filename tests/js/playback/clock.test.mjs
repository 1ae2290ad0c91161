import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, test } from "node:test";

import { computingText, endText, holdsAct, isResting, pauseText, ServerClock, slowText, waitText } from "../../../static/js/playback/clock.js";
import { Playhead } from "../../../static/js/playback/playhead.js";

const frame = (now_ms, more = {}) => ({ now_ms, rate: 1000, paused: false, state: "live", ...more });
let now = 0;
let frames = [];
const timers = { setTimeout, clearTimeout };

beforeEach(() => {
  now = 0;
  frames = [];
  performance.now = () => now;
  globalThis.requestAnimationFrame = (step) => frames.push(step);
});

afterEach(() => Object.assign(globalThis, timers));

function clockAt(...given) {
  const clock = new ServerClock();
  clock.connected = true;
  clock.set(frame(...given));
  return clock;
}

test("clock runs at its rate between two words of the server", () => {
  const clock = clockAt(5000, { rate: 4000 });
  now = 250;
  assert.equal(clock.now(), 6000);
});

test("paused clock stands", () => {
  const clock = clockAt(5000, { paused: true, state: "paused" });
  now = 900;
  assert.equal(clock.now(), 5000);
});

test("small difference to the server is made up for without a jump", () => {
  const clock = clockAt(0);
  now = 1000;
  clock.set(frame(900));
  assert.equal(clock.now(), 1000);
  now = 3000;
  assert.equal(clock.now(), 2900);
});

test("large difference is a jump", () => {
  const clock = clockAt(0);
  now = 1000;
  clock.set(frame(60_000));
  assert.equal(clock.now(), 60_000);
});

test("lost connection stands still where it is", () => {
  const clock = clockAt(1000);
  now = 500;
  clock.lost();
  now = 5000;
  assert.deepEqual([clock.now(), clock.running], [1500, false]);
});

test("a clock is raised to a moment that records prove, and never set back by one", () => {
  const raised = (at_ms, more = {}) => {
    now = 0;
    const clock = clockAt(1000, more);
    now = 500;
    clock.atLeast(at_ms);
    return clock.now();
  };
  const PAUSED = { paused: true, state: "paused" };
  assert.deepEqual([raised(900), raised(1200), raised(1500), raised(3000)], [1500, 1500, 1500, 3000]);
  assert.deepEqual([raised(900, PAUSED), raised(3000, PAUSED)], [1000, 3000]);
});

const NOTES = JSON.parse(readFileSync(new URL("../../web/state-notes.json", import.meta.url), "utf8"));

test("why a run has ended is told as the server tells it", () => {
  for (const [{ code, ...numbers }, told] of NOTES) assert.equal(endText(frame(0, { state: "failed", note: code, numbers })), told);
});

test("of a code that the page does not know, the state says why a run has ended", () => {
  const text = endText(frame(0, { state: "limit", note: "limit_of_a_later_release", numbers: { volumes: 3 } }));
  assert.equal(text, "This run has reached a limit. Branch it from an earlier moment to continue.");
  assert.equal(endText(frame(0, { state: "limit", note: "" })), text);
});

test("a run that waits says for what, and in which place of the queue", () => {
  const told = [{}, { note: "queue", place: 3 }, { note: "queue" }, { note: "owner", place: 3 }, { note: "runner" }].map((more) => waitText(frame(0, { state: "waiting", ...more })));
  assert.equal(new Set(told).size, 4);
  assert.match(told[1], /3/);
  assert.equal(told[0], told[2]);
  assert.match(told[3], /close another run/);
  assert.match(told[4], /no worker/);
  assert.equal(waitText(frame(0, { note: "owner" })), "");
});

test("why the clock stands is said in a few words, and nothing while it goes on", () => {
  const told = (state, note, more = {}) => pauseText(frame(0, { state, note, ...more }));
  assert.deepEqual([told("limit"), told("failed"), told("stopped")], ["At its limit", "Stopped", "Stopped"]);
  assert.equal(told("released"), "Idle until someone needs it");
  assert.deepEqual([told("released", "opening") === told("released"), told("paused", "resting") === told("paused", "", { paused: true })], [false, false]);
  assert.match(told("waiting", "runner"), /no worker/);
  assert.deepEqual([told("live"), told("paused", "", { paused: true }) === ""], ["", false]);
});

test("clock that rests is told from one that was paused", () => assert.deepEqual([isResting(frame(0, { state: "paused", note: "resting" })), isResting(frame(0, { state: "paused" }))], [true, false]));

test("clock that rested rests no more once it was paused at that moment", () => {
  const clock = clockAt(5000, { paused: true, state: "paused", note: "resting" });
  clock.set(frame(5000, { paused: true, state: "paused", note: "" }));
  assert.equal(isResting(clock.frame), false);
});

test("run that was paused by hand holds what follows from an act at that moment, and no other run does", () => {
  const paused = frame(5000, { paused: true, state: "paused" });
  const held = [paused, frame(5000), { ...paused, note: "resting" }, { ...paused, now_ms: 6000 }].map((clock) => holdsAct(clock, { at_ms: 5000 }));
  assert.deepEqual([...held, holdsAct(paused, null)], [true, false, false, false, false]);
});

test("replay goes on at its own speed and joins Live at the newest moment", () => {
  const playhead = new Playhead({ seqAt: () => 0, head_ms: 1000 }, { now: () => 1000, running: false });
  playhead.seek(400);
  playhead.rate = 2000;
  playhead.replay();
  playhead.advance(100);
  assert.deepEqual([playhead.t_ms, playhead.live], [600, false]);
  playhead.advance(500);
  assert.deepEqual([playhead.t_ms, playhead.live, playhead.replaying], [1000, true, false]);
});

test("nothing is drawn while nothing moves, and once when something arrives", () => {
  const playhead = new Playhead({ seqAt: () => 0, head_ms: 0 }, { now: () => 0, running: false });
  let drawn = 0;
  playhead.onFrame(() => (drawn += 1));
  globalThis.CustomEvent = class {};
  playhead.changed();
  playhead.changed();
  frames.shift()(0);
  assert.deepEqual([drawn, frames.length], [1, 0]);
});

/** The moments shown in one second of 60 frames, at the picture's resolution; `told` has the frames in which something arrives. */
function shownInASecond(grain_ms, told = []) {
  globalThis.CustomEvent = class {};
  const playhead = new Playhead({ seqAt: () => 0, head_ms: 0 }, { now: () => now, running: true });
  playhead.grain = () => grain_ms;
  const shown = [];
  let pauses = [];
  frames = [];
  globalThis.setTimeout = (go, wait_ms) => pauses.push({ go, at_ms: now + wait_ms });
  globalThis.clearTimeout = () => (pauses = []);
  playhead.onFrame((t_ms) => shown.push(t_ms));
  playhead.changed();
  for (let frame = 0; frame <= 60; frame += 1) {
    now = (1000 * frame) / 60;
    if (told.includes(frame)) playhead.changed();
    for (const { go } of pauses.filter(({ at_ms }) => at_ms <= now)) go();
    frames.shift()?.(now);
    assert.equal(frames.length + pauses.length, 1);
  }
  return shown;
}

test("while time passes only frames that look different are shown", () => {
  assert.equal(shownInASecond(1).length, 61);
  assert.equal(shownInASecond(48).length, 21);
});

test("tenths of a second are told however little the picture resolves", () => assert.ok(shownInASecond(5000).length >= 10));

test("what arrives is shown in the next frame", () => assert.ok(shownInASecond(5000, [2]).includes(1000 / 30)));

test("seeking stays within the run", () => {
  const playhead = new Playhead({ seqAt: () => 0, head_ms: 1000 }, { now: () => 0, running: false });
  playhead.seek(-5);
  assert.equal(playhead.t_ms, 0);
  playhead.seek(5000);
  assert.deepEqual([playhead.t_ms, playhead.live], [1000, false]);
});

test("words say how fast a run goes that cannot go as fast as it should", () => {
  const said = (got, more) => slowText({ ...frame(0, { rate: 16_000, ...more }), got });
  assert.equal(said(6_200), "Running at 6×: the site is busy");
  assert.deepEqual([said(16_000), said(15_000), said(0), said(6_200, { paused: true }), said(6_200, { state: "limit" })], ["", "", "", "", ""]);
});

test("rate that a run gets is kept over words of others, until the rate changes", () => {
  const clock = clockAt(0, { rate: 4000, got: 1000 });
  clock.set(frame(0, { rate: 4000 }));
  assert.equal(clock.frame.got, 1000);
  clock.set(frame(0, { rate: 8000 }));
  assert.equal(clock.frame.got, 0);
});

test("run that is computed up to a moment far ahead says how far it has come", () => {
  assert.equal(computingText(192_400, 86_400_000), "Computing the past: 3:12 of 24:00:00");
  assert.deepEqual([60_000, 60_001].map((left_ms) => computingText(0, left_ms) !== ""), [false, true]);
  assert.equal(computingText(86_400_000, 86_400_000), "");
  assert.equal(computingText(5000, 0), "");
});
