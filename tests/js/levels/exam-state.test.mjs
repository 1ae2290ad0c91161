import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { endExam, forgetExams, isExamOn, ownExams, putExamAway, readEarlier, readExam, takeExams, writeExam } from "../../../static/js/levels/exam-state.js";

const BEGUN = 1_000_000;
const MINUTE_MS = 60_000;

beforeEach(() => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  writeExam({ begun: BEGUN, minutes: 10, ended: 0, tasks: [{ key: "a", title: "A" }] });
});

test("an exam goes on for its tasks until its time is up", () => {
  const at = (minutes) => isExamOn("a", BEGUN + minutes * MINUTE_MS);
  assert.deepEqual([at(0), at(9), at(10)], [true, true, false]);
});

test("a task of another exam is over", () => assert.equal(isExamOn("b", BEGUN), false));

test("an exam that was ended is over", () => {
  endExam();
  assert.equal(isExamOn("a", BEGUN), false);
});

test("where no exam is known, none goes on", () => {
  writeExam(null);
  assert.equal(isExamOn("a", BEGUN), false);
});

const RUN = "/r/00000000-0000-0000-0000-000000000000/";
const going = { minutes: 10, ended: 0, tasks: [{ key: "a", title: "A", run: RUN }] };

test("an exam that is put away keeps its report", () => {
  endExam();
  putExamAway();
  assert.equal(readExam(), null);
  assert.deepEqual(Object.keys(readEarlier()), [String(BEGUN)]);
});

test("an exam of another browser goes on here, and its runs are to be begun here", () => {
  writeExam(null);
  takeExams({ [BEGUN]: going }, BEGUN + MINUTE_MS);
  assert.deepEqual([readExam().begun, readExam().tasks[0].isAway], [BEGUN, true]);
  assert.deepEqual(ownExams()[BEGUN].tasks, going.tasks);
});

test("the runs of this browser stay its own", () => {
  writeExam({ begun: BEGUN, ...going });
  takeExams({ [BEGUN]: going }, BEGUN + MINUTE_MS);
  assert.equal(readExam().tasks[0].isAway, undefined);
});

test("an exam that is over elsewhere comes as a report", () => {
  writeExam(null);
  takeExams({ [BEGUN]: going }, BEGUN + 11 * MINUTE_MS);
  assert.deepEqual([readExam(), Object.keys(readEarlier())], [null, [String(BEGUN)]]);
});

test("what is over can be forgotten, an exam that goes on cannot", () => {
  takeExams({ [BEGUN]: going, 5: { ...going, ended: 6 } }, BEGUN);
  forgetExams(BEGUN);
  assert.deepEqual([readExam().begun, readEarlier()], [BEGUN, {}]);
  forgetExams(BEGUN + 11 * MINUTE_MS);
  assert.equal(readExam(), null);
});

test("what is kept of an exam counts only where it is one", () => {
  for (const kept of ["null", "7", "{}", '{"tasks": {}}', "not JSON"]) {
    localStorage.setItem("podscope.exam", kept);
    assert.equal(readExam(), null, kept);
  }
});

test("at the very end of its time an exam is over, elsewhere and to be forgotten", () => {
  const END = BEGUN + 10 * MINUTE_MS;
  forgetExams(END - 1);
  assert.equal(readExam().begun, BEGUN);
  forgetExams(END);
  assert.equal(readExam(), null);
  takeExams({ [BEGUN]: going }, END);
  assert.equal(readExam(), null);
  takeExams({ [BEGUN]: going }, END - 1);
  assert.equal(readExam().begun, BEGUN);
});
