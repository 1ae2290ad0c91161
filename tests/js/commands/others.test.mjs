import "../setup.mjs";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { alsoOf, asksIn, OtherActs } from "../../../static/js/commands/others.js";
import { FakeElement, makeElements } from "../page.mjs";
import { row, storeOf } from "../records.mjs";

makeElements();
addTexts({ "commands.refused": "refused", "commands.others": "others" });

/** A button of a menu, as the server makes it. */
const button = (label, { heading = "", refused = false, title = "" } = {}) => ({ textContent: label, title, form: null, getAttribute: () => (refused ? "true" : null), closest: () => ({ querySelector: () => ({ textContent: heading }) }) });
/** What is asked for, and the buttons of every menu. */
let asked;
let buttons;

beforeEach(() => {
  asked = [];
  buttons = [button("Delete pod"), button(" Kill  it ", { heading: "app", refused: true }), button("", { title: "By its title" })];
  globalThis.document.querySelectorAll = /** @type {any} */ (() => buttons);
  globalThis.document.querySelector = () => null;
  globalThis.fetch = /** @type {any} */ (async (url) => (asked.push(new URL(url, "http://x").searchParams.get("sel")), { ok: true, text: async () => "<form>" }));
});

/** A run with a Deployment, a node and so many pods, of which the first is selected. */
function page(pods = 2, sel = "container/default/p0/app") {
  const store = storeOf(
    ...Array.from({ length: pods }, (_, index) => row(index + 1, 0, { machine: "status_word", subject: `pod/default/p${index}`, target: "Running" })),
    row(pods + 1, 0, { machine: "workload", subject: "deployment/default/api", target: "complete", data: { there: 1, wanted: 1 } }),
    row(pods + 2, 0, { machine: "status_word", subject: "pod/default/gone", target: "Running" }),
    row(pods + 3, 1, { machine: "object", subject: "pod/default/gone", target: "gone" }),
  );
  return { sel, store, panelBase: "/at/", playhead: { seq: 9, t_ms: 100 }, select() {}, menu: { want() {} } };
}

test("the menus of what is there and not selected are asked for, once for a moment", async () => {
  const own = new OtherActs(page());
  let told = 0;
  await own.gather(() => (told += 1));
  await own.gather(() => (told += 1));
  assert.deepEqual([asked, told], [["deployment/default/api", "pod/default/p1"], 2]);
  own.page.playhead.seq = 10;
  await own.gather(() => {});
  assert.equal(asked.length, 4);
});

test("an act is told by its name, its object, its part, and whether it would be refused", async () => {
  const own = new OtherActs(page());
  await own.gather(() => {});
  assert.deepEqual(own.commands().filter(({ note }) => note.startsWith("p1")).map(({ label, note, refused }) => [label, note, refused]), [["Delete pod", "p1", false], ["Kill it", "p1 · app · refused", true], ["By its title", "p1", false]]);
});

test("a heading that is the object's own name is not said twice", async () => {
  buttons = [button("Kill it", { heading: "p1" })];
  const own = new OtherActs(page());
  await own.gather(() => {});
  assert.deepEqual(own.commands().map(({ note }) => note), ["api · p1", "p1"]);
});

test("twelve menus are asked for, the other objects of a kind get the acts of one that was", async () => {
  const own = new OtherActs(page(20));
  await own.gather(() => {});
  assert.equal(asked.length, 12);
  buttons = [];
  const notes = own.commands().map(({ note }) => note);
  assert.deepEqual([notes.includes("p12 · app · refused"), notes.includes("p19 · refused"), notes.some((note) => note.startsWith("p0")), notes.some((note) => note.startsWith("gone"))], [false, true, false, false]);
});

test("before any menu has come there are no acts", () => assert.deepEqual(new OtherActs(page()).commands(), []));

test("answers to a moment that is over are left", async () => {
  const own = new OtherActs(page());
  const first = own.gather(() => {});
  own.page.playhead.seq = 10;
  await own.gather(() => {});
  await first;
  assert.deepEqual([...own.known.keys()], ["deployment/default/api", "pod/default/p1"]);
});

test("an act with fields asks", () => {
  const form = (count) => Object.assign(new FakeElement("form"), { querySelectorAll: () => Array(count).fill({}) });
  assert.deepEqual([asksIn(form(0)), asksIn(form(1))], [false, true]);
});

test("only acts after which a container starts again are found by that", () => {
  addTexts({ "commands.also_restart": "restart" });
  const form = (value) => ({ querySelector: (selector) => (selector === 'input[name="do"]' ? value && { value } : null) });
  assert.deepEqual(["exit_container", "signal_container", "oom_container", "delete_pod", null].map((value) => alsoOf(form(value))), ["restart", "restart", "restart", "", ""]);
  assert.equal(alsoOf(null), "");
});
