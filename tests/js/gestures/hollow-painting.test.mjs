import assert from "node:assert/strict";
import { test } from "node:test";

import { differs, paintHollow, statusAfter } from "../../../static/js/gestures/hollow.js";
import { drawn, pen } from "../picture.mjs";

const span = (t0, t1, tone = "ready", text = "Running", data = {}) => ({ t0, t1, seq: 1, tone, text, data });
const lane = (kind, more = {}) => ({ id: "a", kind, subject: "s", spans: [], marks: [], flags: [], hooks: [], node: [], endings: new Map(), ...more });
const mark = (t, type = "success") => ({ t, seq: t, type, text: "", data: {} });

/** What is drawn of a lane as it would be from 300 to 700. */
function hollow(own, { from_ms = 300, until_ms = 700, changed = ["a"], ...more } = {}) {
  const on = pen({ end_ms: 500 });
  paintHollow(on, [{ lane: own, y: 0, h: 40, old_h: 0 }], 0, { lanes: { byId: new Map([["a", own]]) }, at_ms: from_ms, from_ms, until_ms, changed: new Set(changed), ...more });
  return drawn(on);
}

test("a lane that would be another has a ground for it, from the act to where it is known", () => {
  assert.equal(hollow(lane("phase"))[0], "rect 300 1 400 38 tl-bg @0.94");
  assert.equal(hollow(lane("phase"), { from_ms: -50, until_ms: 5000 })[0], "rect 0 1 1000 38 tl-bg @0.94");
});

test("a lane that would be the same, or a stretch that is off the screen, is left as it is", () => {
  assert.deepEqual([hollow(lane("phase"), { changed: [] }), hollow(lane("phase"), { from_ms: 1000, until_ms: 2000 }), hollow(lane("phase"), { until_ms: 300 })], [[], [], []]);
});

test("states that would be are outlines, and what would not be there is none", () => {
  const bars = (spans) => hollow(lane("phase", { spans })).length - hollow(lane("phase")).length;
  assert.ok(bars([span(300, Infinity)]) > 0);
  assert.deepEqual([bars([span(300, Infinity, "absent", "")]), bars([span(701, Infinity)]), bars([span(0, 300)])], [0, 0, 0]);
});

test("marks that would be stand on a dashed line, pale", () => {
  const parts = hollow(lane("probe", { marks: [mark(200), mark(400)] }));
  assert.ok(parts.some((part) => part.startsWith("line M300 37.5L700 37.5 border-strong") && part.endsWith("~4 3")));
  const [glyph, ...others] = parts.filter((part) => part.includes(" success"));
  assert.match(glyph, /@0\.82$/);
  assert.deepEqual(others, []);
});

const STRETCH = { from_ms: 300, end_ms: 500, until_ms: 700 };
const different = (is, would) => differs(is && lane("a", is), lane("a", would), STRETCH);

test("a lane differs where it says something else between the act and the present", () => {
  assert.deepEqual([different({ spans: [span(0, Infinity)] }, { spans: [span(0, Infinity)] }), different({ spans: [span(0, Infinity)] }, { spans: [span(0, 400), span(400, Infinity, "failed", "Failed")] }), different({ marks: [mark(400)] }, {}), different({ marks: [mark(299)] }, {})], [false, true, true, false]);
  assert.deepEqual([different({ marks: [mark(500)] }, {}), different({ marks: [mark(501)] }, {})], [true, false]);
});

test("a lane that would come differs unless there is nothing on it", () => {
  assert.deepEqual([different(undefined, { spans: [span(310, Infinity)] }), different(undefined, {}), different(undefined, { spans: [span(310, Infinity, "absent", "")] })], [true, false, false]);
});

test("what comes after the present counts where something begins or ends there", () => {
  const open = { spans: [span(0, Infinity)] };
  assert.deepEqual([different(open, { spans: [span(0, 600), span(600, Infinity)] }), different(open, { spans: [span(0, 700)] }), different(open, { spans: [span(0, 701)] }), different({}, { marks: [mark(501)] }), different({ marks: [mark(500)] }, { marks: [mark(500)] })], [true, true, false, true, false]);
});

test("what kubectl would print is told from the act on, with how many are ready where it runs", () => {
  const status = { spans: [span(0, 300, "ready", "Pending"), span(300, 400, "ready", "Running", { ready: "1/1" }), span(400, 500, "failed", "Error", { ready: "0/1" }), span(500, Infinity, "ready", "Running")] };
  assert.deepEqual(statusAfter({ lanes: { pods: new Map([["p", { status }]]) }, at_ms: 300 }, "p").map(({ t_ms, word }) => `${t_ms} ${word}`), ["300 Running 1/1", "400 Error", "500 Running"]);
  assert.deepEqual(statusAfter({ lanes: { pods: new Map() }, at_ms: 0 }, "p"), []);
});

test("a state that would be ends where it is known, one that is not known has the colour of words", () => {
  const lines = (own) => hollow(lane("phase", { spans: [own] })).filter((part) => part.startsWith("line"));
  assert.ok(lines(span(300, Infinity, "unknown", "Unknown")).every((part) => / unknown-ink/.test(part)));
  assert.ok(lines(span(300, Infinity)).every((part) => !/-ink/.test(part)));
});

test("an outline goes from the act to the end of its state, or as far as that is known, and has the words that fit", () => {
  const outline = (own) => {
    const parts = hollow(lane("phase", { spans: [own] }));
    const [, x, width] = /^fill M([\d.]+) [\d.]+h([\d.]+)/.exec(parts.find((part) => part.startsWith("fill")) ?? "") ?? [];
    return [Number(x) - 4, Number(width) + 8, parts.find((part) => / text$/.test(part))?.split(" ")[0] ?? ""];
  };
  assert.deepEqual([outline(span(0, 400)), outline(span(500, Infinity)), outline(span(300, 330))], [[301, 98, "Running"], [501, 198, "Running"], [301, 28, "R"]]);
});

test("what is narrower than its edges is not drawn", () => assert.equal(hollow(lane("phase", { spans: [span(300, 302)] })).length, hollow(lane("phase")).length));
