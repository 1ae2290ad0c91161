import assert from "node:assert/strict";
import { test } from "node:test";

import { tokensOf } from "../../../static/js/editor/toml-tokens.js";

const words = (text) => tokensOf(text).map(({ from, to, name }) => [name, text.slice(from, to)]);

test("keys, headers, texts, numbers and comments of TOML are told apart", () => {
  assert.deepEqual(words('[[check]]\nid = "a" # why\npoints = 2'), [["head", "[[check]]"], ["key", "id"], ["string", '"a"'], ["comment", "# why"], ["key", "points"], ["value", "2"]]);
  assert.deepEqual(words('never = { machine = "stop", target = "x" }').filter(([name]) => name === "key").map(([, word]) => word), ["never", "machine", "target"]);
});

test("a text of several lines has no keys and no comments in it", () => {
  assert.deepEqual(words("brief = '''\na = 1\n# no\n'''\nb = 2"), [["key", "brief"], ["key", "b"], ["value", "2"]]);
});
