import assert from "node:assert/strict";
import { before, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { SEARCH_MESSAGES } from "../../../static/js/search/messages.js";
import { SearchBox } from "../../../static/js/search/box.js";
import { FakeElement, makeElements, wordsOf } from "../page.mjs";
import { row, storeOf } from "../records.mjs";

before(() => {
  makeElements();
  addTexts(SEARCH_MESSAGES);
});

/** A search over Killing Events of a pod, one per second from 1 s on, with its list open; `done` has its effects on the page. */
function search({ events = 3, live = false, t_ms = 0 } = {}) {
  const store = storeOf(row(1, 0, { machine: "status_word", target: "Running" }), ...Array.from({ length: events }, (_, index) => row(index + 2, 1000 * (index + 1), { kind: "event", target: "Killing", data: { message: "Stopping" } })));
  const done = [];
  const run = { panelBase: "/at/", store, playhead: { seq: 1, t_ms, live, onFrame() {} }, looked() {}, seekTo: (seq) => done.push(seq) };
  const shown = { kept: null };
  const timeline = { run, view: { filter: (kept) => (shown.kept = kept) }, invalidate() {}, showLane() {}, element: { focus: () => done.push("lanes") } };
  const [input, list, panel, element] = ["input", "div", "div", "div"].map((tag) => new FakeElement(tag));
  Object.assign(input, { value: "", after() {} });
  panel.prepend = () => {};
  const box = new SearchBox(timeline, { input, list, panel, element });
  const press = (key, more = {}) => box.pressed({ key, shiftKey: false, isComposing: false, preventDefault() {}, stopPropagation() {}, ...more });
  return { box, done, shown, press, list, input, run };
}
const listed = ({ list }) => list.children.map(({ attributes }) => Number(attributes["data-at"]));

test("what is found is listed with its time, its pod and its sentence", async () => {
  const own = search();
  await own.box.set("killing");
  assert.deepEqual(own.list.children[1].textContent, "0:02.0webKilling: Stopping");
  assert.equal(own.box.count.textContent, "–/3");
});

test("a state that lasts says how long", async () => {
  const own = search();
  await own.box.set("> 1 s");
  assert.deepEqual(wordsOf(own.list.children, "find__long"), ["3 s"]);
});

test("an empty field shows examples and hides nothing", async () => {
  const own = search();
  await own.box.set("killing");
  await own.box.set("");
  assert.ok(own.list.children.every(({ attributes }) => attributes["data-example"]));
  assert.deepEqual([own.shown.kept, own.box.count.hidden, own.box.isActive], [null, true, false]);
});

test("where nothing fits, nothing is hidden", async () => {
  const own = search();
  await own.box.set("nothing-of-the-kind");
  assert.deepEqual([own.shown.kept, own.box.found], [null, []]);
  assert.equal(own.box.count.textContent, "0");
});

test("a query that says only where to look finds no instants, and counts the pods", async () => {
  const own = search();
  await own.box.set("pod:web");
  assert.deepEqual([own.box.found, own.box.count.textContent, [...own.shown.kept.pods]], [[], "1", ["default/web"]]);
});

test("what cannot be read finds nothing, and says so", async () => {
  const own = search();
  await own.box.set("killing after soon");
  assert.deepEqual(own.box.found, []);
  assert.match(own.box.note.textContent, /after soon/);
});

test("arrows go through the list in a circle", async () => {
  const own = search();
  await own.box.set("killing");
  const marks = ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"].map((key) => {
    own.press(key);
    return own.box.at;
  });
  assert.deepEqual(marks, [0, 1, 2, 0, 2]);
  assert.equal(own.box.count.textContent, "3/3");
  own.press("ArrowDown");
  assert.equal(own.box.count.textContent, "1/3");
});

test("of a long list the part around the mark is shown", async () => {
  const own = search({ events: 150 });
  await own.box.set("killing");
  const around = (at) => {
    own.box.mark(at);
    return [listed(own)[0], listed(own).length];
  };
  assert.deepEqual([around(0), around(50), around(51), around(149)], [[0, 100], [0, 100], [1, 100], [50, 100]]);
});

test("Enter goes to the mark, or to the next instant from the moment shown", async () => {
  const own = search({ t_ms: 1500 });
  await own.box.set("killing");
  own.press("Enter");
  assert.deepEqual([own.done, own.box.at, own.box.panel.hidden], [[3], 1, true]);
  const back = search({ t_ms: 1500 });
  await back.box.set("killing");
  back.press("Enter", { shiftKey: true });
  assert.deepEqual(back.done, [2]);
});

test("Enter at the mark that is shown goes on from it, in a circle", async () => {
  const own = search({ t_ms: 3000 });
  await own.box.set("killing");
  own.box.at = 2;
  own.press("Enter");
  own.run.playhead.t_ms = 1000;
  own.press("Enter", { shiftKey: true });
  assert.deepEqual(own.done, [2, 4]);
});

test("a live page begins at the first instant, and backwards at the last", async () => {
  for (const [shiftKey, seq] of [[false, 2], [true, 4]]) {
    const own = search({ live: true, t_ms: 9000 });
    await own.box.set("killing");
    own.press("Enter", { shiftKey });
    assert.deepEqual(own.done, [seq]);
  }
});

test("a mark at the moment of a live page is gone to all the same", async () => {
  const own = search({ live: true, t_ms: 3000 });
  await own.box.set("killing");
  own.box.at = 2;
  own.press("Enter");
  assert.deepEqual(own.done, [4]);
});

test("an example that is marked is searched for", async () => {
  const own = search();
  own.box.mark(2);
  own.press("Enter");
  assert.equal(own.input.value, "BackOff");
});

test("what is marked stays so when more is found before it", async () => {
  const own = search();
  await own.box.set("killing");
  own.box.mark(1);
  own.run.store.append([row(5, 4000, { kind: "event", target: "Killing" })]);
  own.box.refresh();
  assert.deepEqual([own.box.found.length, own.box.at], [4, 1]);
});

test("nothing is searched for again before there is more", async () => {
  const own = search();
  await own.box.set("killing");
  const { found } = own.box;
  own.box.refresh();
  assert.equal(own.box.found, found);
});

test("a state at the moment shown is looked for again as time goes on", async () => {
  const own = search();
  await own.box.set("is:running killing");
  const { found } = own.box;
  own.box.refresh();
  assert.notEqual(own.box.found, found);
});

test("a search is forgotten once", async () => {
  const own = search();
  await own.box.set("killing");
  assert.deepEqual([own.box.clear(), own.box.clear(), own.box.isActive], [true, false, false]);
});

test("Escape closes the list and leads to the lanes, and a key that composes a letter does nothing", async () => {
  const own = search();
  await own.box.set("killing");
  own.press("Escape", { isComposing: true });
  assert.equal(own.box.panel.hidden, false);
  own.press("Escape");
  assert.deepEqual([own.box.panel.hidden, own.done], [true, ["lanes"]]);
});
