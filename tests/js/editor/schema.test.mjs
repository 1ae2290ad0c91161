import assert from "node:assert/strict";
import { test } from "node:test";

import { Schemas } from "../../../static/js/editor/schema.js";

/** Schemas whose requests get these answers, one each. */
function schemas(...answers) {
  globalThis.fetch = async () => {
    const status = answers.shift();
    return { ok: status === 200, status, json: async () => ({ kind: "Pod" }) };
  };
  return new Schemas("/schema/", () => "1.36");
}

test("a kind is asked for again after the server was in trouble", async () => {
  const own = schemas(503, 200);
  await own.of("Pod");
  assert.deepEqual(await own.of("Pod"), { kind: "Pod" });
});

test("a kind that does not exist is asked for once", async () => {
  const own = schemas(404, 200);
  await own.of("Pdo");
  assert.equal(await own.of("Pdo"), null);
});
