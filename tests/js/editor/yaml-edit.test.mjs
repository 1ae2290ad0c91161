import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document.documentElement = /** @type {any} */ ({ style: {} }); // the editor's library asks which browser it is in
const { readParts, YamlPart } = await import("../../../static/js/editor/yaml-edit.js");

/** A text after something was done to its first document. */
function after(text, act) {
  const [part] = readParts(text);
  act(part);
  const change = part.change();
  return change && text.slice(0, change.from) + change.insert + text.slice(change.to);
}
const set = (text, path, value, options) => after(text, (part) => part.set(path, value, options));

const POD = `# a pod
kind: Pod
metadata:
  name: "web"   # its name
spec:
  containers:
  - name: app
    image: nginx

    ports: [{containerPort: 80}]
`;

test("one value is rewritten where it stands, and nothing else", () => {
  assert.equal(set(POD, ["spec", "containers", 0, "image"], "redis:7"), POD.replace("nginx", "redis:7"));
  assert.equal(set(POD, ["metadata", "name"], "api"), POD.replace('"web"', '"api"'));
});

test("a value that is so already changes nothing", () => assert.equal(set(POD, ["spec", "containers", 0, "image"], "nginx"), null));

test("a text that would be read as another thing is quoted, a number is not", () => {
  const value = (words, options) => /v: (.*)/.exec(set("kind: Pod\nv: x\n", ["v"], words, options))[1];
  assert.deepEqual(["8080", "true", "no", "1e3", "~", "2024-01-02", "0x1f", "app"].map((words) => value(words)), ['"8080"', '"true"', '"no"', '"1e3"', '"~"', '"2024-01-02"', '"0x1f"', "app"]);
  assert.equal(value(8080, { asText: false }), "8080");
});

test("quotes that are there stay, unless a number is meant", () => {
  const value = (was, fresh, options) => /v: (.*)/.exec(set(`kind: Pod\nv: ${was}\n`, ["v"], fresh, options))[1];
  assert.deepEqual([value("'x'", "it's"), value('"x"', "y"), value('"80"', 90, { asText: false })], ["'it''s'", '"y"', "90"]);
});

test("a text of several lines is a block", () => assert.equal(set("kind: Pod\nv: x\n", ["v"], "a\nb\n"), "kind: Pod\nv: |\n  a\n  b\n"));

test("nothing takes the field away, and with it what it leaves empty", () => {
  const text = "kind: Pod\nspec:\n  a:\n    b:\n      c: 1\n  d: 2\n";
  assert.equal(set(text, ["spec", "a", "b", "c"], ""), "kind: Pod\nspec:\n  d: 2\n");
  assert.equal(set(text, ["spec", "a", "b", "c"], undefined), "kind: Pod\nspec:\n  d: 2\n");
  assert.equal(set("kind: Pod\nv: x\n", ["v"], "", { mayBeEmpty: true }), 'kind: Pod\nv: ""\n');
  assert.equal(set(text, ["spec", "none"], ""), null);
});

test("what a pod cannot be without stays though it is empty", () => {
  assert.match(set("kind: Pod\nspec:\n  containers:\n  - name: a\n", ["spec", "containers", 0, "name"], ""), /containers:/);
  assert.match(set("kind: Pod\nmetadata:\n  labels: {a: b}\n  x: 1\n", ["metadata", "labels", "a"], ""), /^kind: Pod\nmetadata:\n {2}x: 1\n$/);
});

test("a new field comes behind the others, in maps that are made for it", () => {
  assert.equal(set("kind: Pod\nspec:\n  a: 1\n", ["spec", "b", "c"], "x"), "kind: Pod\nspec:\n  a: 1\n  b:\n    c: x\n");
  assert.equal(set("kind: Pod\nspec:\n  resources:\n", ["spec", "resources", "cpu"], "1", { asText: false }), "kind: Pod\nspec:\n  resources:\n    cpu: 1\n");
});

test("lists stand as deep as the others of the document", () => {
  const added = (text) => after(text, (part) => part.add(["args"], "x"));
  assert.equal(after("kind: Pod\na:\n- 1\n- 2\n", (part) => part.set(["b"], ["x".repeat(70)])), `kind: Pod\na:\n- 1\n- 2\nb:\n- ${"x".repeat(70)}\n`);
  assert.equal(after("kind: Pod\na:\n  - 1\n  - 2\n", (part) => part.set(["b"], ["x".repeat(70)])), `kind: Pod\na:\n  - 1\n  - 2\nb:\n  - ${"x".repeat(70)}\n`);
  assert.equal(added("kind: Pod\n"), "kind: Pod\nargs: [x]\n");
});

test("an item is added to a list that is there", () => {
  assert.equal(after("kind: Pod\nargs:\n- a\n", (part) => part.add(["args"], "80")), 'kind: Pod\nargs:\n- a\n- "80"\n');
});

test("words of a list are read, and what is no word is empty", () => {
  const [part] = readParts("kind: Pod\nargs: [a, {b: c}, 1]\n");
  assert.deepEqual([part.words(["args"]), part.keys([]), part.items(["kind"]), part.keys(["kind"])], [["a", "", "1"], ["kind", "args"], [], []]);
  assert.deepEqual([part.get(["args"]), part.get(["none"]), part.has(["args"]), part.has(["none"])], [undefined, undefined, true, false]);
});

test("documents that say nothing are left out", () => {
  assert.deepEqual(readParts("kind: A\n---\n# nothing\n---\nkind: B\n").map(({ kind }) => kind), ["A", "B"]);
});

test("a change of the second document leaves the first", () => {
  const text = "kind: A\nv: 1\n---\nkind: B\nv: 1\n";
  const [, part] = readParts(text);
  part.set(["v"], "x");
  const { from, to, insert } = part.change();
  assert.equal(text.slice(0, from) + insert + text.slice(to), "kind: A\nv: 1\n---\nkind: B\nv: x\n");
});

test("a text that cannot be read is not written", () => {
  assert.deepEqual([set("kind: [Pod\n", ["v"], "x"), readParts("kind: [Pod\n")[0].isSound, readParts("- a\n")[0].isSound, new YamlPart("", { from: 0, to: 0 }).isSound], [null, false, false, true]);
});

test("several changes at once keep the comments and the blank lines", () => {
  const text = after(POD, (part) => {
    part.set(["metadata", "name"], "api");
    part.set(["spec", "containers", 0, "image"], "redis");
  });
  assert.equal(text, POD.replace('"web"   #', '"api" #').replace("nginx", "redis"));
});

test("a file that does not end with a new line still does not", () => assert.equal(set("kind: Pod\nv: 1", ["w"], "x"), "kind: Pod\nv: 1\nw: x"));

test("a field is added at the end of a text without a last line break, and in the midst of others", () => {
  assert.equal(set("kind: Pod\nspec:\n  a: 1\n  # why\n  b: 2", ["spec", "c"], "x"), "kind: Pod\nspec:\n  a: 1\n  # why\n  b: 2\n  c: x");
  assert.equal(set("kind: Pod\nspec:\n  a:   1\n\n# the end\nstatus: {}\n", ["spec", "c"], "x"), "kind: Pod\nspec:\n  a:   1\n  c: x\n\n# the end\nstatus: {}\n");
});

test("an empty text in quotes becomes a map where a field is set below it", () => {
  assert.equal(set('kind: Pod\nspec:\n  a: ""\n', ["spec", "a", "b"], "x"), "kind: Pod\nspec:\n  a:\n    b: x\n");
});

test("a field at the top is taken away alone", () => assert.equal(set("kind: Pod\na: {b: 1}\nc: 2\n", ["a", "b"], ""), "kind: Pod\na: {}\nc: 2\n"));
