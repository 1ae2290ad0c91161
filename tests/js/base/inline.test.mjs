import assert from "node:assert/strict";
import { test } from "node:test";

import { inline } from "../../../static/js/base/inline.js";

globalThis.document.createElement = (tag) => /** @type {any} */ ({ tag, append: () => {} });

const told = (words) => inline(words).map((part) => (typeof part === "string" ? part : `${part.tag}(${part.textContent})`));

test("words in backticks are code, wherever they stand", () => {
  assert.deepEqual(told("`a` then run `b c`."), ["code(a)", " then run ", "code(b c)", "."]);
});

test("words without a pair of backticks stay as they are", () => {
  assert.deepEqual([told("nothing"), told("one ` alone"), told("")], [["nothing"], ["one ` alone"], []]);
});
