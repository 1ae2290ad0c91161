import assert from "node:assert/strict";
import { test } from "node:test";
import "../setup.mjs";

const { acceptDrops, SIZE_MAX, textOf } = await import("../../../static/js/editor/files.js");

/** @param {string} words @param {number} [size] */
const file = (words, size = words.length) => /** @type {any} */ ({ size, text: async () => words });

test("files as large as the site takes become the text", async () => {
  assert.equal(await textOf([file("a: 1\n", SIZE_MAX - 5), file("b: 1\n")]), "a: 1\n---\nb: 1\n");
});

test("files that are larger together are refused unread", async () => {
  assert.equal(await textOf([file("a: 1\n", SIZE_MAX - 4), file("b: 1\n")]), null);
});

/** An element that accepts files, and the effects of events. */
function dropped() {
  const taken = [];
  const inside = new globalThis.Node();
  const element = { dataset: {}, listeners: {}, addEventListener: (name, listener) => (element.listeners[name] = listener), contains: (other) => other === inside };
  acceptDrops(/** @type {any} */ (element), (files) => taken.push(...files));
  const tell = (name, more = {}) => {
    let isOurs = false;
    element.listeners[name]({ dataTransfer: { types: ["Files"], files: ["a"] }, relatedTarget: null, preventDefault: () => (isOurs = true), stopPropagation() {}, ...more });
    return isOurs;
  };
  return { element, inside, taken, tell };
}
globalThis.Node ??= /** @type {any} */ (class {});

test("an element shows that files would be dropped on it, until they leave it or are dropped", () => {
  const { element, inside, tell } = dropped();
  const shown = (name, more) => (tell(name, more), element.dataset.drop ?? "");
  assert.deepEqual([shown("dragover"), shown("dragleave", { relatedTarget: inside }), shown("dragleave", { relatedTarget: new globalThis.Node() })], ["true", "true", ""]);
  assert.deepEqual([shown("dragover"), shown("dragleave"), shown("dragover"), shown("drop")], ["true", "", "true", ""]);
});

test("files that are dropped are taken, text and an empty drop are left to the browser", () => {
  const { taken, tell } = dropped();
  assert.deepEqual([tell("drop", { dataTransfer: { types: ["text/plain"], files: [] } }), tell("drop", { dataTransfer: { types: ["Files"], files: [] } }), tell("drop", { dataTransfer: null })], [false, false, false]);
  assert.deepEqual([tell("dragover", { dataTransfer: { types: ["text/plain"] } }), tell("drop"), taken], [false, true, ["a"]]);
});
