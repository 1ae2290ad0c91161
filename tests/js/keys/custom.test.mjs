import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { actionOf, bindingOf, keyShortcuts, keysOf, usedBy } from "../../../static/js/keys/bindings.js";
import { changed, resetOf } from "../../../static/js/keys/sheet.js";
import { hasCustomKeys, setCustomKeys } from "../../../static/js/keys/custom.js";

const press = (key, code, modifiers = {}) => /** @type {any} */ ({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });
const P = press("p", "KeyP");
const Z = press("z", "KeyZ");

beforeEach(() => {
  globalThis.document.documentElement = { dataset: {} };
});

test("a key of one's own does what the other did, which does nothing any more", () => {
  setCustomKeys(changed("predict", "KeyZ"));
  assert.equal(actionOf(Z), "predict");
  assert.equal(actionOf(P), undefined);
  assert.deepEqual([keysOf("predict"), keyShortcuts("predict")], ["Z", "Z"]);
});

test("two actions swap their keys", () => {
  setCustomKeys(changed("predict", "KeyE"));
  assert.deepEqual([actionOf(press("e", "KeyE")), actionOf(P)], ["predict", "why"]);
});

test("reset gives the first key back, to both where two were swapped", () => {
  setCustomKeys(changed("predict", "KeyE"));
  setCustomKeys(resetOf("predict"));
  assert.deepEqual([actionOf(P), actionOf(press("e", "KeyE")), hasCustomKeys()], ["predict", "why", false]);
});

test("an action with several keys keeps the others", () => {
  setCustomKeys(changed("zoomIn", "KeyZ"));
  assert.deepEqual([actionOf(Z), actionOf(press("+", "BracketRight"))], ["zoomIn", "zoomIn"]);
  assert.equal(keysOf("zoomIn"), "Z");
});

test("letters, digits and signs are switched off, others are not", () => {
  setCustomKeys({ own: {}, off: true });
  for (const event of [P, press("P", "KeyP", { shiftKey: true }), press("0", "Digit0"), press("/", "Slash"), press("?", "Slash", { shiftKey: true })]) assert.equal(actionOf(event), undefined);
  assert.deepEqual([press(" ", "Space"), press("ArrowRight", "ArrowRight"), press("F10", "F10", { shiftKey: true })].map(actionOf), ["play", "next", "act"]);
  assert.deepEqual([keysOf("predict"), keysOf("act")], ["", "Shift+F10"]);
});

test("keys of the browser are no keys of one's own", () => {
  assert.deepEqual([press("z", "KeyZ", { ctrlKey: true }), press("z", "KeyZ", { altKey: true }), press("F5", "F5"), press("Tab", "Tab")].map(bindingOf), ["", "", "", ""]);
  assert.deepEqual([Z, press("Z", "KeyZ", { shiftKey: true }), press(";", "Semicolon"), press("!", "Digit1", { shiftKey: true })].map(bindingOf), ["KeyZ", "Shift+KeyZ", ";", "Shift+Digit1"]);
});

test("nonsense that was kept changes nothing", () => {
  for (const words of ["{", "[]", '{"own":{"KeyP":3}}', "null"]) {
    globalThis.document.documentElement.dataset.ownKeys = words;
    assert.equal(usedBy("KeyP"), "predict");
  }
});
