import assert from "node:assert/strict";
import { test } from "node:test";

import { LOGS, View } from "../../../static/js/timeline/view.js";

const view = () => new View(false);

test("what is folded is said by name, and read back", () => {
  for (const word of ["default/a", "*", "*,-default/a,-default/b", ""]) {
    const own = view();
    own.readFolds(word);
    assert.equal(own.foldWord(), word);
  }
});

test("all but those that are named are folded", () => {
  const own = view();
  own.readFolds("*,-default/a");
  assert.deepEqual([own.isFolded("default/a"), own.isFolded("default/b")], [false, true]);
});

test("too many names are left out of an address", () => {
  const own = view();
  own.readFolds(["a".repeat(300), "b".repeat(299)].join(","));
  assert.equal(own.foldWord().length, 600);
  own.toggle("collapsed", "c");
  assert.equal(own.foldWord(), "");
  own.toggleAll();
  own.toggle("collapsed", "d".repeat(600));
  assert.equal(own.foldWord(), "*");
});

test("everything is folded unless everything is, exceptions undone", () => {
  const own = view();
  own.toggle("collapsed", "a");
  own.toggleAll();
  assert.deepEqual([own.isFolded("a"), own.isFolded("b")], [true, true]);
  own.toggle("collapsed", "a");
  own.toggleAll();
  assert.equal(own.isFolded("a"), true);
  own.toggleAll();
  assert.equal(own.isFolded("a"), false);
});

test("many pods are folded until the reader has chosen, by folding only", () => {
  const own = view();
  own.adapt(20);
  assert.equal(own.isFolded("a"), false);
  own.adapt(21);
  assert.equal(own.isFolded("a"), true);
  own.toggle("open", "a");
  own.adapt(5);
  assert.equal(own.isFolded("a"), false);
  own.toggle("collapsed", "a");
  own.adapt(21);
  assert.equal(own.isFolded("b"), false);
});

test("log lines are shown of a container, or of all but those that were turned", () => {
  const own = view();
  own.toggle("logs", "c");
  assert.deepEqual([own.showsLogs("c"), own.showsLogs("d")], [true, false]);
  own.toggle("logs", LOGS);
  assert.deepEqual([own.showsLogs("c"), own.showsLogs("d")], [false, true]);
});

test("a container of the old future has no lane of lines, nor has any before one is opened", () => {
  const own = view();
  own.toggle("logs", "c");
  assert.equal(own.logsOf({ subject: "c" }), null);
  own.more = { logOf: () => "lane" };
  assert.deepEqual([own.logsOf({ subject: "c" }), own.logsOf({ subject: "d" })], ["lane", null]);
  own.futures = { isOld: () => true };
  assert.equal(own.logsOf({ subject: "c" }), null);
});

test("a lane is pinned, let go, and refused where a link would not hold so many", () => {
  const own = view();
  assert.deepEqual([own.togglePin("a".repeat(599)), own.togglePin("b"), own.togglePin("a".repeat(599)), own.togglePin("b")], ["pinned", "full", "unpinned", "pinned"]);
  assert.equal(own.pinWord(), "b");
});

test("pins are read once each, and not where there are too many", () => {
  const own = view();
  own.readPins("a,b,a,");
  assert.equal(own.pinWord(), "a,b");
  own.readPins("c".repeat(601));
  assert.equal(own.pinWord(), "a,b");
  own.readPins("c".repeat(600));
  assert.equal(own.pinWord(), "c".repeat(600));
});

test("what changes nothing builds no rows again", () => {
  const own = view();
  own.readPins("");
  own.filter(null);
  own.showGone(false);
  assert.equal(own.version, 0);
  own.readPins("a");
  own.filter({ pods: new Set(), others: new Set() });
  own.filter(null);
  own.showGone(true);
  assert.equal(own.version, 4);
});

test("densities are gone through in a circle, and an unknown one is the first", () => {
  const own = new View(false, "large");
  const seen = [own.density];
  for (let turn = 0; turn < 3; turn += 1) {
    own.turnDensity();
    seen.push(own.density);
  }
  assert.deepEqual(seen, ["normal", "close", "wide", "normal"]);
  assert.equal(new View(false, "wide").density, "wide");
});

test("pods that are gone stand below the others where there are two of them and others are left", () => {
  const gone = (count, all, more = {}) => {
    const own = Object.assign(view(), more);
    const left = new Map(Array.from({ length: count }, (_, index) => [`p${index}`, { key: `p${index}`, status: { spans: [{ t0: 0, t1: Infinity, tone: "absent" }] }, containers: new Map() }]));
    own.readGone({ pods: { size: all }, left }, 5);
    return own.gone.size;
  };
  assert.deepEqual([gone(1, 5), gone(2, 5), gone(2, 2), gone(2, 5, { only: {} }), gone(2, 5, { futures: {} })], [0, 2, 0, 0, 0]);
});

test("a minus is part of a name where not everything is folded", () => {
  const own = view();
  own.readFolds("-odd");
  assert.equal(own.isFolded("-odd"), true);
});

test("as many lanes can be pinned as a link holds", () => assert.deepEqual([view().togglePin("a".repeat(600)), view().togglePin("a".repeat(601))], ["pinned", "full"]));
