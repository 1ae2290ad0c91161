import assert from "node:assert/strict";
import { test } from "node:test";

import { showFirst } from "../../../static/js/timeline/first-view.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";

const EMPTY_MS = 60_000;

/** A page at 300 s of a run whose log shows activity up to `active_ms`, and its reaction when more of the log arrives. */
function opened(active_ms) {
  const viewport = new Viewport();
  const run = { playhead: { end_ms: 300_000 }, store: { active_ms } };
  const isEmptyAfter = () => run.playhead.end_ms > 1.5 * run.store.active_ms + EMPTY_MS;
  const fit = () => (isEmptyAfter() ? viewport.fitPast(run.store.active_ms) : viewport.fitAll(run.playhead.end_ms));
  let more = () => {};
  globalThis.document.addEventListener = (name, listener) => name === "run:frame" && (more = listener);
  showFirst({ viewport, run, isEmptyAfter, fit });
  viewport.animate(Infinity);
  const came = (until_ms) => {
    run.store.active_ms = until_ms;
    more();
    viewport.animate(Infinity);
    return [viewport.follow, Math.round(viewport.end_ms)];
  };
  return { viewport, came };
}

test("a run in which nothing has happened for long opens where something has", () => {
  const { viewport } = opened(20_000);
  assert.equal(viewport.follow, false);
  assert.ok(viewport.end_ms < 30_000);
});

test("a log that comes in pieces is fitted anew until it is at the present, and then followed", () => {
  const { came } = opened(1_000);
  const [follows, end_ms] = came(100_000);
  assert.equal(follows, false);
  assert.ok(end_ms > 100_000 && end_ms < 120_000);
  assert.equal(came(299_000)[0], true);
});

test("whoever has looked elsewhere meanwhile is left there", () => {
  const { viewport, came } = opened(1_000);
  viewport.panBy(100);
  const before = viewport.range();
  came(299_000);
  assert.equal(viewport.range(), before);
});

test("what happens after the page was opened moves nothing", () => {
  const { viewport, came } = opened(20_000);
  const before = viewport.range();
  came(301_000);
  assert.equal(viewport.range(), before);
});
