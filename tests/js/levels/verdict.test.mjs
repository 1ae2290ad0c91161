import assert from "node:assert/strict";
import { before, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { foundAhead, showVerdict } from "../../../static/js/levels/verdict.js";
import { FakeElement, makeElements } from "../page.mjs";

before(() => {
  makeElements();
  addTexts({ "level.passed": "passed", "level.not_passed": "missed", "level.acts": "acts {acts} of {best}", "level.unneeded": "unneeded", "level.next": "next {title}", "level.all_done": "all done", "level.more": "more levels", "level.not_this_way": "not {acts}", "level.too_much": "too much", "level.other_seed": "seed {seed}", "level.go_to": "go to {time}", "level.ahead": "at the end" });
});

const TOLD = { passed: true, seed: 1, own_seed: 1, seeds: [{ seed: 1, passed: true }], forbidden: [], is_whole: true, acts: 3, best: 3, unneeded: [], points: 5, points_max: 5, checks: [] };
const RUN = { checks: [{ id: "c", text: "the pod is Ready" }], end_ms: 10_000, moment: () => undefined };
const MISSED = { id: "c", verdict: "broken", at_ms: 4000, seq: 0, subject: "pod/default/web", reason: "it was not" };

/** What the page shows for an answer. */
function shown(told, run = {}) {
  const place = new FakeElement("div");
  showVerdict(place, { ...TOLD, ...told }, { ...RUN, ...run });
  return { place, words: place.textContent };
}
const failed = (check = {}, told = {}, run = {}) => shown({ passed: false, checks: [{ ...MISSED, ...check }], ...told }, run);
const all = (element) => [element, ...(element.children ?? []).flatMap(all)];
const way = ({ place }) => all(place).find(({ tag }) => tag === "a" || tag === "button")?.attributes ?? null;

test("a level that was passed with more acts than it takes says so, and which were not needed", () => {
  const says = (told, words) => shown(told).words.includes(words);
  assert.deepEqual([says({}, "acts"), says({ acts: 4 }, "acts 4 of 3"), says({ acts: 4, best: null }, "acts"), says({ unneeded: ["a"] }, "unneeded"), says({}, "unneeded")], [false, true, false, true, false]);
});

test("it says first whether the level was passed", () => {
  const first = (told) => shown(told).place.children[0].children[0].textContent;
  assert.deepEqual([first({}), first({ passed: false })], ["passed", "missed"]);
});

test("the next level is led to, or all are done", () => {
  assert.deepEqual([shown({ next: { title: "B", url: "/b" } }).words.includes("next B"), shown({}).words.includes("all done")], [true, true]);
  assert.equal(shown({}).place.dataset.passed, "true");
});

test("a level of somebody's own is followed by none, and is not called the last", () => {
  const said = shown({ next: null, more: "/levels/" });
  assert.deepEqual([way(said)?.href, said.words.includes("more levels"), said.words.includes("all done")], ["/levels/", true, false]);
});

test("a level that was not passed says what was missed, in the words of its check or by its name", () => {
  assert.match(failed().words, /the pod is Ready it was not/);
  assert.match(failed({ id: "other" }).words, /other it was not/);
  assert.equal(failed().place.dataset.passed, "false");
});

test("checks that held, or are open still, were not missed", () => {
  for (const verdict of ["kept", "open"]) assert.doesNotMatch(failed({ verdict }).words, /Ready/);
});

test("acts that are not allowed, a run that is too long and another seed are said", () => {
  const words = (told) => failed({}, told).words;
  assert.deepEqual([/not a, b/.test(words({ forbidden: ["a", "b"] })), /too much/.test(words({ is_whole: false })), /seed 2/.test(words({ seed: 2 })), /not |too much|seed/.test(words({}).replace("it was not", ""))], [true, true, true, false]);
});

test("the moment that decided is led to in the reader's own run only", () => {
  assert.deepEqual([way(failed()), way(failed({}, { seed: 2 })), way(failed({ at_ms: null }))], [{ href: "?t=4", "data-seek": "4000" }, null, null]);
});

test("a record that decided is shown with why, at the moment at which this run has it", () => {
  assert.deepEqual(way(failed({ seq: 7 }, {}, { moment: () => 3000 })), { href: "?t=3&sel=pod%2Fdefault%2Fweb&rec=7&tab=why", "data-seek-seq": "7", "data-open-tab": "why" });
});

test("a run that has not come so far can be led there", () => {
  assert.deepEqual(way(failed({ at_ms: 10_001, seq: 7 })), { type: "button", "data-level-run-to": "10001", "data-level-seq": "7" });
  assert.equal(way(failed({ at_ms: 10_000 })).href, "?t=10");
});

test("a check that the run has not decided tells what was found at the end, with a way there", () => {
  const place = new FakeElement("p");
  place.replaceChildren(...foundAhead({ ...MISSED, verdict: "kept", at_ms: 40_000 }, { ...RUN, end_ms: 10_000 }));
  assert.equal(place.textContent.trim(), "0:40.0 at the end");
  assert.equal(way({ place })["data-level-run-to"], "40000");
});
