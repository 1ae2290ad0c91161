import "../setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosen } from "../../../static/js/commands/box.js";

const command = (label, group, more = {}) => ({ label, group, ...more });
const LISTED = [command("Tripods", "a"), command("Go to now", "a"), command("Delete pod", "b"), command("Podiums", "b"), command("Ask in the reasons", "c", { always: true })];

test("the best group comes first and in it what fits best; what always fits stands behind what fits well", () => {
  assert.deepEqual(chosen(LISTED, "pod").map(({ label }) => label), ["Podiums", "Delete pod", "Ask in the reasons", "Tripods"]);
});

test("without a word every command stands where it was", () => assert.deepEqual(chosen(LISTED, " "), LISTED));
