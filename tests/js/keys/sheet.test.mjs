import "../setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { keyedActions } from "../../../static/js/keys/sheet.js";

test("lines of the sheet that mean one action name it, others do not", () => {
  const told = keyedActions();
  assert.equal(told.get("share"), "copy a link to this moment");
  assert.equal(told.get("act"), "actions on the selection");
  assert.equal(told.has("zoomIn"), false);
});
