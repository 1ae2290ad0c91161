import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { GroupedActs } from "../../../static/js/timeline/together.js";

/** @param {number[]} times of acts, numbered from 1 on @param {any} lines */
function site(times, lines, isRecorded = false) {
  const listeners = [];
  const told = { asked: 0, changed: 0 };
  globalThis.document = /** @type {any} */ ({ addEventListener: (_name, listener) => listeners.push(listener) });
  globalThis.window = /** @type {any} */ (globalThis);
  globalThis.fetch = /** @type {any} */ (async () => ({ ok: true, json: async () => ((told.asked += 1), lines) }));
  const commands = times.map((t, at) => ({ t, seq: at + 1 }));
  const run = { panelBase: "/r/1/at/", playhead: { recorded: isRecorded }, store: { lanes: { commands } } };
  const together = new GroupedActs(run, () => (told.changed += 1));
  const frame = async () => {
    for (const listener of listeners) listener();
    mock.timers.tick(500);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { commands, told, frame, together };
}

test("of acts that one command gave, all but the first are parts", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { commands, told, frame } = site([0, 10, 20], { 1: ["kubectl drain n", "Ann", 1], 2: ["kubectl drain n", "Ann", 1] });
  await frame();
  assert.deepEqual([commands.map(({ isPart }) => isPart), told], [[false, true, false], { asked: 1, changed: 1 }]);
  mock.timers.reset();
});

test("nothing is asked again before another act, and nothing of acts that stand alone", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { commands, told, frame } = site([0, 10], {});
  await frame();
  await frame();
  assert.equal(told.asked, 1);
  commands.push({ t: 60_011, seq: 3 });
  await frame();
  assert.equal(told.asked, 1);
  commands.push({ t: 60_012, seq: 4 });
  await frame();
  assert.equal(told.asked, 2);
  mock.timers.reset();
});

test("of a recording nothing is asked", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { told, frame } = site([0, 10], {}, true);
  await frame();
  assert.equal(told.asked, 0);
  mock.timers.reset();
});
