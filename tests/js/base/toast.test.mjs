import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { toast } from "../../../static/js/base/toast.js";
import { makeElements } from "../page.mjs";

/** The corner with the messages, and when each of them disappears. */
let region;
let goes;

beforeEach(() => {
  makeElements();
  goes = [];
  region = { children: [], append: (item) => region.children.push(item), get firstElementChild() { return { remove: () => region.children.shift() }; } };
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "#toasts" ? region : null));
  globalThis.window = /** @type {any} */ ({ setTimeout: (_, ms) => goes.push(ms) });
});

test("a message goes after some seconds, a bad one stays twice as long", () => {
  toast("a");
  toast("b", "bad");
  assert.deepEqual([region.children.map(({ textContent, attributes }) => `${attributes["data-tone"]} ${textContent}`), goes], [["info a", "bad b"], [4500, 9000]]);
});

test("of a burst the last four are shown", () => {
  for (const words of ["a", "b", "c", "d", "e"]) toast(words);
  assert.deepEqual(region.children.map(({ textContent }) => textContent), ["b", "c", "d", "e"]);
});

test("an empty message is none, and a page without a corner shows none", () => {
  toast("");
  globalThis.document.querySelector = () => null;
  toast("a");
  assert.deepEqual(region.children, []);
});
