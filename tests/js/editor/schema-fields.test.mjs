import assert from "node:assert/strict";
import { test } from "node:test";

import { changeOf, fieldAt, joined, typeText } from "../../../static/js/editor/schema.js";

const POD = {
  kind: "Pod",
  api_version: "v1",
  root: "Pod",
  types: {
    Pod: { fields: { spec: { type: "object", of: "Spec" }, kind: { type: "string" }, free: { type: "object" } } },
    Spec: { fields: { containers: { type: "list", of: "Container" }, args: { type: "list", of: "string" }, labels: { type: "map", of: "string" }, parts: { type: "map", of: "Container" } } },
    Container: { doc: "a container", fields: { image: { type: "string" } } },
  },
  mutable: { "spec": "never", "spec.containers[].image": "yes", "spec.labels": "add" },
};
const at = (...path) => fieldAt(POD, path);

test("a field is found by its path, and so are the fields below it", () => {
  assert.deepEqual(at("kind"), { field: { type: "string" }, fields: null, isList: false });
  assert.deepEqual(Object.keys(at("spec").fields), ["containers", "args", "labels", "parts"]);
  assert.equal(at("spec", "containers").isList, true);
  assert.deepEqual(at().field, { type: "object", of: "Pod" });
});

test("the items of a list are one step, and a name is none", () => {
  assert.deepEqual([at("spec", "containers", "[]").field, at("spec", "args", "[]").field], [{ type: "object", of: "Container", doc: "a container" }, { type: "string" }]);
  assert.equal(at("spec", "containers", "[]", "image").field.type, "string");
  assert.equal(at("spec", "containers", "image"), null);
});

test("every name is a step into a map, and an item is none", () => {
  assert.deepEqual([at("spec", "labels", "app").field.type, at("spec", "parts", "x").field.of, at("spec", "labels", "[]")], ["string", "Container", null]);
});

test("below a plain value, an object of no known fields or an unknown name there is nothing", () => {
  assert.deepEqual([at("kind", "x"), at("free", "x"), at("none"), at("spec", "none", "x")], [null, null, null, null]);
  assert.equal(at("free").fields, null);
});

test("what may become of a field is said by it or by the nearest parent, and by nothing it may change", () => {
  const change = (...path) => changeOf(POD, path);
  assert.deepEqual([change("spec", "containers", "[]", "image"), change("spec", "containers", "[]"), change("spec", "labels", "app"), change("kind"), change()], ["yes", "never", "add", "yes", "yes"]);
  assert.equal(changeOf({ ...POD, mutable: { "": "never" } }, ["kind"]), "never");
});

test("a path is written with its lists", () => assert.deepEqual([joined(["spec", "containers", "[]", "image"]), joined(["[]", "a"]), joined([])], ["spec.containers[].image", "[].a", ""]));

test("the type of a field is said in a word or two", () => {
  const types = [{ type: "string" }, { type: "object", of: "Spec" }, { type: "object" }, { type: "list", of: "string" }, { type: "list", of: "Container" }, { type: "map", of: "string" }, { type: "map", of: "Container" }, { type: "list" }];
  assert.deepEqual(types.map(typeText), ["string", "Spec", "object", "list of string", "list of Container", "map of string", "map of Container", "list"]);
});
