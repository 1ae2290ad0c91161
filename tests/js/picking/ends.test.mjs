import assert from "node:assert/strict";
import { test } from "node:test";

import { endsOf, momentOf, moveTo, PickEnds } from "../../../static/js/picking/ends.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";
import { FakeElement, makeElements } from "../page.mjs";

const pick = (fields) => /** @type {any} */ ({ at_ms: 1230, then_ms: 0, within_ms: 0, from_ms: 0, until_ms: 0, ...fields });

test("the end of within keeps to tenths of a second after its record", () => {
  const [end] = endsOf(pick({ do: "within", within_ms: 5000 }));
  assert.equal(momentOf(end), 6230);
  moveTo(end, momentOf(end) + 1000);
  assert.equal(end.pick.within_ms, 6000);
  moveTo(end, 0);
  assert.equal(end.pick.within_ms, 100);
});

test("neither end of a stretch passes the other", () => {
  const [from, until] = endsOf(pick({ do: "holds", from_ms: 2000, until_ms: 5000 }));
  moveTo(from, 9000);
  assert.equal(from.pick.from_ms, 5000);
  moveTo(until, 1000);
  assert.equal(until.pick.until_ms, 5000);
});

test("no end goes beyond what a level may last", () => {
  const [, until] = endsOf(pick({ do: "holds" }));
  moveTo(until, 1e9);
  assert.equal(until.pick.until_ms, 7_200_000);
});

test("what must or must not happen has no end", () => {
  assert.deepEqual(endsOf(pick({ do: "must" })), []);
});

/** The ends of a pick on the lanes of two containers, with the calls of their handlers. */
function shown(own) {
  makeElements();
  globalThis.window = /** @type {any} */ (globalThis);
  const viewport = new Viewport();
  viewport.fit(0, 20_000);
  while (viewport.animate(16));
  const byId = new Map(["container/default/web/app", "container/default/api/app"].map((id) => [id, { id }]));
  const rows = [...byId.values()].map((lane, n) => ({ lane, y: 100 * n, h: 20 }));
  const store = { lanes: { byId }, get: (seq) => (seq ? { seq, subject: "container/default/api/app", machine: "container" } : null) };
  const revealed = [];
  const moving = [];
  const timeline = { viewport, rows, body: { scrollTop: 30 }, stage: Object.assign(new FakeElement("div"), { clientHeight: 400 }), run: { store }, overlays: [], element: new FakeElement("div"), reveal: (t_ms) => revealed.push(t_ms) };
  const ends = new PickEnds(timeline, { moving: () => moving.push(1), moved: () => {} });
  ends.show(own);
  const press = (handle, key, more = {}) => handle.listeners.keydown({ key, preventDefault() {}, stopPropagation() {}, ...more });
  return { ends, viewport, press, revealed, moving, handles: ends.shown.map(({ handle }) => handle) };
}

test("an end stands at its moment on the lane of its record, or at the top where that is not in sight", () => {
  const { handles, viewport } = shown(pick({ do: "within", seq: 4, within_ms: 5000 }));
  const [{ style, hidden, attributes }] = handles;
  assert.deepEqual([style.set.left, style.set.top, hidden], [`${Math.round(viewport.xOf(6230))}px`, "80px", false]);
  assert.deepEqual([attributes["aria-valuenow"], attributes["aria-valuetext"]], ["5000", "5 s"]);
  assert.equal(shown(pick({ do: "within", seq: 0, within_ms: 5000 })).handles[0].style.set.top, "14px");
});

test("an end that is out of sight is hidden", () => {
  const { handles } = shown(pick({ do: "holds", seq: 4, from_ms: 1000, until_ms: 900_000 }));
  assert.deepEqual(handles.map(({ hidden, attributes }) => [hidden, attributes["aria-valuenow"]]), [[false, "1000"], [true, "900000"]]);
});

test("arrow keys move an end by a second, with Shift by a tenth, and pages by ten", () => {
  const own = pick({ do: "holds", seq: 4, from_ms: 1000, until_ms: 5000 });
  const { handles, press, revealed, moving } = shown(own);
  for (const [key, more] of [["ArrowRight"], ["ArrowLeft", { shiftKey: true }], ["PageUp"], ["ArrowLeft", { ctrlKey: true }], ["x"]]) press(handles[1], key, more);
  assert.deepEqual([own.until_ms, revealed, moving.length], [15_900, [6000, 5900, 15_900], 3]);
});

test("only the first button drags an end, and it is asked for once it is let go", () => {
  const own = pick({ do: "holds", seq: 4, from_ms: 1000, until_ms: 5000 });
  const { handles, viewport, ends } = shown(own);
  const [, handle] = handles;
  const moved = [];
  ends.wishes.moved = ({ until_ms }) => moved.push(until_ms);
  const held = new Set();
  Object.assign(handle, { setPointerCapture: (id) => held.add(id), hasPointerCapture: (id) => held.has(id), releasePointerCapture: (id) => held.delete(id) });
  ends.timeline.stage.getBoundingClientRect = () => ({ left: 20 });
  const point = (name, more = {}) => handle.listeners[name]({ pointerId: 1, button: 0, clientX: 20 + viewport.xOf(9000), stopPropagation() {}, preventDefault() {}, ...more });
  for (const [name, more] of [["pointerdown", { button: 2 }], ["pointermove"], ["pointerup"]]) point(name, more);
  assert.deepEqual([own.until_ms, moved], [5000, []]);
  for (const name of ["pointerdown", "pointermove", "pointerup", "pointermove"]) point(name, name === "pointermove" && moved.length ? { clientX: 0 } : {});
  assert.deepEqual([own.until_ms, moved], [9000, [9000]]);
});
