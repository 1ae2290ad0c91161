import assert from "node:assert/strict";
import { test } from "node:test";

import { hasText, text } from "../../../static/js/base/i18n.js";
import { MESSAGES } from "../../../static/js/base/messages.js";

test("text is filled in, and an unknown key shows itself", () => {
  assert.equal(text("live.behind", { time: "12 s" }), "Live · 12 s behind");
  assert.deepEqual([text("no.such.key"), hasText("no.such.key"), hasText("live.behind")], ["no.such.key", false, true]);
});

test("no text is empty", () => assert.deepEqual(Object.entries(MESSAGES).filter(([, words]) => !words.trim()), []));
