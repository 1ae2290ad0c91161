import "../setup.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { causesOf, Effects } from "../../../static/js/lanes/cause-chain.js";

/** A run of records, each `[machine, subject, cause]`; their numbers count from 1. */
function storeOf(...rows) {
  const records = rows.map(([machine, subject, cause], index) => ({ seq: index + 1, kind: "transition", machine, subject, cause }));
  return { records, get: (seq) => records[seq - 1], get headSeq() { return records.length; } };
}

const seqs = (records) => records.map(({ seq }) => seq);

test("causes lead back to the beginning, the newest first", () => {
  const store = storeOf(["command", "a", 0], ["object", "a", 1], ["other", "b", 0], ["container", "a", 2]);
  assert.deepEqual(seqs(causesOf(store, 4)), [4, 2, 1]);
  assert.deepEqual(causesOf(store, 9), []);
});

test("of a long chain of causes the nearest forty are told, as many as the panel Why has", () => {
  const chain = (length) => storeOf(...Array.from({ length }, (_, index) => ["note", `n${index}`, index]));
  assert.deepEqual([40, 41].map((length) => causesOf(chain(length), length).length), [40, 40]);
  assert.equal(causesOf(chain(41), 41).at(-1).seq, 2);
});

test("effects are what followed from it, until the same thing changes again", () => {
  const store = storeOf(["container", "a", 0], ["condition", "a", 1], ["requests", "s", 2], ["other", "b", 0], ["container", "a", 1], ["condition", "a", 5]);
  assert.deepEqual(seqs(new Effects(store, 1).upToDate()), [2, 3]);
});

test("effects grow with the run, and what has been read is not read again", () => {
  const store = storeOf(["object", "a", 0]);
  const effects = new Effects(store, 1);
  assert.deepEqual(effects.upToDate(), []);
  store.records.push({ seq: 2, kind: "transition", machine: "phase", subject: "a", cause: 1 });
  assert.deepEqual(seqs(effects.upToDate()), [2]);
  assert.equal(effects.read, 2);
});

test("of a long chain of effects the first ones are told", () => {
  const store = storeOf(["object", "a", 0], ...Array.from({ length: 60 }, (_, index) => ["note", `n${index}`, index + 1]));
  assert.equal(new Effects(store, 1).upToDate().length, 24);
});
