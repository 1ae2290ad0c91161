import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { fetchLog, fetchRecorded } from "../../../static/js/wire/log-fetch.js";

/** A page whose records come from `answers`, one per request, and the calls of its handlers. */
function page(answers) {
  const rows = [];
  const told = { states: [], asked: [] };
  const handlers = {
    headSeq: () => rows.length,
    onRecords: (more) => rows.push(...more),
    onState: (state) => told.states.push(state),
  };
  globalThis.fetch = async (url) => {
    told.asked.push(Number(/after=(\d+)/.exec(url)[1]));
    const answer = answers.shift();
    if (typeof answer === "number") return { ok: false, status: answer };
    if (answer instanceof Error) throw answer;
    return { ok: true, json: async () => ({ now_ms: 0, ...answer }) };
  };
  return { rows, told, handlers };
}

const records = (...seqs) => ({ records: seqs.map((seq) => [seq]) });

test("a log is fetched part by part until nothing follows", async () => {
  const { rows, told, handlers } = page([records(1, 2), records(3), records()]);
  assert.equal(await fetchLog("/records/", handlers), false);
  assert.deepEqual([rows.length, told.asked], [3, [0, 2, 3]]);
});

test("what a socket has missed is fetched no further than to where it goes on", async () => {
  const { told, handlers } = page([records(1, 2), records(3)]);
  await fetchLog("/records/", handlers, 2);
  assert.deepEqual(told.asked, [0]);
});

/** Fetch all of it, without waiting: returns how long it would have waited each time, in ms. */
async function whole(handlers, upTo = Infinity) {
  const waits = [];
  const timer = mock.method(globalThis, "setTimeout", (done, ms) => queueMicrotask(() => done(waits.push(ms))));
  await fetchRecorded("/records/", handlers, upTo);
  timer.mock.restore();
  return waits;
}

test("a log that is still being written is asked for until it is whole", async () => {
  const { rows, told, handlers } = page([
    { ...records(), is_coming: true },
    records(1),
    { ...records(), is_coming: true },
    { ...records(2), is_coming: true },
    records(),
  ]);
  assert.deepEqual(await whole(handlers), [250, 500]);
  assert.deepEqual(rows, [[1], [2]]);
  assert.deepEqual(told.states, ["connecting", "connecting", "frozen"]);
});

test("a log that is still being written is whole for who wants no more of it", async () => {
  const { told, handlers } = page([{ ...records(1), is_coming: true }, { ...records(2), is_coming: true }]);
  assert.deepEqual(await whole(handlers, 2), []);
  assert.deepEqual([told.asked, told.states], [[0, 1], ["frozen"]]);
});

test("a site that does not answer is asked again, ever less often", async () => {
  const { told, handlers } = page([503, new TypeError("no line"), 503, 503, 503, 503, 503, records(1), records()]);
  assert.deepEqual(await whole(handlers), [250, 500, 1000, 2000, 4000, 8000, 8000]);
  assert.deepEqual(told.states, [...Array(7).fill("closed"), "frozen"]);
});

for (const status of [404, 410]) {
  test(`a run that is gone (${status}) is not asked for again`, async () => {
    const { told, handlers } = page([status]);
    assert.deepEqual(await whole(handlers), []);
    assert.deepEqual(told.states, ["closed"]);
  });
}
