import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { wireExam } from "../../../static/js/levels/exam.js";
import { readExam, writeExam } from "../../../static/js/levels/exam-state.js";
import { FakeElement, makeElements } from "../page.mjs";

const BEGUN = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const RUN = "/r/00000000-0000-0000-0000-000000000000/";
const LEVELS = [{ key: "a", title: "A", exams: ["x"] }, { key: "b", title: "B", exams: ["x", "y"] }, { key: "c", title: "C", exams: ["y"] }];

/** The questions to the visitor, and the parts of the page by selector. */
let asked;
let parts;
let clicked;

beforeEach(() => {
  const kept = new Map();
  globalThis.localStorage = /** @type {any} */ ({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) });
  mock.timers.enable({ apis: ["Date", "setInterval"], now: BEGUN });
  globalThis.window = /** @type {any} */ (globalThis);
  globalThis.HTMLElement = /** @type {any} */ (FakeElement);
  globalThis.confirm = (words) => (asked.push(words), true);
  makeElements();
  globalThis.document.getElementById = /** @type {any} */ ((id) => (id === "exam-levels" ? { textContent: JSON.stringify(LEVELS) } : null));
  globalThis.FormData = /** @type {any} */ (class { constructor(form) { this.form = form; } get(name) { return this.form[name]; } });
  globalThis.document.documentElement = /** @type {any} */ ({ lang: "en" });
  addTexts({ "exam.left": "{left} left", "exam.sure": "sure", "exam.sure_left": "{left} tasks are left", "exam.score": "{passed} of {all}", "exam.nothing": "nothing", "exam.submitted": "submitted", "exam.open": "open", "exam.go_on": "go on", "level.passed": "passed", "exam.not_passed": "not passed" });
  asked = [];
  parts = {};
});

afterEach(() => mock.timers.reset());

/** The page of the exam, as its script leaves it. */
function page() {
  const part = (selector) => (parts[selector] ??= Object.assign(new FakeElement("div"), { querySelector: part }));
  const main = { dataset: { minutesEach: "6" }, querySelector: part, addEventListener: (name, listener) => (clicked = listener) };
  wireExam(/** @type {any} */ (main));
  const open = () => ["begin", "running", "report"].filter((name) => !parts[`[data-exam-${name}]`].hidden);
  const begin = (size, of = "") => parts["[data-exam-begin]"].listeners.submit({ preventDefault() {}, target: { of, size: String(size) } });
  const say = (selector) => parts[selector].textContent;
  return { open, begin, say };
}
const going = (more = {}) => writeExam({ begun: BEGUN, minutes: 12, ended: 0, tasks: [{ key: "a", title: "A", run: RUN }, { key: "b", title: "B" }], ...more });

test("without an exam one can be begun, of so many tasks of a kind, each with its minutes", () => {
  const { open, begin } = page();
  assert.deepEqual(open(), ["begin"]);
  begin(2, "x");
  const { tasks, minutes, begun } = readExam();
  assert.deepEqual([tasks.map(({ key }) => key).sort(), minutes, begun, open()], [["a", "b"], 12, BEGUN, ["running"]]);
});

test("an exam has as many tasks as were asked for, of all that there are", () => {
  page().begin(1);
  assert.equal(readExam().tasks.length, 1);
});

test("an exam of all kinds has every task once, and no more than there are", () => {
  page().begin(9);
  assert.deepEqual([readExam().tasks.map(({ key }) => key).sort(), readExam().minutes], [["a", "b", "c"], 18]);
});

test("the clock tells what is left, and at nothing left the exam ends and its report is shown", () => {
  going();
  const { open, say } = page();
  assert.equal(say("[data-exam-clock]"), "12:00 left");
  mock.timers.tick(MINUTE_MS);
  assert.deepEqual([say("[data-exam-clock]"), open(), readExam().ended], ["11:00 left", ["running"], 0]);
  mock.timers.tick(11 * MINUTE_MS);
  assert.deepEqual([say("[data-exam-clock]"), open(), readExam().ended], ["0:00 left", ["report"], BEGUN + 12 * MINUTE_MS]);
  mock.timers.tick(MINUTE_MS);
  assert.equal(readExam().ended, BEGUN + 12 * MINUTE_MS);
});

test("an exam is ended by hand once that is meant, with a word about what is left", () => {
  going();
  const { open } = page();
  const end = () => parts["[data-exam-end]"].listeners.click();
  globalThis.confirm = (words) => (asked.push(words), false);
  end();
  assert.deepEqual([asked, open()], [["2 tasks are left"], ["running"]]);
  globalThis.confirm = (words) => (asked.push(words), true);
  going({ tasks: [{ key: "a", title: "A", result: { passed: true, report: [] } }] });
  end();
  assert.deepEqual([asked[1], open(), readExam().ended], ["sure", ["report"], BEGUN]);
});

test("a task that was begun here goes on at its run, others are begun, and what was submitted says so", () => {
  going({ tasks: [{ key: "a", title: "A", run: RUN }, { key: "b", title: "B", run: RUN, isAway: true }, { key: "c", title: "C", result: { passed: false, report: [] } }] });
  page();
  const rows = parts["[data-exam-tasks]"].children.map(({ attributes, children }) => [attributes["data-done"], children[2].textContent, children[4].attributes.href ?? children[4].attributes["data-exam-open"]]);
  assert.deepEqual(rows, [[undefined, "", RUN], [undefined, "", "b"], ["", "submitted", "c"]]);
});

test("the report counts what passed, and leads to the instants that decided", () => {
  const missed = { at_ms: 4000, seq: 3, subject: "pod/default/web", reason: "late", text: "In time." };
  const tasks = [{ key: "a", title: "A", run: RUN, result: { passed: false, report: [missed, { ...missed, seq: 0 }, { ...missed, at_ms: null }] } }, { key: "b", title: "B", result: { passed: true, report: [] } }, { key: "c", title: "C" }];
  going({ ended: BEGUN + 1, tasks });
  const { say } = page();
  assert.equal(say("[data-exam-score]"), "1 of 3");
  const rows = parts["[data-exam-rows]"].children;
  assert.deepEqual(rows.map(({ children, attributes }) => [children[2], attributes["data-done"]]), [["not passed", undefined], ["passed", ""], ["nothing", undefined]]);
  const links = rows[0].children[3].children.map(({ children }) => children.at(-1)?.attributes?.href ?? null);
  assert.deepEqual(links, [`${RUN}?t=4&sel=pod%2Fdefault%2Fweb&rec=3&tab=why`, `${RUN}?t=4`, null]);
});

test("an exam that is put away makes room for another, and its report stays", () => {
  going({ ended: BEGUN + 1 });
  const { open } = page();
  assert.equal(parts["[data-exam-earlier]"].hidden, true);
  parts["[data-exam-new]"].listeners.click();
  assert.deepEqual([open(), readExam(), parts["[data-exam-earlier]"].hidden, parts["[data-exam-earlier-list]"].children.length], [["begin"], null, false, 1]);
});

test("a task is begun by its form", () => {
  going();
  page();
  const sent = [];
  const key = { value: "" };
  Object.assign(parts["[data-exam-form]"] ?? (parts["[data-exam-form]"] = new FakeElement("form")), { elements: { namedItem: () => key }, submit: () => sent.push(key.value) });
  clicked({ target: Object.assign(new FakeElement("button"), { dataset: { examOpen: "b" } }) });
  clicked({ target: new FakeElement("p") });
  assert.deepEqual(sent, ["b"]);
});
