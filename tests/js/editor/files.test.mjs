import assert from "node:assert/strict";
import { test } from "node:test";
import "../setup.mjs";

const { SIZE_MAX, textOf } = await import("../../../static/js/editor/files.js");

/** @param {string} words @param {number} [size] */
const file = (words, size = words.length) => /** @type {any} */ ({ size, text: async () => words });

test("files as large as the site takes become the text", async () => {
  assert.equal(await textOf([file("a: 1\n", SIZE_MAX - 5), file("b: 1\n")]), "a: 1\n---\nb: 1\n");
});

test("files that are larger together are refused unread", async () => {
  assert.equal(await textOf([file("a: 1\n", SIZE_MAX - 4), file("b: 1\n")]), null);
});
