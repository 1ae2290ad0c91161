import assert from "node:assert/strict";
import { test } from "node:test";

import { fits } from "../../../static/js/commands/match.js";

const best = (typed, ...labels) => labels.map((label) => [fits(typed, { label }), label]).filter(([worth]) => worth).sort((a, b) => b[0] - a[0]).map(([, label]) => label);

test("the beginning of the name is better than that of a word, and that better than a word's inside", () => {
  assert.deepEqual(best("pod", "Podiums", "Delete pod", "Tripods"), ["Podiums", "Delete pod", "Tripods"]);
});

test("every word must be found, in any order", () => {
  assert.deepEqual(best("pod del", "Delete pod", "Delete node", "Pods"), ["Delete pod"]);
});

test("letters in their order are enough while they stand close", () => {
  assert.deepEqual(best("gtn", "Go to now", "Greatly improved tests with nothing"), ["Go to now"]);
  assert.deepEqual(best("gn", "Go now", "Begin"), ["Go now"]);
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
