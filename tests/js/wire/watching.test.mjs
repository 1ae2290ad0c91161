import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { takeEarly } from "../../../static/js/wire/early-socket.js";
import { Watching } from "../../../static/js/wire/watching.js";

/** @type {Record<string, () => void>} */
let listeners;

beforeEach(() => {
  listeners = {};
  const addEventListener = (name, listener) => (listeners[name] = listener);
  globalThis.document = Object.assign(globalThis.document, { hidden: false, addEventListener });
  globalThis.window = /** @type {any} */ ({ addEventListener, setTimeout: (...args) => setTimeout(...args) });
  globalThis.WebSocket = /** @type {any} */ ({ OPEN: 1 });
});

/** A page that is watched, and the reported changes. */
function watched(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 10_000;
  context.mock.method(performance, "now", () => now);
  const told = [];
  const watching = new Watching((isAway) => told.push(isAway));
  watching.start();
  const pass = (ms) => {
    now += ms;
    context.mock.timers.tick(ms);
  };
  const turn = (isHidden) => {
    globalThis.document.hidden = isHidden;
    listeners.visibilitychange();
  };
  return { told, pass, turn, touch: () => listeners.pointermove() };
}

test("a page that is not touched for a quarter of an hour is not watched, until it is touched", (context) => {
  const { told, pass, touch } = watched(context);
  pass(899_999);
  assert.deepEqual(told, []);
  pass(1);
  touch();
  assert.deepEqual(told, [true, false]);
});

test("a touch begins the quarter of an hour again, and many within a second count as one", (context) => {
  const { told, pass, touch } = watched(context);
  pass(800_000);
  touch();
  pass(500);
  touch();
  pass(899_499);
  assert.deepEqual(told, []);
  pass(1);
  assert.deepEqual(told, [true]);
});

test("a page in the background is not watched after five seconds, and is again at once", (context) => {
  const { told, pass, turn } = watched(context);
  turn(true);
  pass(4999);
  turn(false);
  turn(true);
  pass(4999);
  assert.deepEqual(told, []);
  pass(1);
  turn(false);
  assert.deepEqual(told, [true, false]);
});

test("the socket that was opened for the page is taken once, while it is open or opening", () => {
  const early = (readyState, path = "/ws/") => Object.assign(window, { podscopeSocket: { path, socket: { readyState }, heard: [] } }).podscopeSocket;
  const opened = early(1);
  assert.deepEqual([takeEarly("/ws/"), takeEarly("/ws/")], [opened, null]);
  const opening = early(0);
  assert.equal(takeEarly("/ws/"), opening);
  early(2);
  assert.equal(takeEarly("/ws/"), null);
  const other = early(1, "/other/");
  assert.deepEqual([takeEarly("/ws/"), takeEarly("/other/")], [null, other]);
});
