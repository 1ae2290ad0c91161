import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { keptPoint, openFocused, wireCard } from "../../../static/js/timeline/pinned-card.js";
import { FakeElement } from "../page.mjs";
import { pen } from "../picture.mjs";

/** @type {Record<string, (event: object) => void>} */
let listeners;

beforeEach(() => {
  listeners = {};
  globalThis.HTMLElement = /** @type {any} */ (FakeElement);
  globalThis.Node = /** @type {any} */ (FakeElement);
  globalThis.addEventListener = /** @type {any} */ ((name, listener) => (listeners[name] = listener));
  Object.assign(globalThis.document, { activeElement: null, addEventListener: (name, listener) => (listeners[name] = listener) });
});

const span = (t0, t1) => ({ t0, t1, seq: t0, tone: "ready", text: "Running", data: {} });

/** What a card shows when it is opened by a key at a moment, and what it remembers. */
async function opened({ kind = "container", spans = [], marks = [], t_ms = 500, row = {}, active = null } = {}) {
  const pinned = [];
  const card = { element: { children: [{ innerText: "a" }, { innerText: "b" }] }, pin: async (hit, x) => pinned.push([hit.span?.t0 ?? null, hit.marks?.map(({ t }) => t) ?? null, x]), returns: null };
  const said = [];
  const element = new FakeElement("div");
  globalThis.document.activeElement = active?.(element) ?? null;
  const { viewport } = pen();
  await openFocused(card, { navigator: { row: row && { lane: { kind, spans, marks }, isOld: false, ...row } }, run: { playhead: { t_ms } }, viewport, element, spoken: { say: (words) => said.push(words) } });
  return { pinned, said, returns: card.returns, element };
}

test("the card of the focused lane tells of what it shows at the playhead, within the window", async () => {
  const at = async (t_ms) => (await opened({ spans: [span(-500, 2000)], t_ms })).pinned[0];
  assert.deepEqual([await at(500), await at(-200), await at(1500)], [[-500, null, 500], [-500, null, 0], [-500, null, 1000]]);
});

test("a lane without spans tells of its last mark, and so does a probe", async () => {
  const marks = [{ t: 100 }, { t: 500 }, { t: 501 }];
  assert.deepEqual([(await opened({ kind: "events", marks })).pinned, (await opened({ kind: "probe", spans: [span(0, 900)], marks })).pinned, (await opened({ spans: [span(0, 900)], marks })).pinned], [[[null, [500], 500]], [[null, [500], 500]], [[0, null, 500]]]);
});

test("a lane that shows nothing, one of the old future, or none has no card", async () => {
  assert.deepEqual([(await opened()).pinned, (await opened({ spans: [span(0, 900)], row: { isOld: true } })).pinned, (await opened({ row: null })).pinned], [[], [], []]);
});

test("the card is read out, and the focus goes back to where it was among the lanes", async () => {
  const spans = [span(0, 900)];
  const inside = await opened({ spans, active: (element) => (element.append(new FakeElement("a")), element.children[0]) });
  assert.deepEqual([inside.said, inside.returns === inside.element.children[0]], [["a. b"], true]);
  const outside = await opened({ spans, active: () => new FakeElement("a") });
  assert.equal(outside.returns, outside.element);
});

test("a card stands below its row, beside the names", () => {
  const parent = { querySelector: (selector) => (selector.endsWith("body") ? { offsetTop: 100, scrollTop: 30 } : { offsetWidth: 200 }) };
  assert.deepEqual(keptPoint(/** @type {any} */ (parent), { y: 50, h: 20 }, 10), { x: 210, y: 140, over: 20 });
  assert.deepEqual(keptPoint(/** @type {any} */ ({ querySelector: () => null }), { y: 50, h: 20 }, 10), { x: 10, y: 70, over: 20 });
});

/** A card that is pinned, or not, and the calls it receives. */
function wired(pinned) {
  const done = [];
  const element = new FakeElement("div");
  const controls = [0, 1].map((index) => Object.assign(new FakeElement("a"), { focus: () => done.push(`focus ${index}`) }));
  element.append(...controls);
  element.querySelectorAll = () => controls;
  const parent = Object.assign(new FakeElement("div"), { focus: () => done.push("lanes") });
  let frame = () => {};
  const card = { element, parent, pinned, about: new Set([7]), returns: null, unpin: () => done.push("unpin"), refresh: () => done.push("refresh"), run: { playhead: { onFrame: (listener) => (frame = listener) } } };
  wireCard(card);
  const key = (name, more = {}) => parent.listeners.keydown({ key: name, shiftKey: false, target: parent, preventDefault: () => done.push("taken"), stopPropagation() {}, ...more });
  return { card, done, controls, key, frame: () => frame() };
}

test("a card that is kept open is let go by a press outside, a resize or another selection", () => {
  const { done, controls } = wired(true);
  listeners.pointerdown({ target: controls[0] });
  listeners["run:select"]({ detail: { rec: 7 } });
  assert.deepEqual(done, []);
  listeners.pointerdown({ target: new FakeElement("x") });
  listeners.resize();
  listeners["run:select"]({ detail: { rec: 8 } });
  assert.deepEqual(done, ["unpin", "unpin", "unpin"]);
});

test("time goes on in a card that is kept open", () => {
  const [open, not] = [wired(true), wired(false)];
  open.frame();
  not.frame();
  assert.deepEqual([open.done, not.done], [["refresh"], []]);
});

test("a card that is not kept open takes no key and no press", () => {
  const { done, key } = wired(false);
  listeners.pointerdown({ target: new FakeElement("x") });
  listeners.resize();
  listeners["run:select"]({ detail: { rec: 8 } });
  key("Escape");
  assert.deepEqual(done, []);
});

test("Esc lets a card go, Tab goes into one that a key opened, Shift+Tab back from its first control", () => {
  const own = wired(true);
  own.key("Escape");
  own.key("Tab");
  own.key("x");
  assert.deepEqual(own.done.splice(0), ["unpin", "taken"]);
  own.card.returns = { focus: () => own.done.push("back") };
  own.key("Tab");
  own.key("Tab", { target: own.controls[0] });
  own.key("Tab", { shiftKey: true, target: own.controls[1] });
  assert.deepEqual(own.done.splice(0), ["focus 0", "taken"]);
  own.key("Tab", { shiftKey: true, target: own.controls[0] });
  assert.deepEqual(own.done, ["back", "taken"]);
});

test("Tab goes into a card that was opened by a key and back, other keys and places are left alone", () => {
  const { card, done, controls, key } = wired(true);
  const does = (name, more) => (key(name, more), done.splice(0));
  assert.deepEqual(does("Tab"), []);
  card.returns = Object.assign(new FakeElement("a"), { focus: () => done.push("back") });
  assert.deepEqual(does("Tab"), ["focus 0", "taken"]);
  assert.deepEqual([does("a"), does("Tab", { target: controls[0] }), does("Tab", { shiftKey: true }), does("Tab", { shiftKey: true, target: controls[1] })], [[], [], [], []]);
  assert.deepEqual(does("Tab", { shiftKey: true, target: controls[0] }), ["back", "taken"]);
  card.returns = null;
  assert.deepEqual(does("Tab", { shiftKey: true, target: controls[0] }), ["lanes", "taken"]);
});
