import assert from "node:assert/strict";
import { test } from "node:test";

import { isBlank, isScopeOnly, parseQuery } from "../../../static/js/search/query.js";

/** The parts of a query that differ from the empty one. */
function read(text) {
  const empty = parseQuery("");
  return Object.fromEntries(Object.entries(parseQuery(text)).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(empty[field])));
}

test("first and last choose where they come first, and are words where they do not", () => {
  assert.deepEqual(["first kill", "LAST kill", "kill first"].map(read), [{ which: "first", words: ["kill"] }, { which: "last", words: ["kill"] }, { words: ["kill", "first"] }]);
});

test("kubectl at the beginning is no word, and is one elsewhere", () => {
  assert.deepEqual(["kubectl -l app=web", "by kubectl"].map(read), [{ selector: "app=web" }, { words: ["by", "kubectl"] }]);
});

test("after and before say when; what is no time is named as the problem", () => {
  assert.deepEqual(read("After 0:10 before 20s x"), { words: ["x"], from_ms: 10_000, to_ms: 20_000 });
  assert.deepEqual(["before soon", "after", "after #3"].map(read), [{ problem: "before soon" }, { problem: "after " }, { problem: "after #3" }]);
});

test("a length asks for longer or shorter states", () => {
  assert.deepEqual(["> 10 s", "<250ms", ">=2m x"].map(read), [{ lasting: { longer: true, than_ms: 10_000 } }, { lasting: { longer: false, than_ms: 250 } }, { words: ["x"], lasting: { longer: true, than_ms: 120_000 } }]);
  assert.deepEqual(read("> much"), { problem: ">", words: ["much"] });
});

test("a scope is read in small letters, with quotes taken off, and an empty one says nothing", () => {
  assert.deepEqual(read('Pod:Web container:"App one" node:N1 is:Ready is:Trouble pod:'), { pod: "web", container: "app one", node: "n1", is: ["ready", "trouble"] });
  assert.deepEqual(read("why:this"), { words: ["why:this"] });
});

test("selectors are joined however they are written", () => {
  assert.deepEqual(read("-l app=a label:tier=b stage!=c").selector, "app=a,tier=b,stage!=c");
});

test("words in quotes are one word, and empty quotes none", () => assert.deepEqual(read('"Back-off restarting" "" x'), { words: ["Back-off restarting", "x"] }));

test("a query that only says where to look looks for nothing", () => {
  assert.deepEqual(["", "pod:web is:ready label:a=b"].map((text) => isScopeOnly(parseQuery(text))), [true, true]);
  for (const text of ["x", "> 1 s", "first", "last", "after 1s", "before 1s"]) assert.equal(isScopeOnly(parseQuery(text)), false, text);
});

test("a query is blank where it says neither what to look for nor where", () => {
  assert.equal(isBlank(parseQuery("  ")), true);
  for (const text of ["x", "> 1 s", "pod:a", "container:a", "node:a", "is:ready", "label:a=b"]) assert.equal(isBlank(parseQuery(text)), false, text);
});
