import assert from "node:assert/strict";
import { test } from "node:test";

import { Retry } from "../../../static/js/base/retry.js";

/** The pauses before the next attempts; `false` is an answer that never came, `true` one that did. */
function pauses(...answers) {
  const waited = [];
  globalThis.window = { setTimeout: (_step, pause_ms) => waited.push(pause_ms) };
  const again = new Retry(() => {});
  for (const came of answers) came ? again.done() : again.failed();
  return waited;
}

test("a question without an answer is asked again after a pause, ever less often, and never more rarely than every 8 s", () => {
  assert.deepEqual(pauses(false, false, false, false, false, false), [500, 1000, 2000, 4000, 8000, 8000]);
});

test("an answer begins the pauses over", () => assert.deepEqual(pauses(false, false, true, false), [500, 1000, 500]));

test("an answer ends the wait for another question", () => {
  const ended = [];
  globalThis.clearTimeout = (timer) => ended.push(timer);
  globalThis.window = { setTimeout: () => 7 };
  const again = new Retry(() => {});
  again.failed();
  again.done();
  assert.deepEqual(ended, [0, 7]);
});
