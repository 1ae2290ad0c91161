import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { keepProgress, readProgress, showProgress } from "../../../static/js/learn/progress.js";

/** The browser's storage. */
let kept;

beforeEach(() => {
  kept = new Map();
  globalThis.localStorage = /** @type {any} */ ({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) });
  addTexts({ "progress.story_done": "done", "progress.story": "{done} of {all}", "progress.track": "{done} of {all} stories" });
});

/** A card of the gallery, with the element for its text. */
function card(story, steps) {
  const place = { textContent: "?" };
  return { dataset: { story, steps }, place, querySelector: () => place };
}

/** The cards and their track, once progress is shown on them. */
function shown(...cards) {
  const place = { textContent: "" };
  const track = { querySelector: () => place, querySelectorAll: (selector) => (selector === "[data-story]" ? cards : cards.filter(({ dataset }) => dataset.done === "all")) };
  const forget = { hidden: false };
  globalThis.document.querySelectorAll = /** @type {any} */ ((selector) => (selector === "[data-story]" ? cards : [track]));
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "[data-forget-progress]" ? forget : null));
  showProgress();
  return { cards: cards.map((each) => [each.dataset.done, each.place.textContent]), track: place.textContent, forget: !forget.hidden };
}

test("a card says how many of its steps are done, a track how many of its stories", () => {
  keepProgress("a", ["look", "try", "look"]);
  keepProgress("b", ["look"]);
  const { cards, track, forget } = shown(card("a", "look try"), card("b", "look try"), card("c", "look"), card("d", ""));
  assert.deepEqual(cards, [["all", "done"], ["some", "1 of 2"], ["none", ""], ["none", ""]]);
  assert.deepEqual([track, forget], ["1 of 4 stories", true]);
});

test("steps that a story no longer has are not counted", () => {
  keepProgress("a", ["gone"]);
  assert.deepEqual(shown(card("a", "look")).cards, [["none", ""]]);
});

test("there is nothing to forget where no step is done", () => {
  assert.equal(shown(card("a", "look")).forget, false);
  keepProgress("a", []);
  assert.equal(shown(card("a", "look")).forget, false);
});

test("what is kept is read without what is no list of steps", () => {
  for (const [written, read] of [["null", {}], ["not JSON", {}], ['{"a": ["x"], "b": "x", "c": null}', { a: ["x"] }]]) {
    kept.set("podscope.stories", written);
    assert.deepEqual(readProgress(), read);
  }
});
