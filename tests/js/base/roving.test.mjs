import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { rove } from "../../../static/js/base/roving.js";

/** The tasks for when the page has been drawn. */
let later;

beforeEach(() => {
  later = [];
  globalThis.requestAnimationFrame = (task) => task();
  globalThis.setTimeout = /** @type {any} */ ((task) => later.push(task));
  globalThis.document.activeElement = null;
});

const stop = (more = {}) => ({
  dataset: {},
  ariaCurrent: null,
  tab: "",
  sets: 0,
  checkVisibility: () => true,
  getAttribute() { return this.tab; },
  setAttribute(_, value) { Object.assign(this, { tab: value, sets: this.sets + 1 }); },
  ...more,
});
/** A group of stops, in a part of the page that may be inside another one. */
function part(stops, inner = []) {
  const group = { querySelectorAll: () => stops };
  return { group, stops, querySelectorAll: () => [group, ...inner.map((each) => each.group)], contains: (other) => inner.includes(other) };
}
/** The index of the tab stop, once the page has been drawn. */
function stopOf(stops) {
  rove(/** @type {any} */ (part(stops)));
  for (const task of later.splice(0)) task();
  return stops.findIndex(({ tab }) => tab === "0");
}

test("the stop is what has the focus, else what is current, else what is marked, else the first", () => {
  const stops = [stop(), stop({ dataset: { rovingStop: "" } }), stop({ ariaCurrent: "true" }), stop()];
  globalThis.document.activeElement = /** @type {any} */ (stops[3]);
  assert.equal(stopOf(stops), 3);
  globalThis.document.activeElement = null;
  assert.equal(stopOf(stops), 2);
  stops[2].ariaCurrent = "false";
  assert.equal(stopOf(stops), 1);
  stops[1].dataset = {};
  assert.equal(stopOf(stops), 0);
  assert.deepEqual(stops.map(({ tab }) => tab), ["0", "-1", "-1", "-1"]);
});

test("what cannot be seen is no stop, unless nothing can be", () => {
  const hidden = () => stop({ checkVisibility: () => false });
  assert.deepEqual([stopOf([hidden(), stop()]), stopOf([hidden(), hidden()])], [1, 0]);
});

test("what has changed is put in order once, with the part around it", () => {
  const inner = part([stop(), stop()]);
  const outer = part([stop()], [inner]);
  const other = part([stop()]);
  for (const each of [inner, outer, other, outer]) rove(/** @type {any} */ (each));
  assert.equal(later.length, 1);
  later[0]();
  assert.deepEqual([inner, outer, other].map(({ stops }) => stops.map(({ sets }) => sets)), [[1, 1], [1], [1]]);
});
