import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { actText, addTexts, byActor, hasText, loadRules, ruleDoc, ruleSentence, stepText, takeRules, text } from "../../../static/js/base/i18n.js";
import { MESSAGES } from "../../../static/js/base/messages.js";

const NONE = { rules: {}, docs: {}, headlines: {}, acts: {} };

afterEach(() => takeRules(NONE));

test("text is filled in, and an unknown key shows itself", () => {
  assert.equal(text("live.behind", { time: "12 s" }), "Live · 12 s behind");
  assert.deepEqual([text("no.such.key"), hasText("no.such.key"), hasText("live.behind")], ["no.such.key", false, true]);
});

test("no text is empty", () => assert.deepEqual(Object.entries(MESSAGES).filter(([, words]) => !words.trim()), []));

test("one is told of in the words for one, any other number in those for more", () => {
  addTexts({ "test.count": "{n} {n:pod is|pods are} there" });
  assert.deepEqual([1, "1", 0, 2].map((n) => text("test.count", { n })), ["1 pod is there", "1 pod is there", "0 pods are there", "2 pods are there"]);
});

test("a value that is not there leaves its place empty, one that is 0 is there", () => {
  addTexts({ "test.value": "<{value}>" });
  assert.deepEqual([{}, { value: null }, { value: "" }, { value: 0 }].map((values) => text("test.value", values)), ["<>", "<>", "<>", "<0>"]);
});

test("a step is told by its headline, else by that of its machine, else by its rule", () => {
  takeRules({ ...NONE, headlines: { "m.on": "{name} is on", "m.": "{name} changed" }, rules: { R: "by rule: {why}" } });
  const step = (machine, target, data = {}) => stepText({ machine, target, rule: "R", data }, { name: "web" });
  assert.deepEqual([step("m", "on"), step("m", "off"), step("other", "on", { why: "x" }), step("other", "on")], ["web is on", "web changed", "by rule: x", ""]);
});

test("a headline that lacks a value gives way to the rule", () => {
  takeRules({ ...NONE, headlines: { "m.on": "{name} with {what}" }, rules: { R: "by rule" } });
  assert.deepEqual([undefined, null, "", "x"].map((what) => stepText({ machine: "m", target: "on", rule: "R", data: {} }, { name: "web", what })), ["by rule", "by rule", "by rule", "web with x"]);
});

test("an act is told by the value of its field, by any value, or by none", () => {
  takeRules({ ...NONE, acts: { turn: { field: "mode", texts: { off: "turned off" }, set: "turned to {mode}", otherwise: "turned" } } });
  assert.deepEqual([actText("turn", { mode: "off" }), actText("turn", { mode: "dim" }), actText("turn", {}), actText("other", {})], ["turned off", "turned to dim", "turned", ""]);
});

test("a rule may be told without the data of a record: what it lacks is dots, and nothing in brackets", () => {
  takeRules({ ...NONE, rules: { R: "after {n} s ({why}) it ends" }, docs: { R: "/docs/r" } });
  assert.deepEqual([ruleSentence("R"), ruleSentence("R", { n: 0, why: "x" }), ruleSentence("R", { n: null, why: "" }), ruleSentence("S")], ["after … s it ends", "after 0 s (x) it ends", "after … s it ends", ""]);
  assert.deepEqual([ruleDoc("R"), ruleDoc("S")], ["/docs/r", ""]);
});

test("an actor stands in front unless the sentence begins with one, the step's own before its machine's and its rule's", () => {
  takeRules({ ...NONE, actors: { Scheduler: ["m.on"], kubelet: ["m."], Runtime: ["R"] } });
  const told = (machine, target, sentence) => byActor({ machine, target, rule: "R" }, sentence);
  assert.deepEqual([told("m", "on", "it works"), told("m", "off", "it works"), told("other", "", "it works"), told("m", "on", "The runtime works")], ["Scheduler: it works", "kubelet: it works", "Runtime: it works", "The runtime works"]);
});

test("a page that names no address of rules asks for none", async () => {
  const asked = [];
  globalThis.fetch = /** @type {any} */ (async (url) => (asked.push(url), { ok: false }));
  await loadRules();
  assert.deepEqual(asked, []);
});
