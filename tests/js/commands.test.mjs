import "./setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosen } from "../../static/js/commands/box.js";
import { fits } from "../../static/js/commands/match.js";
import { actionOf, asksForCommands, keysOf } from "../../static/js/keys.js";
import { keyedActions } from "../../static/js/keys-sheet.js";

const best = (typed, ...labels) => labels.map((label) => [fits(typed, { label }), label]).filter(([worth]) => worth).sort((a, b) => b[0] - a[0]).map(([, label]) => label);

test("the beginning of the name is better than that of a word, and that better than a word's inside", () => {
  assert.deepEqual(best("pod", "Podiums", "Delete pod", "Tripods"), ["Podiums", "Delete pod", "Tripods"]);
});

test("every word must be found, in any order", () => {
  assert.deepEqual(best("pod del", "Delete pod", "Delete node", "Pods"), ["Delete pod"]);
});

test("letters in their order are enough while they stand close", () => {
  assert.deepEqual(best("gtn", "Go to now", "Greatly improved tests with nothing"), ["Go to now"]);
  assert.equal(fits("zz", { label: "Fuzzy" }) > 0, true);
  assert.equal(fits("xq", { label: "Exit quickly" }), 0);
});

test("what stands beside the name is found by the beginning of its words alone", () => {
  const named = { label: "Restart rollout", more: "kubectl rollout restart deployment/web" };
  assert.equal(fits("kubectl", named) > 0, true);
  assert.equal(fits("ployment", named), 0);
});

test("a word in a language without spaces is found wherever it stands", () => {
  assert.equal(fits("删除", { label: "强制删除 Pod" }) > 0, true);
});

test("nothing typed fits everything alike", () => {
  assert.equal(fits("  ", { label: "anything" }), 1);
});

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

test("lines of the sheet that mean one action name it, others do not", () => {
  const told = keyedActions();
  assert.equal(told.get("share"), "copy a link to this moment");
  assert.equal(told.get("act"), "actions on the selection");
  assert.equal(told.has("zoomIn"), false);
});

const command = (label, group, more = {}) => ({ label, group, ...more });
const LISTED = [command("Tripods", "a"), command("Go to now", "a"), command("Delete pod", "b"), command("Podiums", "b"), command("Ask in the reasons", "c", { always: true })];

test("the best group comes first and in it what fits best; what always fits stands behind what fits well", () => {
  assert.deepEqual(chosen(LISTED, "pod").map(({ label }) => label), ["Podiums", "Delete pod", "Ask in the reasons", "Tripods"]);
});

test("without a word every command stands where it was", () => assert.deepEqual(chosen(LISTED, " "), LISTED));
