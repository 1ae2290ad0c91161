import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { csrfToken, setHidden, isTyping, jsonBlock, make, setAttributes, setText, showText, textScale, throttle } from "../../../static/js/base/dom.js";
import { wireRoving } from "../../../static/js/base/roving.js";
import { FakeElement, makeElements } from "../page.mjs";

beforeEach(() => {
  makeElements();
  globalThis.Text = /** @type {any} */ (class {});
  globalThis.Element = /** @type {any} */ (FakeElement);
});

test("an element is made with its words, class, attributes and children", () => {
  const made = make("p", { class: "a b", title: "t", hidden: true, "aria-x": false, "data-y": undefined }, ["words"]);
  assert.deepEqual([made.tag, made.className, made.attributes, made.textContent], ["p", "a b", { title: "t", hidden: "" }, "words"]);
  assert.equal(make("p", { text: "<b>" }).textContent, "<b>");
});

test("attributes and visibility that are so already are not set again", () => {
  const set = [];
  const element = { hidden: false, getAttribute: () => "1", setAttribute: (name, value) => set.push(`${name}=${value}`) };
  setAttributes(/** @type {any} */ (element), { a: "1", b: "2" });
  setAttributes(null, { a: "2" });
  assert.deepEqual(set, ["b=2"]);
  const turned = [];
  const watched = { get hidden() { return turned.at(-1) ?? false; }, set hidden(is) { turned.push(is); } };
  for (const is of [false, true, true, false]) setHidden(/** @type {any} */ (watched), is);
  assert.deepEqual(turned, [true, false]);
});

test("the same words again change nothing, new ones take the place of the old in the same text", () => {
  const text = Object.assign(new globalThis.Text(), { data: "old" });
  const element = { firstChild: text, lastChild: text, textContent: "old" };
  setText(/** @type {any} */ (element), "new");
  assert.deepEqual([text.data, element.textContent], ["new", "old"]);
  const other = { firstChild: text, lastChild: {}, textContent: "old" };
  setText(/** @type {any} */ (other), "new");
  assert.equal(other.textContent, "new");
  assert.doesNotThrow(() => setText(null, "x"));
});

test("places for words are hidden while there are none", () => {
  const place = new FakeElement("p");
  globalThis.document.querySelectorAll = () => [place];
  showText("p", "");
  assert.equal(place.hidden, true);
  showText("p", "x");
  assert.deepEqual([place.hidden, place.textContent], [false, "x"]);
});

test("letters are as large as the reader has them, and never smaller than usual", () => {
  const scale = (fontSize) => {
    globalThis.getComputedStyle = /** @type {any} */ (() => ({ fontSize }));
    return textScale();
  };
  assert.deepEqual([scale("30px"), scale("15px"), scale("7px"), scale("")], [2, 1, 1, 1]);
});

test("a block of JSON is read, and is nothing where it is not there or broken", () => {
  const block = (content) => {
    globalThis.document.getElementById = /** @type {any} */ (() => (content === null ? null : { textContent: content }));
    return jsonBlock("x");
  };
  assert.deepEqual([block('{"a": 1}'), block(null), block("{"), block("")], [{ a: 1 }, null, null, null]);
  globalThis.document.getElementById = () => null;
});

test("a task runs at once, and of the calls within the wait the last one when it is over", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.window = /** @type {any} */ ({ setTimeout: (...args) => setTimeout(...args) });
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  const done = [];
  const slowly = throttle(100, (what) => done.push(what));
  slowly("a");
  slowly("b");
  slowly("c");
  assert.deepEqual(done, ["a"]);
  now += 100;
  context.mock.timers.tick(100);
  assert.deepEqual(done, ["a", "c"]);
  slowly("d");
  now += 100;
  slowly("e");
  assert.deepEqual(done, ["a", "c", "e"]);
});

test("what has the focus wants the keys itself where something is typed", () => {
  const target = (found) => Object.assign(new FakeElement("x"), { closest: () => found });
  assert.deepEqual([isTyping(target({})), isTyping(target(null)), isTyping(null)], [true, false, false]);
});

/** A group of three stops, the first of which is pressed; `at` has the position of each. */
function pressed(key, { role = null, roving = "", at = [0, 1, 2], from = 0, ...modifiers } = {}) {
  const focused = [];
  const stops = at.map((top, index) => Object.assign(new FakeElement("a"), { checkVisibility: () => true, getBoundingClientRect: () => ({ top }), focus: () => focused.push(index) }));
  const group = { role, dataset: { roving }, querySelectorAll: () => stops };
  Object.assign(stops[from], { closest: (selector) => (selector === "[data-roving]" ? group : stops[from]) });
  const root = { addEventListener: (_, listener) => (root.listener = listener) };
  wireRoving(/** @type {any} */ (root));
  let isTaken = false;
  root.listener({ target: stops[from], key, preventDefault: () => (isTaken = true), stopPropagation() {}, ...modifiers });
  return [focused[0] ?? null, isTaken];
}

test("arrows go along and across a group, Home and End to its ends", () => {
  assert.deepEqual(["ArrowRight", "ArrowDown", "End", "ArrowLeft", "x"].map((key) => pressed(key)), [[1, true], [1, true], [2, true], [null, true], [null, false]]);
  assert.deepEqual(["ArrowLeft", "ArrowUp", "Home"].map((key) => pressed(key, { from: 2 })), [[1, true], [1, true], [0, true]]);
});

test("a toolbar is gone through to the sides, a column up and down, and their Home and End are those of time", () => {
  assert.deepEqual(["ArrowRight", "ArrowDown", "Home"].map((key) => pressed(key, { role: "toolbar" })), [[1, true], [null, false], [null, false]]);
  assert.deepEqual(["ArrowRight", "ArrowDown", "End"].map((key) => pressed(key, { roving: "column" })), [[null, false], [1, true], [null, false]]);
});

test("a column is gone through in the order seen", () => assert.deepEqual(pressed("ArrowDown", { roving: "column", at: [5, 9, 7] }), [2, true]));

test("arrows with another key are not the group's", () => {
  for (const name of ["ctrlKey", "metaKey", "altKey", "shiftKey"]) assert.deepEqual(pressed("ArrowDown", { [name]: true }), [null, false]);
});

test("the CSRF token is the page's, or empty where it has none", () => {
  const token = (dataset) => {
    globalThis.document.body = /** @type {any} */ ({ dataset });
    return csrfToken();
  };
  assert.deepEqual([token({ csrf: "abc" }), token({})], ["abc", ""]);
});
