import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { makeElements } from "../page.mjs";
import { row, storeOf } from "../records.mjs";

/** What the page says, as "tone: words"; its listeners; what it remembers, and what it is going to do later. */
let told;
let kept;
let later;
/** @type {Record<string, (event: object) => void>} */
const listeners = {};
const page = {};

class Place {
  matches(selector) {
    return selector === this.fits;
  }
}
globalThis.Element = /** @type {any} */ (Place);
globalThis.HTMLAnchorElement = /** @type {any} */ (class {});
globalThis.sessionStorage = /** @type {any} */ ({ getItem: (name) => kept[name] ?? null, setItem: (name, value) => (kept[name] = value), removeItem: (name) => delete kept[name] });
globalThis.document.body = /** @type {any} */ ({ addEventListener: (name, listener) => (listeners[name] = listener), dataset: {} });
globalThis.document.querySelector = /** @type {any} */ ((selector) => page[selector] ?? null);
makeElements();

const { announceOpening, commandRecorded, wireAnswers } = await import("../../../static/js/acts/acts.js");
wireAnswers();

beforeEach(() => {
  [told, kept, later] = [[], {}, []];
  globalThis.window = /** @type {any} */ ({ setTimeout: (task, ms) => later.push([task, ms]), clearTimeout() {} });
  for (const selector of Object.keys(page)) delete page[selector];
  page["#toasts"] = { children: [], append: ({ attributes, textContent }) => told.push(`${attributes["data-tone"]}: ${textContent}`) };
});

/** What happens after so many ms. */
const pass = (ms) => later.filter(([, due]) => due === ms).forEach(([task]) => task());
const answer = (name, detail) => listeners[name]({ detail });
const accepted = (detail = { text: "Deleted" }) => answer("command:accepted", detail);
const request = (status, isAct = true) => answer("htmx:afterRequest", { elt: { matches: () => isAct }, xhr: { status }, requestConfig: { parameters: { client_key: "k" } } });
const recorded = (target, data = {}) => commandRecorded({ seq: 99, target, data });

test("an act that was answered is told once the run has recorded it, whichever comes first", () => {
  accepted();
  assert.deepEqual(told, []);
  recorded("accepted");
  assert.deepEqual(told, ["ok: Deleted"]);
  recorded("accepted");
  assert.equal(told.length, 1);
});

test("an act that the run refuses is told in its words, their first line", () => {
  accepted();
  recorded("refused", { message: "it is gone\nmore" });
  assert.match(told[0], /^bad: .*: it is gone$/);
  accepted();
  recorded("refused", { reason: "NotFound" });
  assert.match(told[1], /: NotFound$/);
});

test("an act of which no record comes is told after two seconds", () => {
  accepted();
  pass(2000);
  assert.deepEqual(told, ["ok: Deleted"]);
});

test("an act that waits says what for, and what became of it when the run goes on", () => {
  accepted({ text: "Deleted", waits: "The run is paused" });
  assert.deepEqual([told, later.filter(([, due]) => due === 2000)], [["warn: The run is paused"], []]);
  recorded("accepted");
  assert.equal(told[1], "ok: Deleted");
});

test("an answer without words of its own has general ones", () => {
  accepted({});
  recorded("accepted");
  assert.match(told[0], /^ok: ./);
});

test("an act that fails is forgotten, what fails beside it is not the act", () => {
  accepted();
  request(399);
  request(500, false);
  recorded("accepted");
  assert.equal(told.length, 1);
  accepted();
  request(400);
  recorded("accepted");
  assert.equal(told.length, 1);
});

test("messages of the server are shown in their tone", () => {
  answer("toast:show", { text: "Saved", tone: "info" });
  answer("command:refused", { text: "Not now" });
  assert.deepEqual(told, ["info: Saved", "bad: Not now"]);
});

test("an error without words of its own is told, one with them is not, nor what asks again by itself", () => {
  const failed = (name, { header = null, again = false } = {}) => listeners[name]({ target: again ? Object.assign(new Place(), { fits: "[hx-trigger^='every']" }) : new Place(), detail: { xhr: { status: 503, getResponseHeader: () => header } } });
  failed("htmx:responseError", { header: "{}" });
  failed("htmx:responseError", { again: true });
  failed("htmx:sendError", { again: true });
  assert.deepEqual(told, []);
  failed("htmx:responseError");
  failed("htmx:sendError");
  assert.deepEqual(told.map((words) => words.slice(0, 5)), ["bad: ", "bad: "]);
});

const act = (seq, at_ms, target) => row(seq, at_ms, { kind: "command", machine: "command", target, data: { message: `act ${seq}` } });

/** A page that an act opened so many ms ago. */
function opened(ago_ms, ...rows) {
  kept["podscope.sent"] = String(Date.now() - ago_ms);
  announceOpening(storeOf(...rows));
  pass(1500);
  return told.map((words) => words.replace(/.*: /, ""));
}

test("what was refused of the acts that a branch begins with is told, in order and no more than three", () => {
  page["[data-branch-ms]"] = { dataset: { branchMs: "1000" } };
  assert.deepEqual(opened(0, act(1, 500, "refused"), act(2, 1000, "refused"), act(3, 1000, "accepted"), row(4, 1100), act(5, 1200, "refused"), act(6, 1300, "refused"), act(7, 1400, "refused")), ["act 2", "act 5", "act 6"]);
});

test("a page that is no branch tells of no act", () => assert.deepEqual(opened(0, act(1, 500, "refused")), []));

test("a branch that was made is named, and so is what it left behind", () => {
  Object.assign(page, { "[data-branch-path]": { textContent: "main/1" }, "#branches": { dataset: { note: "two acts were left" } } });
  const [made, note] = opened(0);
  assert.match(made, /main\/1/);
  assert.equal(note, "two acts were left");
});

test("a page that no act has opened, or one long ago, says nothing", () => {
  page["[data-branch-ms]"] = { dataset: { branchMs: "0" } };
  assert.deepEqual(opened(10_000, act(1, 500, "refused")), []);
  assert.deepEqual(kept, {});
});
