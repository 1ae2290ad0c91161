import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { wireDaily } from "../../../static/js/levels/daily.js";
import { FakeElement } from "../page.mjs";

const TODAY = "2026-03-02";
addTexts({ "daily.done": "done", "daily.tried": "tried", "daily.open": "open" });

/** The page of the task of the day, in a browser with this progress. */
function page(levels, days = [TODAY]) {
  globalThis.localStorage = /** @type {any} */ ({ getItem: () => JSON.stringify({ levels }) });
  const items = days.map((day) => ({ dataset: { day }, title: "", sign: new FakeElement("span"), querySelector() { return this.sign; } }));
  const [signs, copy] = [new FakeElement("span"), new FakeElement("button")];
  const place = { hidden: true, querySelector: (selector) => (selector === "[data-daily-signs]" ? signs : copy) };
  wireDaily(/** @type {any} */ ({ dataset: { daily: TODAY }, querySelectorAll: () => items, querySelector: () => place }));
  return { days: items.map(({ dataset, sign, title }) => [dataset.is, sign.textContent, title]), result: place.hidden ? null : signs.textContent, copy };
}

beforeEach(() => {
  globalThis.location = /** @type {any} */ ({ origin: "https://x.example" });
});

test("each day says whether it was done, tried or not", () => {
  const levels = { "!d2026-03-01": { passed: "2026-03-01", tries: 1, acts: 2 }, [`!d${TODAY}`]: { tries: 2 } };
  assert.deepEqual(page(levels, ["2026-03-01", TODAY, "2026-02-28"]).days, [["done", "✓", "done"], ["tried", "✕", "tried"], ["open", "·", "open"]]);
});

test("today's result has a sign for each failed attempt, nine at most, and the acts of the one that passed", () => {
  const result = (known) => page({ [`!d${TODAY}`]: known }).result;
  assert.equal(result({ tries: 3, passed: TODAY, acts: 4 }), `Podscope ${TODAY} ✕✕✓ 4`);
  assert.equal(result({ tries: 1, passed: TODAY, acts: 0 }), `Podscope ${TODAY} ✓ 0`);
  assert.equal(result({ tries: 2 }), `Podscope ${TODAY} ✕✕`);
  assert.equal(result({ tries: 30 }), `Podscope ${TODAY} ${"✕".repeat(9)}`);
  assert.equal(result({ passed: TODAY, acts: 1 }), `Podscope ${TODAY} ✓ 1`);
});

test("there is no result where today's task was not tried", () => assert.equal(page({ "!d2026-03-01": { tries: 1 } }).result, null));

test("the result is copied with the address of the tasks", async () => {
  const copied = [];
  Object.defineProperty(globalThis, "navigator", { value: { clipboard: { writeText: async (words) => copied.push(words) } }, configurable: true });
  const { copy } = page({ [`!d${TODAY}`]: { tries: 1, passed: TODAY, acts: 2 } });
  await copy.listeners.click();
  assert.deepEqual(copied, [`Podscope ${TODAY} ✓ 2 https://x.example/daily/`]);
});
