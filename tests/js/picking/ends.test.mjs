import assert from "node:assert/strict";
import { test } from "node:test";

import { endsOf, momentOf, moveTo } from "../../../static/js/picking/ends.js";

const pick = (fields) => /** @type {any} */ ({ at_ms: 1230, then_ms: 0, within_ms: 0, from_ms: 0, until_ms: 0, ...fields });

test("the end of within keeps to tenths of a second after its record", () => {
  const [end] = endsOf(pick({ do: "within", within_ms: 5000 }));
  assert.equal(momentOf(end), 6230);
  moveTo(end, momentOf(end) + 1000);
  assert.equal(end.pick.within_ms, 6000);
  moveTo(end, 0);
  assert.equal(end.pick.within_ms, 100);
});

test("neither end of a stretch passes the other", () => {
  const [from, until] = endsOf(pick({ do: "holds", from_ms: 2000, until_ms: 5000 }));
  moveTo(from, 9000);
  assert.equal(from.pick.from_ms, 5000);
  moveTo(until, 1000);
  assert.equal(until.pick.until_ms, 5000);
});

test("no end goes beyond what a level may last", () => {
  const [, until] = endsOf(pick({ do: "holds" }));
  moveTo(until, 1e9);
  assert.equal(until.pick.until_ms, 7_200_000);
});

test("what must or must not happen has no end", () => {
  assert.deepEqual(endsOf(pick({ do: "must" })), []);
});
