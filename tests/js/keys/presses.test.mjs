import "../setup.mjs";

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { actionOf, bindingOf, isOff, keyShortcuts, keysOf, useLayout, wireKeys, written, writtenOf } from "../../../static/js/keys/bindings.js";
import { setCustomKeys } from "../../../static/js/keys/custom.js";
import { changed, defaultKeys } from "../../../static/js/keys/sheet.js";

const press = (key, code, modifiers = {}) => ({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });

beforeEach(() => {
  globalThis.document.documentElement = { dataset: {} };
});
afterEach(() => useLayout({ get: () => undefined }));

test("letters are read by their place, signs and names by what they write", () => {
  assert.deepEqual([press("p", "KeyP"), press("з", "KeyP"), press("/", "Digit7"), press("ArrowRight", "ArrowRight"), press(" ", "Space"), press("1", "Digit1")].map(actionOf), ["predict", "predict", "search", "next", "play", "speed1"]);
});

test("Shift is part of a letter's key, and of a sign what it writes", () => {
  const shift = { shiftKey: true };
  assert.deepEqual([press("P", "KeyP", shift), press("?", "Minus", shift), press(">", "Period", shift), press("Enter", "Enter", shift), press("X", "KeyX", shift)].map(actionOf), ["pin", "help", "commands", "card", undefined]);
});

test("keys with Ctrl, Alt or Command are the browser's", () => {
  for (const name of ["ctrlKey", "altKey", "metaKey"]) assert.deepEqual([actionOf(press("p", "KeyP", { [name]: true })), bindingOf(press("p", "KeyP", { [name]: true }))], [undefined, ""]);
});

test("a key is written by its place with Shift, or by what it writes", () => {
  const shift = { shiftKey: true };
  assert.deepEqual([press("p", "KeyP"), press("P", "KeyP", shift), press("!", "Digit1", shift), press("Enter", "Enter", shift), press("?", "Minus", shift), press("F5", "F5"), press("Tab", "Tab"), press("Dead", "BracketLeft")].map(bindingOf), ["KeyP", "Shift+KeyP", "Shift+Digit1", "Shift+Enter", "?", "", "", ""]);
});

test("letters, digits and signs can be put off, other keys go on", () => {
  setCustomKeys({ own: {}, off: true });
  assert.deepEqual(["KeyP", "Shift+KeyP", "Digit0", "/", "?", " ", "Enter", "ArrowUp", "Shift+Enter"].map(isOff), [true, true, true, true, true, false, false, false, false]);
  assert.deepEqual([actionOf(press("p", "KeyP")), actionOf(press(" ", "Space")), keysOf("predict"), keysOf("play")], [undefined, "play", "", "Space"]);
  setCustomKeys({ own: {}, off: false });
  assert.equal(isOff("KeyP"), false);
});

test("keys are written as the reader's layout has them, chords by their letter", () => {
  useLayout({ get: (code) => ({ KeyP: "з", KeyK: "л" })[code] });
  assert.deepEqual([written("KeyP"), written("Shift+KeyP"), written("KeyZ"), written("Mod+KeyK")], ["З", "Shift+З", "Z", "Ctrl+K"]);
});

test("names of keys are written in short, and a plus is one", () => {
  assert.deepEqual(["Escape", "PageUp", "Shift+ArrowLeft", "+", "Digit0"].map(written), ["Esc", "PgUp", "Shift+←", "+", "0"]);
});

test("the key of an action is told whether it works or not, and that of a key itself", () => {
  setCustomKeys({ own: {}, off: true });
  assert.deepEqual([writtenOf("predict"), writtenOf("none"), writtenOf("Shift+KeyP", true)], ["P", "", "Shift+P"]);
});

test("keys are told to readers of the screen by their letters, a plus by its name", () => {
  assert.deepEqual(["predict", "pin", "play", "fit", "none"].map(keyShortcuts), ["P", "Shift+P", "Space", "0", ""]);
  setCustomKeys({ own: { "+": "predict" }, off: false });
  assert.equal(keyShortcuts("predict"), "plus");
});

/** What a page does at a press. */
function pressed(event, { target = {}, dialog = null } = {}) {
  const done = [];
  const region = { addEventListener: (_, listener) => (region.listener = listener) };
  const page = {};
  globalThis.Element = class {};
  globalThis.document.addEventListener = (_, listener) => (page.listener = listener);
  globalThis.document.querySelector = () => dialog;
  wireKeys(region, { play: () => done.push("play"), predict: () => done.push("predict"), commands: () => done.push("commands") });
  const whole = { defaultPrevented: false, preventDefault: () => done.push("kept"), target: Object.assign(new globalThis.Element(), { closest: () => null }, target), ...event };
  region.listener(whole);
  page.listener(whole);
  return done;
}
const onButton = { closest: (selector) => (selector.startsWith("button") ? {} : null) };

test("a press does its action and nothing else does", () => assert.deepEqual([pressed(press("p", "KeyP")), pressed(press("z", "KeyZ"))], [["kept", "predict"], []]));

test("a press that something else has taken, or that is typed, does nothing", () => {
  assert.deepEqual([pressed({ ...press("p", "KeyP"), defaultPrevented: true }), pressed(press("p", "KeyP"), { target: { closest: (selector) => (selector.startsWith("input") ? {} : null) } })], [[], []]);
});

test("Space and Enter press the button that has the focus, other keys keep their meaning on it", () => {
  assert.deepEqual([pressed(press(" ", "Space"), { target: onButton }), pressed(press(" ", "Space")), pressed(press("p", "KeyP"), { target: onButton })], [[], ["kept", "play"], ["kept", "predict"]]);
});

test("the list of commands is asked for from anywhere but a dialog", () => {
  const chord = press("k", "KeyK", { ctrlKey: true });
  assert.deepEqual([pressed(chord), pressed(chord, { dialog: {} }), pressed({ ...chord, defaultPrevented: true })], [["kept", "commands"], [], []]);
});

test("keys that are as they were made are not kept, and are told of as they were", () => {
  setCustomKeys({ own: {}, off: false });
  assert.deepEqual([globalThis.document.documentElement.dataset.ownKeys, defaultKeys("predict"), defaultKeys("act").length], ["", ["P"], 3]);
});

test("an action without a key of its own gets one, and takes none from another", () => assert.deepEqual(changed("rail", "KeyJ"), { own: { KeyJ: "rail" }, off: false }));
