import "../setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, asksForCommands, keysOf } from "../../../static/js/keys/bindings.js";

const press = (key, code, modifiers = {}) => ({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });

test("Ctrl+K or Command+K asks for the commands, by the letter, or by its place where the layout has no such letter", () => {
  assert.equal(asksForCommands(press("k", "KeyK", { ctrlKey: true })), true);
  assert.equal(asksForCommands(press("k", "KeyV", { metaKey: true })), true);
  assert.equal(asksForCommands(press("л", "KeyK", { ctrlKey: true })), true);
  assert.equal(asksForCommands(press("t", "KeyK", { ctrlKey: true })), false);
  for (const modifiers of [{}, { ctrlKey: true, shiftKey: true }, { ctrlKey: true, altKey: true }, { ctrlKey: true, metaKey: true }]) assert.equal(asksForCommands(press("k", "KeyK", modifiers)), false);
  assert.equal(actionOf(press("k", "KeyK", { ctrlKey: true })), undefined);
});

test("keys are written as the sheet writes them", () => {
  assert.deepEqual(["play", "next", "secondBack", "fit", "describe", "search", "commands", "rail"].map(keysOf), ["Space", "→", "Shift+←", "0", "Shift+D", "/", "Ctrl+K", ""]);
});
