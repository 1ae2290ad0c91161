import assert from "node:assert/strict";
import { test } from "node:test";

import { loadRules, ruleSentence } from "../../../static/js/base/i18n.js";

test("texts of rules are asked for again after they did not come, and once they are there no more", async () => {
  const asked = [];
  const answers = [null, { ok: false }, { ok: true, json: async () => ({ rules: { R: "by rule" }, docs: {}, headlines: {}, acts: {} }) }];
  globalThis.document.querySelector = /** @type {any} */ (() => ({ dataset: { rulesUrl: "/rules" } }));
  globalThis.fetch = /** @type {any} */ (async (url) => {
    asked.push(url);
    const answer = answers.shift();
    if (!answer) throw new TypeError("no line");
    return answer;
  });
  const known = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await loadRules();
    known.push(ruleSentence("R"));
  }
  assert.deepEqual([asked, known], [["/rules", "/rules", "/rules"], ["", "", "by rule", "by rule"]]);
});
