import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { goTo } from "../../../static/js/playback/goto.js";
import { makeElements } from "../page.mjs";

let done;

beforeEach(() => {
  done = [];
  makeElements();
  globalThis.window = /** @type {any} */ ({ setTimeout() {} });
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "#toasts" ? { children: [], append: ({ attributes }) => done.push(`told ${attributes["data-tone"]}`) } : null));
});

/** The calls made to go to a typed moment, in a run at 5 s of 10 s. */
function gone(written, { owns = true } = {}) {
  const playhead = { t_ms: 5000, end_ms: 10_000, goLive: () => done.push("live"), seek: (t_ms) => done.push(`seek ${t_ms}`) };
  const store = { get: (seq) => (seq === 3 ? { seq, at_ms: 4200, subject: "pod/default/web" } : undefined) };
  const run = { playhead, store, select: (subject, seq) => done.push(`select ${subject} ${seq}`), timeline: { reveal: (t_ms) => done.push(`reveal ${t_ms}`) } };
  goTo({ run, owns, closeGoTo: () => done.push("close"), control: (fields) => done.push(JSON.stringify(fields)) }, written);
  return done.splice(0);
}

test("a moment of the past or the present is gone to and shown", () => {
  assert.deepEqual(gone("0:07"), ["close", "seek 7000", "reveal 5000"]);
  assert.deepEqual(gone("0:10"), ["close", "seek 10000", "reveal 5000"]);
});

test("a record is chosen, and its moment gone to", () => assert.deepEqual(gone("#3"), ["close", "select pod/default/web 3", "seek 4200", "reveal 5000"]));

test("a run that may be moved is run to a moment to come, another goes to its end", () => {
  assert.deepEqual(gone("0:11"), ["close", "live", '{"do":"run_to","to_ms":"11000"}', "reveal 5000"]);
  assert.deepEqual(gone("0:11", { owns: false }), ["close", "seek 11000", "reveal 5000"]);
});

test("what is no moment, or a record that is not there, is told and nothing moves", () => {
  assert.deepEqual([gone("soon"), gone("#99"), gone("")], [["told warn"], ["told warn"], ["told warn"]]);
});
