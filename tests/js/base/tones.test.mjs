import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { conditionTone, statusTone, worse } from "../../../static/js/base/tones.js";

test("the worse of two tones does not depend on their order", () => {
  for (const [a, b] of [["ok", "failed"], ["failed", "waiting"], ["ok", "ok"]]) assert.equal(worse(a, b), worse(b, a));
});

test("a condition that is bad when it is true has the other tone", () => assert.notEqual(conditionTone("Ready", "True"), conditionTone("DisruptionTarget", "True")));

const STATUSES = JSON.parse(readFileSync(new URL("../../web/status-tones.json", import.meta.url), "utf8"));

test("the tone of a pod is the server's", () => {
  for (const [word, data, tone] of STATUSES) assert.equal(statusTone(word, data), tone, `${word} ${JSON.stringify(data)}`);
});
