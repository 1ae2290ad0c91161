import assert from "node:assert/strict";
import { test } from "node:test";

import { Navigator } from "../../../static/js/timeline/navigator.js";

const span = (t0, t1, seq) => ({ t0, t1, seq, tone: "ready", text: "Running", data: {} });
const lane = (id, spans = [], more = {}) => ({ id, kind: "container", subject: `s/${id}`, spans, marks: [], flags: [], endings: new Map(), ...more });
const row = (own, y, more = {}) => ({ lane: own, y, h: 30, depth: 2, isTwin: false, isPinned: false, isOld: false, pod: { key: own.pod }, ...more });

/** A timeline with these rows, 100 px of which are visible; `done` has its effects. */
function timeline(rows, { focus = "", t_ms = 0, end_ms = 1000, rec = 0, selected = null, scrollTop = 0, stuck = 0, lanes = [] } = {}) {
  const done = [];
  const own = {
    rows,
    focus,
    selected,
    stuck,
    body: { scrollTop, clientHeight: 100 },
    labels: { mark: (id) => done.push(`mark ${id}`), tellOld: () => done.push("old") },
    spoken: { announceLane() {} },
    viewport: { fit: (from, to) => done.push(`fit ${from} ${to}`), centre: (t) => done.push(`centre ${t}`) },
    run: { rec, playhead: { t_ms, end_ms, seek: (t) => done.push(`seek ${t}`) }, select: (subject, seq) => done.push(`select ${subject} ${seq}`), store: { lanes: { byId: new Map(lanes.map((each) => [each.id, each])) } } },
    touch() {},
    reveal: (t) => done.push(`reveal ${t}`),
    invalidate() {},
  };
  return { own, done, navigator: new Navigator(own) };
}
const ROWS = ["a", "b", "c"].map((id, index) => row(lane(id), 40 * index));

test("arrows go from lane to lane and stay at the ends, from no lane to the nearest end", () => {
  const to = (focus, step) => {
    const { own, navigator } = timeline(ROWS, { focus });
    navigator.lane(step);
    return own.focus;
  };
  assert.deepEqual([to("a", 1), to("c", 1), to("a", -1), to("", 1), to("", -1)], ["b", "c", "a", "a", "c"]);
});

test("a lane that stands twice is stopped at once", () => {
  const { own, navigator } = timeline([ROWS[0], row(lane("b"), 40, { isTwin: true }), ROWS[2]], { focus: "a" });
  navigator.lane(1);
  assert.equal(own.focus, "c");
});

test("without lanes there is nowhere to go", () => assert.doesNotThrow(() => timeline([]).navigator.lane(1)));

test("a lane is scrolled into sight from above or below, by as little as it takes", () => {
  const scrolled = (y, scrollTop, more = {}) => {
    const { own, navigator } = timeline([row(lane("a"), y, more)], { focus: "a", scrollTop, stuck: more.stuck ?? 0 });
    navigator.reveal();
    return own.body.scrollTop;
  };
  assert.deepEqual([scrolled(50, 50), scrolled(49, 50), scrolled(70, 0), scrolled(71, 0), scrolled(500, 0, { isStuck: true })], [50, 43, 0, 7, 0]);
  assert.deepEqual([scrolled(70, 50, { stuck: 20 }), scrolled(69, 50, { stuck: 20 })], [50, 43]);
});

test("of a lane that is folded away its pod is shown", () => {
  const folded = lane("x", [], { pod: "p" });
  const scrolled = (more) => {
    const { own, navigator } = timeline([row(lane("p", [], { pod: "p" }), 300, { depth: 1, pod: { key: "p" }, ...more })], { focus: "x", lanes: [folded] });
    navigator.reveal();
    return own.body.scrollTop;
  };
  assert.deepEqual([scrolled({}), scrolled({ depth: 2 }), scrolled({ isPinned: true }), scrolled({ pod: { key: "q" } })], [236, 0, 0, 0]);
});

const SPANS = [span(0, 100, 1), span(100, 200, 2), span(200, 300, 3)];

test("the lane's newest instant is selected", () => {
  const selected = (t_ms, more = {}) => {
    const { done, navigator } = timeline([row(lane("a", SPANS), 0, more)], { focus: "a", t_ms });
    navigator.select();
    return done[0];
  };
  assert.deepEqual([selected(99), selected(100), selected(-1), selected(0, { isOld: true })], ["select s/a 1", "select s/a 2", "select s/a 0", "old"]);
});

test("keys go to the next span and the one before, and select it", () => {
  const step = (by, t_ms, more = {}) => {
    const { done, navigator } = timeline([row(lane("a", SPANS), 0, more.row)], { focus: "a", t_ms, ...more });
    navigator.span(by);
    return done;
  };
  assert.deepEqual([step(1, 50), step(-1, 150), step(1, 250), step(-1, 0)], [["seek 100", "select s/a 2", "reveal 100"], ["seek 100", "select s/a 2", "reveal 100"], [], []]);
  assert.deepEqual([step(1, 99.5)[0], step(-1, 100.5)[0]], ["seek 200", "seek 0"]);
  assert.deepEqual(step(1, 50, { row: { isOld: true } }), ["seek 100", "reveal 100"]);
});

test("of several instants at one moment the one that is selected says where the next is", () => {
  const same = [span(0, 100, 1), span(100, 100, 2), span(100, 300, 3)];
  const step = (by, rec) => {
    const { done, navigator } = timeline([row(lane("a", same), 0)], { focus: "a", t_ms: 100, rec });
    navigator.span(by);
    return done[1];
  };
  assert.deepEqual([step(1, 2), step(-1, 3), step(-1, 2), step(1, 3)], ["select s/a 3", "select s/a 2", "select s/a 1", undefined]);
});

test("an instant that is selected says where we are only less than a millisecond away", () => {
  const step = (t_ms) => {
    const { done, navigator } = timeline([row(lane("a", SPANS), 0)], { focus: "a", t_ms, rec: 2 });
    navigator.span(-1);
    return done[1];
  };
  assert.deepEqual([step(100.9), step(101), step(99.1), step(99)], ["select s/a 1", "select s/a 2", "select s/a 1", "select s/a 1"]);
});

test("instants of a lane are in order of time, and of the log within a moment", () => {
  const own = lane("a", [span(100, 200, 5)], { flags: [{ t: 100, seq: 4 }, { t: 50, seq: 9 }] });
  assert.deepEqual(Navigator.prototype.items(own).map(({ seq }) => seq), [9, 4, 5]);
});

test("what is selected is centred up to the newest moment, and fits when asked for again", () => {
  const { done, navigator } = timeline(ROWS, { selected: { t0: 100, t1: Infinity }, end_ms: 500 });
  navigator.centre();
  navigator.centre();
  assert.deepEqual(done, ["centre 300", "fit 100 500"]);
});

test("an instant cannot fit, and without a selection the playhead is centred", () => {
  const { done, navigator } = timeline(ROWS, { t_ms: 70 });
  navigator.centre();
  navigator.centre();
  assert.deepEqual(done, ["centre 70", "centre 70"]);
});

test("the record at the playhead is that of the focused lane's span", () => {
  const at = (t_ms, focus = "a") => timeline([row(lane("a", SPANS), 0)], { focus, t_ms }).navigator.recordAtPlayhead();
  assert.deepEqual([at(150), at(300), at(150, "none")], [2, 0, 0]);
});
