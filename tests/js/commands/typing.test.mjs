import "../setup.mjs";

import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { FakeElement, makeElements, wordsOf } from "../page.mjs";
import { row, storeOf } from "../records.mjs";

/** The dialog of the list. */
let dialog;

makeElements();
globalThis.Element = /** @type {any} */ (FakeElement);
globalThis.HTMLElement = /** @type {any} */ (FakeElement);
globalThis.fetch = async () => ({ ok: false, text: async () => "" });
Object.assign(globalThis.document, { documentElement: { dataset: {} }, querySelectorAll: () => [] });
globalThis.document.body = /** @type {any} */ ({ append: (made) => (dialog = Object.assign(made, { open: false, showModal: () => (dialog.open = true), close: () => (dialog.open = false, dialog.listeners.close()) })) });
const { openCommands } = await import("../../../static/js/commands/box.js");

before(() => addTexts({ "commands.one": "one", "commands.count": "{n}", "commands.nothing": "none", "commands.loading": "loading", "commands.more": "{n} of {all}", "commands.lanes": "lanes", "commands.time": "time" }));

const STORE = storeOf(...Array.from({ length: 70 }, (_, index) => row(index + 1, 0, { machine: "status_word", subject: `pod/default/web-${index}`, target: "Running" })));
const selected = [];
const PAGE = { sel: "", select: (subject) => selected.push(subject), panelBase: "/at/", store: STORE, menu: { menu: null, want: (task) => task({ gather: async () => {}, leave() {} }) }, playhead: { seq: 1, t_ms: 0 }, transport: {}, timeline: null };

beforeEach(async () => {
  if (dialog?.open) dialog.close();
  openCommands(PAGE, {});
  await new Promise((resolve) => setImmediate(resolve));
});

const press = (key) => dialog.listeners.keydown({ key, code: key, preventDefault() {}, stopPropagation() {} });
/** What stands below the list once so much is typed. */
function typed(words) {
  dialog.children[0].value = words;
  press("ArrowDown");
  press("ArrowUp");
  return dialog.children[2].textContent;
}
const labels = () => wordsOf(dialog.children[1].children, "commands__label");
const groups = () => wordsOf(dialog.children[1].children, "commands__group");

test("how many commands fit is told, and of too many how many are shown", () => {
  assert.deepEqual([typed("web-69"), labels()], ["one", ["web-69"]]);
  assert.deepEqual([typed("web-6"), labels().length], ["16", 16]);
  assert.deepEqual([typed("web-"), labels().length], ["60 of 70", 60]);
  assert.deepEqual([typed("zzzzzz"), labels()], ["none", []]);
});

test("commands of one group stand below its name, which is said once", () => {
  typed("web-6");
  assert.deepEqual(groups(), ["lanes"]);
  typed("");
  assert.deepEqual(groups(), [...new Set(groups())]);
});

test("Enter is about what is typed by then, and about its first line", () => {
  typed("web-6");
  press("ArrowDown");
  dialog.children[0].value = "web-5";
  press("Enter");
  assert.deepEqual([dialog.open, selected], [false, ["pod/default/web-5"]]);
});
