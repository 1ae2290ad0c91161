import assert from "node:assert/strict";
import { test } from "node:test";

import { keyAt, partAt, parts, placeAt } from "../../../static/js/editor/place.js";
import { joined } from "../../../static/js/editor/schema.js";

/** The caret's position in a text that marks it with ¦, and the text. */
const caret = (written) => [written.replace("¦", ""), written.indexOf("¦")];
const key = (written) => {
  const [text, position] = caret(written);
  const found = keyAt(text, position);
  return found && [joined(found.path), text.slice(found.from, found.to)];
};
const siblings = (written) => placeAt(...caret(written)).siblings;

test("a key is the one under the pointer, up to its colon and no further", () => {
  const text = (line) => `spec:\n  containers:\n  - name: app\n    ${line}\n`;
  assert.deepEqual(["¦image: a", "im¦age: a", "image¦: a"].map((line) => key(text(line))), Array(3).fill(["spec.containers[].image", "image"]));
  assert.deepEqual(["image:¦ a", "image: ¦a", "¦", "¦- a"].map((line) => key(text(line))), Array(4).fill(null));
  assert.equal(key("spec:\n¦  containers: []\n"), null);
});

test("a key in quotes is named without them", () => assert.deepEqual([key('"sp¦ec": 1'), key("'sp¦ec': 1")], [["spec", '"spec"'], ["spec", "'spec'"]]));

test("a word without a colon is no key, whatever stands on the next line", () => assert.equal(key("spec:\n  im¦\n  image: a\n"), null));

test("a key in a block of text is none", () => assert.equal(key("data:\n  script: |\n    if¦: x\n"), null));

test("the documents of a text begin at its lines of dashes, and say what they are", () => {
  const text = 'apiVersion: apps/v1\nkind: "Deployment"\n---\nkind: Service\n--- \nmetadata: {}\n';
  assert.deepEqual(parts(text).map(({ kind, apiVersion, index }) => [kind, apiVersion, index]), [["Deployment", "apps/v1", 0], ["Service", "", 1], ["", "", 2]]);
  assert.deepEqual([partAt(text, 0).kind, partAt(text, text.indexOf("---")).kind, partAt(text, text.length).kind], ["Deployment", "Service", ""]);
  assert.equal(parts("---\nkind: Pod\n").length, 1);
});

test("keys beside the caret are those of the same map, above and below", () => {
  assert.deepEqual(siblings("metadata:\n  name: a\nspec:\n  x: 1\n  y:\n    z: 2\n  ¦\n  w: 3\nstatus:\n  v: 4\n"), ["y", "x", "w"]);
});

test("keys of one item of a list are no siblings of the next item's", () => {
  assert.deepEqual(siblings("containers:\n- name: a\n  image: b\n- name: c\n  ¦\n- name: d\n"), ["name"]);
  assert.deepEqual(siblings("containers:\n- name: a\n- na¦\n  image: b\n"), ["image"]);
});

test("keys stay siblings across a list whose dashes stand in their column", () => {
  assert.deepEqual(siblings("containers:\n- name: a\nvol¦\n"), ["containers"]);
  assert.deepEqual(siblings("vol¦\ncontainers:\n- name: a\nnodeName: n\n"), ["containers", "nodeName"]);
});

test("an empty line belongs to the item above it, whatever the next line begins", () => {
  assert.deepEqual(siblings("containers:\n- name: a\n  ¦\n- name: b\n"), ["name"]);
  assert.deepEqual(siblings("containers:\n- name: a\n¦\n- name: b\n"), ["containers"]);
});

const place = (written) => {
  const { path, at, word, flow, dash } = placeAt(...caret(written));
  return [at, joined(path), word, flow, dash];
};

test("a value is written from its colon and a space on, also when nothing is there yet", () => {
  assert.deepEqual([place("spec:\n  a: ¦"), place("spec:\n  a: b ¦"), place("spec:\n  a:¦")], [["value", "spec.a", "", false, false], ["value", "spec.a", "b ", false, false], ["none", "", "", false, false]]);
});

test("in braces and brackets commas, colons and quotes tell keys from values", () => {
  assert.deepEqual(
    ["a: {b: ¦", "a: {b: 1, c¦", "a: {b: {c: 1}, d¦", 'a: {"b,c": ¦', "a: {'b': ¦", "a: [x, y¦", "a: {b: [1], ¦", "a: [1]¦"].map(place),
    [
      ["value", "a.b", "", true, false],
      ["key", "a", "c", true, false],
      ["key", "a", "d", true, false],
      ["value", "a.b,c", "", true, false],
      ["value", "a.b", "", true, false],
      ["value", "a[]", "y", true, false],
      ["key", "a", "", true, false],
      ["value", "a", "[1]", false, false],
    ],
  );
});

test("comments and lines of dashes are no place", () => {
  assert.deepEqual(["a:\n  # b¦", "a: 1 # b¦", "---¦"].map((written) => place(written)[0]), ["none", "none", "none"]);
});

test("the dash of a list may stand in the column of its key, and one of several on a line is a list in a list", () => {
  assert.deepEqual([place("a:\n- b¦"), place("a:\n  - - b¦"), place("a:\n- b: 1\n  c¦"), place("a:\n- b:\n  - c¦")].map(([at, path, word]) => `${at} ${path} ${word}`), ["key a[] b", "key a[][] b", "key a[] c", "key a[].b[] c"]);
});
