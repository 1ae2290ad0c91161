import assert from "node:assert/strict";
import { test } from "node:test";

import { gathered } from "../../../static/js/editor/gathered.js";

const said = (severity, code, message, from) => ({ severity, code, message, from });
const told = (...found) => gathered(found).map(({ message, from }) => [message, from]);

test("notes of the same words are one row with their number", () => {
  const found = told(said("info", "not-modelled", "a", 9), said("info", "not-modelled", "b", 4), said("info", "not-modelled", "a", 3));
  assert.deepEqual(found, [["a (×2)", 3], ["b", 4]]);
});

test("errors and warnings each have a row, the worst first", () => {
  const found = told(said("info", "x", "c", 0), said("warning", "x", "b", 1), said("warning", "x", "b", 2), said("error", "x", "a", 8), said("error", "x", "a", 9));
  assert.deepEqual(found, [["a", 8], ["a", 9], ["b", 1], ["b", 2], ["c", 0]]);
});

test("fields without effect come after all other notes", () => {
  assert.deepEqual(told(said("info", "not-modelled", "field", 1), said("info", "custom-kind", "kind", 2)), [["kind", 2], ["field", 1]]);
});

test("notes come by their consequence, as on the server", () => {
  const codes = ["default", "not-modelled", "other", "not-simulated", "custom-kind", "no-controller", "bare-server", "presumed", "noted"];
  const found = told(...codes.map((code, n) => said("info", code, code, n)));
  assert.deepEqual(found.map(([message]) => message), [...codes].reverse());
});

test("a row of several notes is at the first of their places, whichever comes first in the list", () => {
  for (const places of [[3, 9], [9, 3]]) assert.deepEqual(told(...places.map((from) => said("info", "not-modelled", "a", from))), [["a (×2)", 3]]);
});

test("rows that matter alike are in the order of their places", () => {
  assert.deepEqual(told(said("error", "x", "late", 9), said("error", "y", "early", 2)), [["early", 2], ["late", 9]]);
});
