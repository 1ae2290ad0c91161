import assert from "node:assert/strict";
import { test } from "node:test";

import { TypedLines } from "../../../static/js/timeline/typed-lines.js";

test("lines are asked for once until there are newer acts", async () => {
  let asked = 0;
  globalThis.fetch = /** @type {any} */ (async () => ({ ok: true, json: async () => ({ 3: ["kubectl cordon node-1", "Ann"], asked: (asked += 1) }) }));
  const lines = new TypedLines("/r/1/typed/");
  assert.deepEqual(await lines.of(3, 10), ["kubectl cordon node-1", "Ann"]);
  assert.equal(await lines.of(7, 10), undefined);
  assert.equal(asked, 1);
  await lines.of(12, 12);
  assert.equal(asked, 2);
});

test("where nothing can be asked, acts have no line", async () => {
  assert.equal(await new TypedLines("").of(3, 10), undefined);
  globalThis.fetch = /** @type {any} */ (async () => Promise.reject(new Error("away")));
  assert.equal(await new TypedLines("/x/").of(3, 10), undefined);
});
