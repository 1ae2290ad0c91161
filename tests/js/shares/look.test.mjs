import assert from "node:assert/strict";
import { test } from "node:test";

import { momentQuery } from "../../../static/js/shares/address.js";
import { applyLook, lookOf } from "../../../static/js/shares/view-address.js";

/** A timeline that notes what it is told. */
function timeline({ order = null, isOldShown = true, clock = "run" } = {}) {
  const said = [];
  const say = (what) => (...words) => said.push([what, ...words].join(" "));
  return {
    said,
    viewport: { range: () => "0:60000", show: say("show") },
    view: { foldWord: () => "f", pinWord: () => "p", open: new Set(["default/a", "default/b"]), order, isOldShown, readFolds: say("folds"), readPins: say("pins"), showOld: say("old") },
    search: { input: { value: "kill" }, set: say("search") },
    stretch: { word: "1_2", read: say("stretch") },
    notes: { word: "n", read: say("notes") },
    clock: { kind: clock },
    choices: { sortByTrouble: say("trouble"), readClock: say("clock") },
    invalidate: say("drawn"),
  };
}
const applied = (search) => {
  const own = timeline();
  own.view.open.clear();
  return { isShown: applyLook(own, search), said: own.said, open: [...own.view.open] };
};

test("the look of the lanes is empty where it is as a page opens", () => {
  const { sort, old, clock, v, open } = lookOf(timeline());
  assert.deepEqual([sort, old, clock, v, open], ["", "", "", "0_60000", "default/a,default/b"]);
});

test("what is looked at otherwise is named", () => {
  const { sort, old, clock } = lookOf(timeline({ order: [], isOldShown: false, clock: "utc" }));
  assert.deepEqual([sort, old, clock], ["trouble", "0", "utc"]);
});

test("a page without lanes has no look", () => assert.ok(Object.values(lookOf(null)).every((word) => word === "")));

test("an address that says nothing leaves the lanes as they are", () => {
  const { isShown, said, open } = applied("");
  assert.deepEqual([isShown, said, open], [false, ["pins ", "stretch ", "notes ", "clock "], []]);
});

test("what an address says is done", () => {
  const { isShown, said, open } = applied("?v=100_2000&fold=x&open=a,,b&sort=trouble&old=0&pins=p&q=kill&range=1_2&notes=n&clock=utc");
  assert.deepEqual([isShown, open], [true, ["a", "b"]]);
  assert.deepEqual(said, ["folds x", "trouble", "old false", "pins p", "search kill", "stretch 1_2", "notes n", "clock utc", "show 100 2000", "drawn"]);
});

test("with a stretch of time an empty list of folds unfolds everything", () => assert.equal(applied("?v=0_10").said[0], "folds "));

test("a stretch that is none, or other words for sort and old, change nothing", () => {
  for (const search of ["?v=10_10", "?v=20_10", "?v=a_b", "?v=5"]) assert.equal(applied(search).isShown, false, search);
  assert.equal(applied("?v=-10_10").isShown, true);
  assert.deepEqual(applied("?sort=name&old=1").said, ["pins ", "stretch ", "notes ", "clock "]);
});

test("the address of a moment carries whatever is chosen, and a command with its line only", () => {
  const moment = { t_ms: 1500, seq: 3, sel: "", rec: 0, tab: "" };
  assert.equal(momentQuery(moment), "t=1.5");
  assert.equal(momentQuery({ ...moment, rec: 7, tab: "diff", part: "x", line: "get pods", did: 4, pin: "2000", noise: "1", q: "kill", sort: "" }), "t=1.5&rec=7&tab=diff&part=x&k=get+pods&did=4&pin=2&noise=1&q=kill");
  assert.equal(momentQuery({ ...moment, did: 4 }), "t=1.5");
  assert.equal(momentQuery({ ...moment, line: "get pods", did: 0 }), "t=1.5&k=get+pods");
  assert.equal(momentQuery({ ...moment, line: "get pods", namespace: "team" }), "t=1.5&k=get+pods&ns=team");
  assert.equal(momentQuery({ ...moment, namespace: "team" }), "t=1.5");
});
