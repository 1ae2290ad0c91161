import assert from "node:assert/strict";
import { test } from "node:test";

import { drawBars } from "../../../static/js/timeline/bars.js";
import { drawn, pen } from "../picture.mjs";

const BOX = { y: 10, h: 20, size: 11 };

/** What is drawn for a layout on a row of this kind. */
function painted(layout, { row = { lane: { kind: "container" } }, outlined = false, ...more } = {}) {
  const on = pen(more);
  on.palette.outlined = outlined;
  drawBars(on, row, { bars: [], slivers: [], hooks: [], poles: [], words: [], ...layout }, BOX);
  return drawn(on);
}
const bar = (tone, x0, x1, data = {}) => ({ bars: [{ span: { tone, t0: x0, t1: x1, data }, x0, x1 }] });
const word = (kind, more = {}) => ({ words: [{ kind, words: "said", x0: 100, x1: 130, size: 9, weight: 600, tone: "failed", of: { data: {} }, ...more }] });
/** The horizontal extent of a path. */
const across = (path) => {
  const x = [...path.matchAll(/[ML](-?[\d.]+) /g)].map(([, at]) => Number(at));
  return [Math.min(...x), Math.max(...x)];
};

test("a sliver can always be seen, one of an unknown state in the colour of its words", () => {
  assert.deepEqual(painted({ slivers: [{ x0: 5, x1: 5.5, tone: "failed" }, { x0: 20, x1: 25, tone: "unknown" }] }), ["rect 5 10 2 20 failed", "rect 20 10 5 20 unknown-ink"]);
});

test("what is not there is a line where its bar would be", () => assert.deepEqual(painted(bar("absent", 100, 200)), ["rect 100 29 100 1 tl-grid-strong"]));

test("a failed bar has a notch where there is room for it", () => {
  assert.deepEqual(painted(bar("failed", 100, 200)), ["fill M100.5 10L199.5 10L194.5 20L199.5 30L100.5 30Z failed"]);
  assert.match(painted(bar("failed", 100, 110))[0], /^fill M104.5 10h1a4/);
  assert.match(painted(bar("failed", 100, 110.5))[0], /^fill M100.5 10L110 10L105 20/);
});

test("a bar is cut off a little outside of the window, and is at least a pixel wide", () => {
  assert.deepEqual(across(painted(bar("failed", -5000, 5000))[0]), [-7.5, 1007.5]);
  assert.match(painted(bar("ready", 100, 100.5))[0], /^fill M101 10h0a0\.5 0\.5/);
});

const terminating = (t0, t1, deadline_ms, kind = "status") => painted({ bars: [{ span: { tone: "terminating", t0, t1, data: {} }, x0: t0, x1: t1 }] }, { row: { lane: { kind }, pod: { deadline_ms } } })[0];

test("a terminating pod is a wedge towards its deadline, cut where it ended", () => {
  assert.equal(terminating(100, 300, 300), "fill M100.5 10.01L299.5 12.99L299.5 27.01L100.5 29.99Z terminating");
  assert.equal(terminating(100, 200, 300), "fill M100.5 10.01L199.5 11.49L199.5 28.51L100.5 29.99Z terminating");
  assert.equal(terminating(100, 300, 200), "fill M100.5 10.02L299.5 13L299.5 27L100.5 29.99Z terminating");
});

test("what terminates without a deadline, elsewhere, or too shortly has the shape of any bar", () => {
  for (const shape of [terminating(100, 300, Infinity), terminating(100, 300, 300, "container"), terminating(100, 113, 300)]) assert.match(shape, /^fill M104.5 10h/);
  assert.match(terminating(100, 113.5, 300), /^fill M100.5 10\.\d+L/);
});

test("an unknown state is a pattern with a dashed edge", () => {
  assert.deepEqual(painted(bar("unknown", 100, 200)).map((part) => part.replace(/ M.*Z /, " ")), ["fill unknown-pattern", "line unknown ~5 3"]);
});

test("what runs and is not ready is filled from below, and outlined", () => {
  const [pale, below, edge] = painted(bar("notready", 100, 200));
  assert.deepEqual([pale.slice(-14), below, edge.slice(-4)], ["notready @0.16", "rect 100.5 16 99 20 notready", "edge"]);
});

test("what succeeded has a second edge where there is room", () => {
  assert.deepEqual(painted(bar("succeeded", 100, 200)).slice(1), ["rect 196.5 10 1.5 20 succeeded-ink @0.5"]);
  assert.deepEqual([painted(bar("succeeded", 100, 109)).length, painted(bar("succeeded", 100, 109.5)).length], [1, 2]);
});

test("bars are outlined where the reader's colours cannot tell them from the ground", () => {
  assert.equal(painted(bar("ready", 100, 200)).length, 1);
  assert.match(painted(bar("ready", 100, 200), { outlined: true })[1], /^line .* edge$/);
});

test("what the API server cannot know better is hatched as a whole", () => {
  assert.deepEqual(painted(bar("ready", 100, 200, { stale: true })).map((part) => part.replace(/ M.*Z /, " ")), ["fill ready", "fill inferred-pattern", "line ready ~4 3"]);
});

test("what was worked out of an import is hatched up to where the import ends", () => {
  const inferred = (imported_ms) => painted(bar("ready", 100, 200, { inferred: true }), { imported_ms }).length;
  assert.deepEqual([inferred(150), inferred(null), inferred(undefined), inferred(100), inferred(50)], [3, 3, 3, 1, 1]);
});

test("a hook is a bar within the bar, its edge bad where it failed", () => {
  const hook = (tone) => painted({ hooks: [{ hook: { tone }, left: 100, right: 150 }] });
  assert.deepEqual(hook("starting").map((part) => part.replace(/ M.*Z /, " ")), ["fill tl-bg @0.92", "line starting"]);
  assert.equal(hook("failed")[1].split(" ").at(-1), "tone-bad");
  assert.match(hook("failed")[0], /^fill M104 13h42a4/);
});

test("a pole has the colour of its weightiest flag, and is as wide as its flags", () => {
  const pole = (type) => painted({ poles: [{ x: 100, x1: 106, worst: { type } }] })[0];
  assert.deepEqual(["Warning", "accepted", "Normal"].map(pole), ["failed", "accent", "terminating"].map((colour) => `rect 99 7 8 25 ${colour}`));
});

test("words of bars that are hatched or patterned have a ground of their own", () => {
  const ground = (tone, data = {}) => painted(word("bar", { tone, of: { data } })).length > 1;
  assert.deepEqual([ground("ready"), ground("backoff"), ground("ready", { inferred: true }), ground("ready", { stale: true })], [false, true, true, true]);
  assert.deepEqual(painted(word("bar", { tone: "waiting" })), ["rect 100 12 30 16 waiting", "said 103 waiting-ink"]);
});

test("the words of a bar that is filled from below stand a little lower", () => {
  const heights = (tone) => {
    const on = pen();
    drawBars(on, { lane: { kind: "container" } }, { bars: [], slivers: [], hooks: [], poles: [], ...word("bar", { tone }) }, BOX);
    return Number(/ y="([\d.]+)"/.exec(on.context.parts.at(-1))[1]);
  };
  assert.deepEqual([heights("failed") - heights("ready"), Math.round(heights("notready") - heights("ready"))], [0, 3]);
});

test("codes, hooks, flags and ghosts are written each in its own colour", () => {
  assert.equal(painted(word("exit")).at(-1), "said 115 failed-ink");
  assert.equal(painted(word("hook")).at(-1), "said 103 text");
  assert.equal(painted(word("flag", { tone: "accepted" })).at(-1), "said 103 accent-ink");
  assert.equal(painted(word("ghost")).at(-1), "said 100 tone-bad");
});
