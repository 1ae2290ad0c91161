import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { startExamClock } from "../../../static/js/levels/exam-clock.js";
import { changeTask, endExam, readExam, writeExam } from "../../../static/js/levels/exam-state.js";

const BEGUN = 1_000_000;
const MINUTE_MS = 60_000;
globalThis.Text = /** @type {any} */ (class {});

let ticks;
let place;

beforeEach((context) => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  mock.timers.enable({ apis: ["Date", "setInterval"], now: BEGUN });
  context.after?.(() => mock.timers.reset());
  globalThis.window = globalThis;
  writeExam({ begun: BEGUN, minutes: 10, ended: 0, tasks: [{ key: "a", title: "A" }, { key: "b", title: "B" }] });
  [ticks, place] = [0, { textContent: "" }];
});

test.afterEach(() => mock.timers.reset());

const start = () => startExamClock({ querySelector: (selector) => (selector === "[data-exam-clock]" ? place : null) }, () => (ticks += 1));
/** What the clock shows after this many more ms. */
function after(ms) {
  mock.timers.tick(ms);
  return place.textContent;
}

test("the clock counts down by the second and stops at nothing left", () => {
  start();
  assert.equal(place.textContent, "10:00");
  assert.deepEqual([after(1000), after(8 * MINUTE_MS), after(59_000 + MINUTE_MS), after(5000)], ["9:59", "1:59", "0:00", "0:00"]);
});

test("each second is told after the clock was shown", () => {
  start();
  assert.equal(ticks, 0);
  after(3000);
  assert.equal(ticks, 3);
});

test("an exam that was ended, or is not known, has no clock to show", () => {
  start();
  endExam();
  assert.equal(after(1000), "");
  writeExam(null);
  assert.equal(after(1000), "");
});

test("a page without a place for the clock has no ticks", () => {
  startExamClock({ querySelector: () => null }, () => (ticks += 1));
  after(3000);
  assert.equal(ticks, 0);
});

test("what comes of a task is kept with it until the time is up, not after it", () => {
  assert.equal(changeTask("a", { run: "/r/1/" }), true);
  assert.deepEqual(readExam().tasks, [{ key: "a", title: "A", run: "/r/1/" }, { key: "b", title: "B" }]);
  mock.timers.setTime(BEGUN + 10 * MINUTE_MS);
  assert.equal(changeTask("b", { run: "/r/2/" }), true);
  mock.timers.setTime(BEGUN + 10 * MINUTE_MS + 1);
  assert.equal(changeTask("b", { run: "/r/3/" }), false);
  assert.equal(readExam().tasks[1].run, "/r/2/");
});

test("after the end that a learner chose nothing counts, nor without an exam", () => {
  endExam();
  assert.equal(changeTask("a", { run: "/r/1/" }), false);
  writeExam(null);
  assert.deepEqual([changeTask("a", { run: "/r/1/" }), readExam()], [false, null]);
});
