import assert from "node:assert/strict";
import { test } from "node:test";

import { layoutBars } from "../../../static/js/timeline/bar-layout.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";

/** One ms per pixel from 0 to 1000; a letter is six pixels wide. */
function room(end_ms = 1000) {
  const viewport = new Viewport();
  viewport.resize(1000);
  viewport.show(0, 1000);
  return { viewport, end_ms, measure: (_size, _weight, words) => words.length * 6 };
}

let seq = 0;
const span = (t0, t1, tone, text = "", data = {}) => ({ t0, t1, seq: (seq += 1), tone, text, data });
const running = (t0, t1, instance = 0) => span(t0, t1, "ready", "Running", { instance });
const failed = (t0, t1, exit_code = 1, instance = 0) => span(t0, t1, exit_code ? "failed" : "succeeded", exit_code ? "Error" : "Completed", { exit_code, instance });
const flag = (t, text, type = "Normal") => ({ t, seq: (seq += 1), text, type, data: {} });
const ending = (t, code) => ({ t, seq: (seq += 1), type: "exit", text: String(code), data: {} });

/** The layout of a container's lane. */
function layout({ end_ms, ...lane }) {
  return layoutBars({ kind: "container", spans: [], node: [], hooks: [], flags: [], marks: [], endings: new Map(), ...lane }, room(end_ms), 11);
}
const told = ({ words }, kind) => words.filter((word) => word.kind === kind).map(({ words: said, x0, x1 }) => [said, Math.round(x0), Math.round(x1)]);

test("bars end at the newest moment, and what begins after it is not there", () => {
  const { bars } = layout({ spans: [running(-50, 100), running(100, 400), running(400, Infinity), running(600, Infinity)], end_ms: 500 });
  assert.deepEqual(bars.map(({ x0, x1 }) => [x0, x1]), [[-50, 100], [100, 400], [400, 500]]);
});

test("bars outside of the window are not there", () => {
  const { bars } = layout({ spans: [running(-90, 0), running(0, 999), running(1000, 1500), running(1500, 1600)], end_ms: 2000 });
  assert.deepEqual(bars.map(({ x0, x1 }) => [x0, x1]), [[0, 999], [1000, 1500]]);
});

test("a span too short for a bar is a sliver, and those that touch are one of the worst tone", () => {
  const { bars, slivers } = layout({ kind: "phase", spans: [span(10, 11, "ready"), span(11, 12, "failed"), span(12, 13, "waiting"), span(20, 21, "ready"), span(30, 31, "absent"), span(40, 41.6, "ready")] });
  assert.deepEqual(slivers, [{ x0: 10, x1: 13, tone: "failed" }, { x0: 20, x1: 21, tone: "ready" }]);
  assert.equal(bars.length, 1);
});

test("an exit whose state has no room for its code has it at the end of the bar before", () => {
  const said = (next) => told(layout({ spans: [running(0, 200), next, running(next.t1, Infinity, 1)] }), "exit");
  assert.deepEqual([said(failed(200, 219)), said(failed(200, 220))], [[["1", 185, 199]], []]);
});

test("an exit that no state tells of has its code where the next instance begins", () => {
  const endings = new Map([[0, ending(300, 137)]]);
  assert.deepEqual(told(layout({ spans: [running(0, 300), running(300, Infinity, 1)], endings }), "exit"), [["137", 273, 299]]);
  assert.deepEqual(told(layout({ spans: [running(0, 300), running(300, Infinity)], endings }), "exit"), []);
  assert.deepEqual(told(layout({ spans: [running(0, 300), running(300, Infinity, 1)] }), "exit"), []);
});

test("a code takes the end of the bar before it, but never all of it", () => {
  const said = (width) => told(layout({ spans: [running(100, 100 + width), failed(100 + width, 105 + width), running(105 + width, Infinity, 1)] }), "exit").length;
  assert.deepEqual([said(18), said(19)], [0, 1]);
});

test("what goes on in the same tone is no exit, and neither is what was not there before", () => {
  const after = (before) => told(layout({ spans: [before, failed(200, 205), running(205, Infinity, 1)] }), "exit").length;
  assert.deepEqual([after(span(0, 200, "failed", "Error", {})), after(span(0, 200, "absent")), after(running(0, 200))], [0, 0, 1]);
});

test("the code of an exit is good or bad, and points at what the node saw", () => {
  const at = ending(200, 0);
  const [good] = layout({ spans: [running(0, 200), failed(200, 205, 0)], endings: new Map([[0, at]]) }).words;
  assert.deepEqual([good.tone, good.of], ["succeeded", at]);
  const [bad] = layout({ spans: [running(0, 200), failed(200, 205, 3)] }).words;
  assert.deepEqual([bad.tone, bad.of.t, bad.of.text], ["failed", 200, "3"]);
});

test("only containers end with codes", () => assert.deepEqual(told(layout({ kind: "status", spans: [running(0, 200), failed(200, 205)] }), "exit"), []));

test("flags in one place have one pole with a number and the weightiest word, the last of equals", () => {
  const { poles, words } = layout({ flags: [flag(100, "TERM"), flag(103, "exit 1", "accepted"), flag(106, "KILL", "Warning"), flag(109, "INT", "Warning"), flag(113, "started")] });
  assert.deepEqual(poles.map(({ x, x1, flags, worst }) => [x, x1, flags.length, worst.text]), [[100, 109, 4, "INT"], [113, 113, 1, "started"]]);
  assert.deepEqual(words.map(({ words: said, tone }) => [said, tone]), [["INT +3", "Warning"], ["started", "Normal"]]);
});

test("an act weighs more than a signal", () => {
  const { poles } = layout({ flags: [flag(100, "OOM", "accepted"), flag(101, "TERM")] });
  assert.equal(poles[0].worst.text, "OOM");
});

test("flags after the newest moment, or outside of the window, have no pole", () => {
  const at = (flags, end_ms) => layout({ flags: flags.map((t) => flag(t, "TERM")), end_ms }).poles.map(({ x }) => x);
  assert.deepEqual([at([100, 300, 301], 300), at([-100, -80, 1000, 1001], 2000)], [[100, 300], [-80, 1000]]);
});

test("the word of a flag stands behind its pole, or before it where that is taken", () => {
  const { words } = layout({ flags: [flag(100, "TERM"), flag(120, "KILL", "Warning")] });
  assert.deepEqual(words.map(({ words: said, x0, x1 }) => [said, x0, x1]), [["KILL", 121, 151], ["TERM", 69, 99]]);
});

test("a flag between others says no number where there is no room for it, and at last nothing", () => {
  const between = (text) => told(layout({ flags: [flag(100, "a"), flag(120, text, "Warning"), flag(120, text, "Warning"), flag(140, "b")] }), "flag")[0];
  assert.deepEqual([between("K"), between("KILL")], [["K", 121, 133], ["a", 101, 113]]);
});

test("a hook lasts from its beginning to its end on screen, and says its name within it", () => {
  const hook = (t0, t1, tone = "starting") => ({ t0, t1, seq: 1, tone, text: "preStop", data: {} });
  const { hooks } = layout({ hooks: [hook(-100, 50), hook(100, 300), hook(400, Infinity)], end_ms: 600 });
  assert.deepEqual(hooks.map(({ left, right }) => [left, right]), [[-7, 49], [101, 299], [401, 599]]);
  assert.deepEqual(told(layout({ hooks: [hook(100, 300)] }), "hook"), [["preStop", 103, 151]]);
  assert.deepEqual(told(layout({ hooks: [hook(100, 300, "failed")] }), "hook"), [["✕ preStop", 103, 163]]);
  assert.deepEqual(told(layout({ hooks: [hook(100, 160, "failed")] }), "hook"), [["preStop", 103, 151]]);
  assert.deepEqual(told(layout({ hooks: [hook(100, 140)] }), "hook"), []);
});

test("a hook that begins after the newest moment or the window is not there, and the shortest can still be seen", () => {
  const hook = (t0, t1) => ({ t0, t1, seq: 1, tone: "starting", text: "preStop", data: {} });
  assert.deepEqual(layout({ hooks: [hook(100, 101), hook(501, 700)], end_ms: 500 }).hooks.map(({ left, right }) => [left, right]), [[101, 104]]);
  assert.deepEqual(layout({ hooks: [hook(950, 1000), hook(1000, 1500), hook(1500, 1600)], end_ms: 2000 }).hooks.map(({ left, right }) => [left, right]), [[951, 999], [1001, 1007]]);
});

test("the word of a bar moves along it as far as the window goes, and gives way to what is there", () => {
  assert.deepEqual(told(layout({ spans: [running(-500, 400)] }), "bar"), [["#0 Running", 3, 69]]);
  assert.deepEqual(told(layout({ spans: [running(100, 400)], flags: [flag(130, "TERM")] }), "bar"), [["#0 Running", 161, 227]]);
});

test("a bar without room for its word says a shorter one, and one too narrow nothing", () => {
  const said = (width) => told(layout({ spans: [running(100, 100 + width)] }), "bar").map(([words]) => words);
  assert.deepEqual([said(72), said(71), said(24), said(23), said(17)], [["#0 Running"], ["#0"], ["#0"], [], []]);
});

test("what is not there says nothing", () => assert.deepEqual(told(layout({ kind: "phase", spans: [span(0, 500, "absent", "Running")] }), "bar"), []));

test("words of what is well, and of phases, are lighter", () => {
  const weight = (kind, tone) => layout({ kind, spans: [span(0, 500, tone, "Running", { instance: 0 })] }).words[0].weight;
  assert.deepEqual([weight("container", "ready"), weight("phase", "failed"), weight("container", "failed")], [560, 560, 620]);
});

test("the exit of a process whose object was gone stands on the line of its node", () => {
  const node = (t0) => span(t0, Infinity, "absent", "exited", { exit_code: 137 });
  const ghosts = (lane) => told(layout(lane), "ghost");
  assert.deepEqual(ghosts({ spans: [running(0, 200), span(200, Infinity, "absent")], node: [node(300)] }), [["✕ 137", 304, 334]]);
  assert.deepEqual(ghosts({ spans: [running(0, Infinity)], node: [node(300)] }), []);
  assert.deepEqual(ghosts({ spans: [span(0, Infinity, "absent")], node: [span(300, Infinity, "ready", "running", {})] }), []);
  assert.deepEqual(ghosts({ spans: [span(0, Infinity, "absent")], node: [span(300, Infinity, "absent", "exited", {})] }), []);
  assert.deepEqual(ghosts({ spans: [span(0, Infinity, "absent")], node: [node(501)], end_ms: 500 }), []);
});

test("poles with their words and codes of exits can be pointed at, a word before the pole itself", () => {
  const { targets } = layout({ spans: [running(0, 200), failed(200, 205)], flags: [flag(300, "TERM")] });
  assert.deepEqual(targets.map(({ x0, x1, marks }) => [x0, x1, marks[0].text]), [[301, 331, "TERM"], [185, 199, "1"], [296, 304, "TERM"]]);
  assert.deepEqual(layout({ spans: [running(0, 200)] }).targets, []);
});

test("the code of a failed exit goes before the word of a flag, that of a clean one behind it", () => {
  const kinds = (code) => layout({ spans: [running(0, 100), failed(100, 105, code), running(105, Infinity, 1)], flags: [flag(99, "TERM"), flag(110, "")] }).words.filter(({ words, kind }) => words && kind !== "bar").map(({ kind, x0, x1 }) => [kind, x0, x1]);
  assert.deepEqual([kinds(1), kinds(0)], [[["exit", 84, 98]], [["flag", 68, 98]]]);
});

test("a flag after the newest moment has no pole, on screen or not", () => assert.equal(layout({ flags: [flag(310, "TERM")], end_ms: 300 }).poles.length, 0));

test("what begins at the newest moment is there", () => {
  const hook = { t0: 500, t1: Infinity, seq: 1, tone: "starting", text: "preStop", data: {} };
  const { slivers, hooks } = layout({ kind: "phase", spans: [span(0, 500, "ready"), span(500, Infinity, "failed")], hooks: [hook], end_ms: 500 });
  assert.deepEqual([slivers, hooks.length], [[{ x0: 500, x1: 500, tone: "failed" }], 1]);
  const ghost = { spans: [span(0, Infinity, "absent")], node: [span(500, Infinity, "absent", "exited", { exit_code: 1 })] };
  assert.equal(told(layout({ ...ghost, end_ms: 500 }), "ghost").length, 1);
  assert.equal(told(layout({ ...ghost, node: [span(1000, Infinity, "absent", "exited", { exit_code: 1 })], end_ms: 2000 }), "ghost").length, 1);
});

test("a bar is at least a pixel and a half wide, and slivers a pixel apart are two", () => {
  assert.equal(layout({ kind: "phase", spans: [span(0, 1.6, "ready")] }).bars.length, 1);
  assert.equal(layout({ kind: "phase", spans: [span(10, 11, "ready"), span(12, 13, "ready")] }).slivers.length, 2);
});

test("the shortest word stands on the narrowest bar that has room for it", () => {
  const said = (width) => told(layout({ kind: "phase", spans: [span(100, 100 + width, "ready", "Running")] }), "bar").map(([words]) => words);
  assert.deepEqual([said(18), said(17)], [["R"], []]);
});
