import assert from "node:assert/strict";
import { before, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { LATER_MESSAGES } from "../../../static/js/later/messages.js";
import { LogLane } from "../../../static/js/timeline/folded/log-lane.js";
import { makeElements } from "../page.mjs";
import { drawn, pen, room } from "../picture.mjs";

before(() => {
  makeElements();
  addTexts(LATER_MESSAGES);
});

const mark = (t, line, { count = 1, errors = 0, instance = 0 } = {}) => ({ t, seq: 0, type: errors ? "Warning" : "Normal", text: line, data: { line, count, errors, instance } });

/** A lane of log lines, with its requests and effects. */
function lane(...marks) {
  const done = [];
  const run = { playhead: { seek: (t) => done.push(`seek ${t}`) }, select: (subject) => done.push(`select ${subject}`), openTab: (tab) => done.push(`tab ${tab}`), drawer: { panel: { follow: () => done.push("follow") } } };
  const printed = { of: () => marks, want: (pod, from_ms, to_ms) => done.push(`want ${pod} ${from_ms} ${to_ms}`) };
  return { done, own: new LogLane({ run, labels: { mark() {} }, invalidate() {} }, { subject: "container/default/web/app", pod: "default/web" }, printed) };
}
const card = (...marks) => lane().own.card(marks);

test("a card says the newest lines of a group, and how many came", () => {
  const lines = Array.from({ length: 8 }, (_, index) => mark(1000 * index, `line ${index}`));
  const told = card(...lines).map((element) => element.textContent);
  assert.equal(told[0], "app #0");
  assert.deepEqual(told.filter((words) => words.startsWith("0:")), [2, 3, 4, 5, 6, 7].map((index) => `0:0${index}.0line ${index}`));
  assert.ok(told.some((words) => words.endsWith("8")));
});

test("a line that came alone says when to the ms, and no number", () => {
  assert.deepEqual(card(mark(1234, "hello")).map((element) => element.textContent).slice(1, -1), ["0:01.234hello"]);
});

test("a line to stderr is counted even alone, and so are several of one moment", () => {
  assert.equal(card(mark(0, "x", { errors: 1 })).length, card(mark(0, "x")).length + 1);
  assert.equal(card(mark(0, "x", { count: 2 })).length, card(mark(0, "x")).length + 1);
});

test("instances that printed are named once each", () => assert.equal(card(mark(0, "a"), mark(1, "b", { instance: 1 }), mark(2, "c", { instance: 1 }))[0].textContent, "app #0, #1"));

test("lines are asked for as far as they are on screen and known", () => {
  const asked = (start_ms, end_ms) => {
    const { own, done } = lane();
    const on = pen({ end_ms });
    on.viewport.start_ms = start_ms;
    own.paint(on, { y: 0, h: 20 }, { ...room(), viewport: on.viewport });
    return done[0];
  };
  assert.deepEqual([asked(-100, 5000), asked(100, 500)], ["want default/web 0 900", "want default/web 100 500"]);
});

test("a lone line is a sign of its own, in a box where it went to stderr, and several are a pill", () => {
  const parts = (...marks) => {
    const on = pen();
    lane(...marks).own.paint(on, { y: 0, h: 20 }, room());
    return drawn(on);
  };
  assert.equal(parts(mark(500, "")).filter((part) => part.startsWith("frame")).length, 0);
  assert.equal(parts(mark(500, "", { errors: 1 })).filter((part) => part.startsWith("frame")).length, 1);
  assert.ok(parts(mark(500, ""), mark(503, "")).some((part) => part.startsWith("2 ≡")));
  assert.match(parts(mark(500, "", { errors: 1 }), mark(503, "", { errors: 1 }))[1], /tone-bad @0\.2$/);
  assert.match(parts(mark(500, ""), mark(503, ""))[1], /muted @0\.08$/);
});

test("a line that is chosen is gone to, and shown in the tab of logs", () => {
  const { own, done } = lane();
  own.choose(undefined);
  own.go(undefined);
  assert.deepEqual(done, []);
  own.choose(mark(700, "x"));
  assert.deepEqual([done[0], done.at(-2), done.at(-1)], ["seek 700", "tab logs", "follow"]);
});

test("a lane of lines says nothing of a moment", () => assert.equal(lane().own.said().words, ""));
