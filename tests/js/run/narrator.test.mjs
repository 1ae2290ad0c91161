import assert from "node:assert/strict";
import { test } from "node:test";

import { Narrator } from "../../../static/js/run/narrator.js";
import { RecordStore } from "../../../static/js/lanes/record-store.js";

/** A row in wire format; a phase is not described, an object is weighty, a STATUS is described if time passes slowly. */
function row(seq, at_ms, machine, target) {
  return [seq, at_ms, "transition", "pod/default/web", machine, "", "", target, 0, "A-RULE", []];
}

const ROWS = [
  row(1, 0, "phase", "Pending"),
  row(2, 5000, "object", "present"),
  row(3, 20_000, "status_word", "Running"),
  row(4, 30_000, "status_word", "Error"),
  row(5, 31_000, "phase", "Failed"),
];

/** A narrator and what its reader is looking at. */
function telling(rows = ROWS) {
  const elements = () => ({ dataset: {}, textContent: "", setAttribute() {}, append() {} });
  globalThis.document.createElement = elements;
  const store = new RecordStore();
  store.append(rows);
  const playhead = { t_ms: 0, step_seq: 0, moving: false, live: true, rate: 1000, onFrame() {}, get seq() { return store.seqAt(this.t_ms); } };
  const clock = { frame: { rate: 1000 } };
  const element = elements();
  const narrator = new Narrator(/** @type {any} */ (element), /** @type {any} */ ({ playhead, clock, store }));
  /** What is said once the page shows that moment, however soon after the last. */
  const at = (t_ms, { moving = false, rate = 1000 } = {}) => {
    Object.assign(playhead, { t_ms, moving });
    clock.frame.rate = rate;
    narrator.saidAt = -Infinity;
    narrator.look();
    return narrator.shown_seq;
  };
  /** What is said once the reader has stepped to that record. */
  const step = (seq) => {
    playhead.step_seq = seq;
    return at(store.get(seq).at_ms);
  };
  return { at, element, narrator, step };
}

const FAST = { moving: true, rate: 16_000 };

test("what was left out in fast play is told where it stops", () => {
  const { at } = telling();
  assert.deepEqual([at(6000, FAST), at(21_000, FAST), at(31_500, FAST), at(31_500)], [2, 2, 2, 4]);
});

test("what was left out in fast play is told when it becomes slow", () => {
  const { at } = telling();
  assert.deepEqual([at(6000, FAST), at(21_000, FAST), at(21_000, { moving: true })], [2, 2, 3]);
});

test("where play stops that is told which a page tells that is opened there", () => {
  const rows = [...ROWS, row(6, 32_000, "object", "terminating"), row(7, 40_000, "status_word", "Terminating")];
  const { at } = telling(rows);
  assert.deepEqual([at(30_500, { moving: true }), at(41_000, { moving: true }), at(41_000)], [4, 6, 7]);
  assert.equal(telling(rows).at(41_000), 7);
});

test("a jump while time stands tells what was last worth telling there, not the weightiest that was passed", () => {
  const { at } = telling([row(1, 0, "object", "present"), row(2, 5000, "object", "terminating"), row(3, 9000, "status_word", "x")]);
  assert.deepEqual([at(100), at(10_000)], [1, 3]);
});

test("before anything has happened nothing is told, whatever was told of later moments", () => {
  const { at, element } = telling();
  assert.equal(at(21_000), 3);
  assert.equal(element.dataset.seekSeq, "3");
  assert.equal(at(0), 0);
  assert.deepEqual([element.textContent, element.dataset.seekSeq], ["", undefined]);
});

test("what is told holds until something else happens, however much is not worth a word", () => {
  const attempts = Array.from({ length: 500 }, (_, index) => row(6 + index, 32_000 + index, "phase", "Failed"));
  assert.equal(telling([...ROWS, ...attempts]).at(40_000), 4);
});

test("what is told already is not said once more", () => {
  const { at, element } = telling();
  let said = 0;
  element.append = () => (said += 1);
  at(30_500, { moving: true });
  at(31_500, { moving: true });
  at(31_500);
  at(30_200);
  assert.equal(said, 1);
});

test("a record that is stepped to is told whatever its weight, also within one instant", () => {
  const { step } = telling([row(1, 0, "object", "present"), row(2, 0, "phase", "Pending"), row(3, 0, "phase", "Running")]);
  assert.deepEqual([step(2), step(3), step(1)], [2, 3, 1]);
});

test("the actor stands before a sentence that names none", async () => {
  const { byActor, takeRules } = await import("../../../static/js/base/i18n.js");
  takeRules({ rules: {}, docs: {}, headlines: {}, acts: {}, actors: { Scheduler: ["BIND"], kubelet: ["container."], "": ["status_word."] } });
  const told = (machine, rule, sentence) => byActor({ machine, target: "x", rule }, sentence);
  assert.equal(told("condition", "BIND", "PodScheduled=True on web"), "Scheduler: PodScheduled=True on web");
  assert.equal(told("container", "OTHER", "The kubelet creates web"), "The kubelet creates web");
  assert.equal(told("status_word", "BIND", "kubectl prints Running for web"), "kubectl prints Running for web");
});

test("a sentence becomes better once the texts of rules have come, unless another is told by then", async () => {
  const { takeRules } = await import("../../../static/js/base/i18n.js");
  const none = { rules: {}, docs: {}, headlines: {}, acts: {} };
  const told = async (...seqs) => {
    takeRules({ ...none, actors: {} });
    const { element, step } = telling();
    const said = [];
    element.append = (_time, _space, words) => said.push(words);
    for (const seq of seqs) step(seq);
    const before = said.map(({ textContent }) => textContent);
    takeRules({ ...none, actors: { Scheduler: ["status_word."] } });
    await new Promise((resolve) => setImmediate(resolve));
    takeRules({ ...none, actors: {} });
    return said.map(({ textContent }, index) => textContent !== before[index]);
  };
  assert.deepEqual([await told(3), await told(3, 4)], [[true], [false, true]]);
});

const STATUSES = (...at) => at.map((at_ms, index) => row(index + 1, at_ms, "status_word", `Word${index}`));

test("in slow play the weightiest that passed is told, the last of equals", () => {
  const rows = [row(1, 0, "object", "present"), row(2, 5000, "object", "terminating"), row(3, 5100, "object", "gone"), row(4, 5200, "status_word", "x")];
  const { at } = telling(rows);
  assert.deepEqual([at(100, { moving: true }), at(6000, { moving: true })], [1, 3]);
});

test("what is just worth a word is told in slow play, and what is just weighty in fast play", () => {
  const light = telling([row(1, 0, "object", "present"), row(2, 5000, "container_status", "running")]);
  assert.deepEqual([light.at(100, { moving: true }), light.at(6000, { moving: true })], [1, 2]);
  const heavy = telling([row(1, 0, "object", "present"), row(2, 5000, "object", "gone")]);
  assert.deepEqual([heavy.at(100, FAST), heavy.at(6000, FAST)], [1, 2]);
});

test("time that goes four times as fast is not fast yet", () => {
  const told = (rate) => {
    const { at } = telling(STATUSES(0, 5000));
    at(100, { moving: true, rate });
    return at(6000, { moving: true, rate });
  };
  assert.deepEqual([told(4000), told(4001)], [2, 1]);
});

test("a replay's own rate counts, not that of the run", () => {
  const { at, narrator } = telling(STATUSES(0, 5000));
  Object.assign(narrator.run.playhead, { live: false, rate: 16_000 });
  at(100, { moving: true });
  assert.equal(at(6000, { moving: true }), 1);
});

test("of a stretch the numbers of the last records are told that are worth it, so many at most", () => {
  const { narrator } = telling([...STATUSES(0, 1000, 2000, 3000), row(5, 3500, "phase", "Failed")]);
  assert.deepEqual(telling([row(1, 0, "object", "present"), row(2, 5000, "container_status", "running")]).narrator.seqsBetween(0, 9000, 9), [2]);
  assert.deepEqual([narrator.seqsBetween(0, 9000, 9), narrator.seqsBetween(0, 9000, 2), narrator.seqsBetween(1000, 2000, 9), narrator.seqsBetween(0, 9000, 0)], [[4, 3, 2], [4, 3], [3], []]);
});

test("of what happened within half a second the weightiest is told", () => {
  const near = (gap_ms) => telling([row(1, 1000, "object", "present"), row(2, 1000 + gap_ms, "status_word", "x")]).at(5000);
  assert.deepEqual([near(499), near(500)], [1, 2]);
});

test("while time goes by something is told every two seconds at most", (context) => {
  const { at, narrator } = telling(STATUSES(0, 5000));
  at(100, { moving: true });
  let waits = 0;
  globalThis.window = /** @type {any} */ ({ setTimeout: () => (waits += 1) });
  const now = 10_000;
  context.mock.method(performance, "now", () => now);
  Object.assign(narrator.run.playhead, { t_ms: 6000, moving: true });
  narrator.saidAt = now - 1999;
  narrator.look();
  narrator.look();
  assert.deepEqual([narrator.shown_seq, waits], [1, 1]);
  narrator.saidAt = now - 2000;
  narrator.look();
  assert.equal(narrator.shown_seq, 2);
});

test("a narrator that is silenced is not spoken, and the browser remembers it", () => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  const { element, narrator } = telling();
  const spoken = [];
  element.setAttribute = (name, value) => spoken.push(`${name} ${value}`);
  narrator.silence(true);
  assert.equal(narrator.isSilent, true);
  narrator.silence(false);
  assert.deepEqual([narrator.isSilent, spoken], [false, ["aria-live off", "aria-live polite"]]);
});
