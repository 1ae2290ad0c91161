import assert from "node:assert/strict";
import { test } from "node:test";

import { Futures } from "../../../static/js/timeline/futures.js";

const lane = (id, spans, marks = []) => ({ id, spans, marks, flags: [], hooks: [] });
const span = (t0, t1, words) => ({ t0, t1, tone: "ready", text: words, data: {} });
const lanes = (...all) => ({ byId: new Map(all.map((each) => [each.id, each])), pods: new Map() });

/** Both futures part at 10 s; the old one's container ends at 20 s, the new one's never does. */
function futures({ end_ms, running, rate = 1000, head_ms = 10_000, extra = [] }) {
  const same = lane("phase", [span(0, Infinity, "Running")]);
  const old = { lanes: lanes(same, lane("app", [span(0, 20_000, "Running"), span(20_000, Infinity, "Exited")]), ...extra), head_ms: 20_000 };
  const store = { lanes: lanes(lane("phase", [span(0, Infinity, "Running")]), lane("app", [span(0, Infinity, "Running")])), head_ms, headSeq: 3 };
  const run = { main: { dataset: {} }, playhead: { end_ms }, clock: { running, frame: { rate } }, store };
  return { run, both: new Futures(run, { store: old, from_ms: 10_000, until_ms: 0 }, { old: "main", now: "Kill" }) };
}

test("lanes are compared as far as the new future is known", () => {
  const { run, both } = futures({ end_ms: 15_000, running: true });
  both.follow();
  assert.deepEqual([...both.split], []);
  run.playhead.end_ms = 30_000;
  both.follow();
  assert.deepEqual([...both.split], ["app"]);
});

test("a run that plays and has no new records is known up to what may be on its way", () => {
  for (const rate of [250, 1000, 4000]) {
    const pace = Math.max(1, rate / 1000);
    const { run, both } = futures({ end_ms: 20_000 + 2000 * pace, running: true, rate });
    both.follow();
    assert.deepEqual([...both.split], [], `at ${rate}`);
    run.playhead.end_ms += 1000 * pace;
    both.follow();
    assert.deepEqual([...both.split], ["app"], `at ${rate}`);
  }
});

test("what is equal stays one row, and what only the old future has is told of once the new one is known to lack it", () => {
  const { run, both } = futures({ end_ms: 15_000, running: false, extra: [lane("debug", [span(18_000, Infinity, "Running")])] });
  both.follow();
  assert.deepEqual([...both.alone], []);
  run.playhead.end_ms = 30_000;
  const version = both.version;
  assert.notEqual(both.follow(), version);
  assert.deepEqual([...both.alone].map((each) => each.id), ["debug"]);
  assert.equal(both.oldOf(run.store.lanes.byId.get("phase")), null);
  assert.equal(both.oldOf(run.store.lanes.byId.get("app")).spans.length, 2);
});

test("what only the old future has counts once the new one is known beyond its beginning", () => {
  const alone = (end_ms) => {
    const { both } = futures({ end_ms, running: false, extra: [lane("debug", [span(18_000, Infinity, "Running")]), lane("marks", [], [{ t: 18_000 }])] });
    both.follow();
    return [...both.alone].map((each) => each.id);
  };
  // What may still be on its way matters only while time passes.
  assert.deepEqual([alone(18_000), alone(18_001)], [[], ["debug", "marks"]]);
});

test("lanes are not compared again before there is a step more to compare", () => {
  const { run, both } = futures({ end_ms: 30_000, running: true });
  both.follow();
  const held = both.split;
  run.store.headSeq += 1;
  run.playhead.end_ms += 100;
  both.follow();
  assert.equal(both.split, held);
});

test("lanes are compared again at every step of half a second", () => {
  const { run, both } = futures({ end_ms: 30_000, running: true });
  both.follow();
  const held = both.known_ms;
  for (const [more_ms, known_ms] of [[499, held], [500, held + 500]]) {
    run.playhead.end_ms = 30_000 + more_ms;
    both.follow();
    assert.equal(both.known_ms, known_ms);
  }
});

test("an old future is known as far as its run had come, however long ago its last record is", () => {
  const { run, both } = futures({ end_ms: 15_000, running: false });
  const longer = new Futures(run, { store: both.store, from_ms: 10_000, until_ms: 90_000 }, both.names);
  assert.deepEqual([both.end_ms, longer.end_ms], [20_000, 90_000]);
});
