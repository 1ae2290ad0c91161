import assert from "node:assert/strict";
import { test } from "node:test";

import { counted } from "../../../static/js/timeline/stretch-table.js";

test("exit codes after each other are counted, their order stays", () => {
  assert.equal(counted(["1", "1", "1", "137", "1"]), "1 × 3, 137, 1");
  assert.equal(counted([]), "");
});
