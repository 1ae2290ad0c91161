import assert from "node:assert/strict";
import { test } from "node:test";

import { LENGTH_MAX, packed, TAG, unpacked } from "../../../static/js/shares/scenario-link.js";

const trouble = (link) => unpacked(link).then(() => "", ({ message }) => message);
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

test("a text comes back out of its link, alone or in an address", async () => {
  const fragment = await packed('{"name": "größer ☃"}');
  assert.match(fragment, /^v1d:[A-Za-z0-9_-]+$/);
  assert.deepEqual([await unpacked(fragment), await unpacked(` https://example.test/new#${fragment}\n`)], Array(2).fill('{"name": "größer ☃"}'));
});

test("a text of many kilobytes comes back whole", async () => {
  const text = Array.from({ length: 40_000 }, (_, index) => (index * index) % 9973).join(" ");
  const fragment = await packed(text).catch(({ message }) => message);
  assert.equal(fragment, "carry.large");
  const half = text.slice(0, 60_000);
  assert.equal(await unpacked(await packed(half)), half);
});

test("what is no such link says so", async () => {
  assert.deepEqual(await Promise.all(["https://example.test/", "v2d:abc", ""].map(trouble)), Array(3).fill("carry.none"));
});

test("a link that was cut or changed is damaged", async () => {
  const fragment = await packed('{"name": "a"}');
  assert.deepEqual(await Promise.all([fragment.slice(0, -4), `${TAG}!!`, `${TAG}AAAA`].map(trouble)), Array(3).fill("carry.damaged"));
});

test("a link that is too long is refused, and so is one that unpacks to too much", async () => {
  assert.equal(await trouble(TAG + "A".repeat(LENGTH_MAX - TAG.length + 1)), "carry.large");
  assert.equal(await trouble(TAG + "A".repeat(LENGTH_MAX - TAG.length)), "carry.damaged");
  const large = new Blob([new Uint8Array(2_000_001)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  assert.equal(await trouble(TAG + base64url(new Uint8Array(await new Response(large).arrayBuffer()))), "carry.large");
  const fits = new Blob([new Uint8Array(2_000_000)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  assert.equal(await trouble(TAG + base64url(new Uint8Array(await new Response(fits).arrayBuffer()))), "");
});
