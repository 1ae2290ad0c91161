import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { FoundFaults } from "../../../static/js/levels/found.js";
import { FakeElement, makeElements } from "../page.mjs";

addTexts({ "level.cause_select": "select one", "level.cause_known": "known: {told}", "level.cause_right": "found: {told}", "level.count": "{kept} of {all}" });

let kept;
let told;

beforeEach(() => {
  makeElements();
  globalThis.Text = /** @type {any} */ (class {});
  [kept, told] = [new Map(), []];
  globalThis.localStorage = /** @type {any} */ ({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) });
  globalThis.window = /** @type {any} */ ({ setTimeout() {}, clearTimeout() {} });
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "#toasts" ? { children: [], append: ({ attributes, textContent }) => told.push(`${attributes["data-tone"]}: ${textContent}`) } : null));
});

const RECORDS = { 3: { at_ms: 3000, subject: "pod/default/web" }, 7: { at_ms: 7000, subject: "pod/default/api" } };

/** The faults of a run, the site's coming answers, and the list as shown on the card. */
function faults({ rec = 0, run = "r1", records = RECORDS, answers = [] } = {}) {
  const [count, list] = [new FakeElement("p"), new FakeElement("ul")];
  const place = { hidden: true, querySelector: (selector) => (selector === "[data-found-count]" ? count : list) };
  const card = { querySelector: (selector) => (selector === "[data-level-found]" ? place : null) };
  const asked = [];
  const page = { main: { dataset: { run } }, rec, narrator: { shown_seq: 0 }, store: { get: (seq) => records[seq] } };
  const found = new FoundFaults(/** @type {any} */ (card), page, async (what, fields) => (asked.push([what, fields.seq]), answers.shift()));
  const shown = () => (place.hidden ? null : [count.textContent, ...list.children.map((item) => [item.textContent, item.children.some(({ tag }) => tag === "a")])]);
  const links = () => list.children.map((item) => item.children.find(({ tag }) => tag === "a")?.attributes);
  return { found, page, asked, shown, links };
}
const right = (fault, more = {}) => ({ right: true, fault, told: `The ${fault}.`, of: 2, ...more });

test("a record that shows a fault is kept with its moment, and the faults stand in the order of their records", async () => {
  const { found, page, asked, shown } = faults({ rec: 7, answers: [right("probe"), right("image")] });
  await found.name();
  page.rec = 3;
  await found.name();
  assert.deepEqual(asked, [["cause", "7"], ["cause", "3"]]);
  assert.deepEqual(shown(), ["2 of 2", ["The image. 0:03.0", true], ["The probe. 0:07.0", true]]);
  assert.deepEqual(told, ["ok: found: The probe.", "ok: found: The image."]);
});

test("a fault that is known is there once, at the record that was named last", async () => {
  const { found, page, shown } = faults({ rec: 7, answers: [right("probe"), right("probe")] });
  await found.name();
  page.rec = 3;
  await found.name();
  assert.deepEqual(shown(), ["1 of 2", ["The probe. 0:03.0", true]]);
  assert.equal(told[1], "ok: known: The probe.");
});

test("a fault leads to its record, with why, or to its moment where no record is known", async () => {
  const { found, links } = faults({ rec: 3, answers: [right("probe")] });
  await found.name();
  assert.deepEqual(links(), [{ href: "?t=3&sel=pod%2Fdefault%2Fweb&rec=3&tab=why", "data-seek-seq": "3", "data-open-tab": "why" }]);
  kept.set("podscope.levels", JSON.stringify({ found: { r1: [{ ...right("image"), seq: 0, at_ms: 4000, subject: "" }] } }));
  found.show();
  assert.deepEqual(links(), [{ href: "?t=4", "data-seek": "4000" }]);
});

test("without a record nothing is asked, and the one that was told of counts where none is selected", async () => {
  const { found, page, asked } = faults({ answers: [right("probe")] });
  await found.name();
  assert.deepEqual([asked, told], [[], ["warn: select one"]]);
  page.narrator.shown_seq = 3;
  await found.name();
  assert.deepEqual(asked, [["cause", "3"]]);
});

test("a record that shows no fault is told of and not kept, nor is anything without an answer", async () => {
  const { found, shown } = faults({ rec: 3, answers: [{ right: false, told: "Look closer." }, null] });
  await found.name();
  await found.name();
  found.show();
  assert.deepEqual([told, shown()], [["warn: Look closer."], null]);
});

test("in another attempt the faults are known, with a link only where its record is the same", async () => {
  const first = faults({ rec: 3, answers: [right("probe"), right("image")] });
  first.found.takeTo("r3");
  await first.found.name();
  first.page.rec = 7;
  await first.found.name();
  first.found.takeTo("r2");
  const second = faults({ run: "r2", records: { 3: { at_ms: 3000, subject: "pod/default/web" }, 7: { at_ms: 7000, subject: "pod/default/other" } } });
  second.found.show();
  assert.deepEqual(second.shown(), ["2 of 2", ["The probe. 0:03.0", true], ["The image. 0:07.0", false]]);
  assert.deepEqual(faults({ run: "r3" }).found.known(), []);
});
