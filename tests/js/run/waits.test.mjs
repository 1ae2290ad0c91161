import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { LATER_MESSAGES } from "../../../static/js/later/messages.js";

/** @param {string} tag */
function element(tag) {
  const children = /** @type {any[]} */ ([]);
  return { tag, dataset: {}, hidden: false, textContent: "", children, setAttribute() {}, append: (/** @type {any[]} */ ...more) => children.push(...more), get firstElementChild() { return children[0]; } };
}
addTexts(LATER_MESSAGES);
globalThis.document.createElement = /** @type {any} */ (element);
const { FORGOTTEN_MS, showWaits } = await import("../../../static/js/run/waits.js");

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

/** A page whose transport bar takes the line. */
function page() {
  const bar = element("div");
  const find = (/** @type {string} */ selector) => (selector === "#transport" ? bar : (bar.children[0] ?? null));
  return { bar, main: /** @type {any} */ ({ querySelector: find }) };
}

test("a process that says nothing any more is forgotten", () => {
  const { bar, main } = page();
  let now = 0;
  showWaits(main, { process: "c", who: ["kubectl"] }, () => now);
  now = FORGOTTEN_MS + 1;
  mock.timers.tick(FORGOTTEN_MS + 2);
  assert.equal(bar.children[0].hidden, true);
});

test("a process is not forgotten before its time is up", () => {
  const { bar, main } = page();
  let now = 0;
  showWaits(main, { process: "e", who: ["kubectl"] }, () => now);
  now = FORGOTTEN_MS;
  showWaits(main, { process: "f", who: [] }, () => now);
  assert.equal(bar.children[0].hidden, false);
  showWaits(main, { process: "e", who: [] }, () => now);
});

test("it is said how many more wait than are named", () => {
  const { bar, main } = page();
  const words = (who) => {
    showWaits(main, { process: "d", who }, () => 0);
    return bar.children[0].firstElementChild.textContent;
  };
  const [all, more] = [words(["a", "b"]), words(["a", "b", "", "", ""])];
  assert.ok(all.includes("a, b") && !/\d/.test(all), all);
  assert.ok(more.includes("a, b") && more.includes("3"), more);
  showWaits(main, { process: "d", who: [] }, () => 0);
});

test("who waits is named until nobody waits", () => {
  const { bar, main } = page();
  showWaits(main, { process: "a", who: [] }, () => 0);
  assert.equal(bar.children.length, 0);
  showWaits(main, { process: "a", who: ["kubectl wait pods/web (kubectl/v1.37.1)", ""] }, () => 0);
  const [line] = bar.children;
  assert.ok(line.firstElementChild.textContent.includes("kubectl wait pods/web") && line.firstElementChild.textContent.includes("1"));
  assert.equal(line.children[1].dataset.do, "play");
  showWaits(main, { process: "b", who: ["helm"] }, () => 0);
  showWaits(main, { process: "a", who: [] }, () => 0);
  assert.deepEqual([line.hidden, line.firstElementChild.textContent.includes("helm")], [false, true]);
  showWaits(main, { process: "b", who: [] }, () => 0);
  assert.equal(line.hidden, true);
});
