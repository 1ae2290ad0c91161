import "../setup.mjs";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { row, storeOf } from "../records.mjs";

const { commandsOf } = await import("../../../static/js/commands/entries.js");

addTexts({ "commands.refused": "refused", "commands.fields": "fields", "commands.time": "time", "commands.views": "views", "commands.speed": "speed {rate}", "commands.undo": "undo", "commands.acts": "acts on {name}", "commands.pages": "pages", "commands.branches": "branches", "commands.runs": "own runs", "commands.settings": "settings" });

/** What the page has, by selector; what is done. */
let found;
let done;

beforeEach(() => {
  [found, done] = [{}, []];
  globalThis.document.querySelectorAll = /** @type {any} */ ((selector) => found[selector] ?? []);
  globalThis.document.querySelector = /** @type {any} */ ((selector) => found[selector]?.[0] ?? null);
});

/** An element with these words, which has what stands in `below` and stands in what `above` names. */
function element(words = "", { title = "", attributes = {}, below = {}, above = {}, isShown = true, ...more } = {}) {
  const matches = (selector) => selector in above;
  const own = { textContent: words, title, dataset: {}, offsetParent: isShown ? {} : null, getAttribute: (name) => attributes[name] ?? null, matches, querySelector: (selector) => below[selector]?.[0] ?? null, querySelectorAll: (selector) => below[selector] ?? [], ...more };
  return Object.assign(own, { closest: (selector) => above[selector] ?? null, click: () => done.push(`click ${words || title}`) });
}
const ACT = "form button:not([type=button])";
const FIELDS = "input:not([type=hidden]), select";

/** An act of a menu as the server makes it. */
function act(words, { fields = 0, refused = false, heading = "", code = "" } = {}) {
  const form = element("", { below: { [FIELDS]: Array(fields).fill({}), "code.kubectl": code ? [element(code)] : [], h3: heading ? [element(heading)] : [] }, name: words });
  return element(words, { above: { form }, attributes: refused ? { "aria-disabled": "true" } : {} });
}

/** A page whose menu offers these acts. */
function page(acts = null, headings = 0) {
  const body = element("", { below: { [ACT]: acts ?? [], h3: Array(headings).fill({}) } });
  const menu = acts && { title: element("web"), body, show: (form) => done.push(`show ${form.name}`) };
  return { sel: "", store: storeOf(), menu: { menu }, playhead: { t_ms: 0 }, transport: {}, timeline: null };
}
const listed = (own = page(), actions = {}) => commandsOf(own, actions, "");
const inGroup = (group, own, actions) => listed(own, actions).filter((command) => command.group === group);

test("an act with fields leads to them, one without or one that would be refused is asked for at once", () => {
  for (const { run } of inGroup("acts on web", page([act("Delete"), act("Scale", { fields: 1 }), act("Drain", { fields: 1, refused: true })]))) run();
  assert.deepEqual(done, ["click Delete", "show Scale", "click Drain"]);
});

test("an act says whether it has fields or would be refused, and of which part it is where there are several", () => {
  const notes = (headings) => inGroup("acts on web", page([act("Delete", { heading: "app" }), act("Scale", { fields: 2 }), act("Drain", { fields: 1, refused: true })], headings)).map(({ note, refused }) => [note, refused]);
  assert.deepEqual(notes(1), [["", false], ["fields", false], ["refused", true]]);
  assert.equal(notes(2)[0][0], "app");
});

test("an act has its line of kubectl, and before the menu has come there are none", () => {
  assert.deepEqual(inGroup("acts on web", page([act("Delete", { code: " kubectl delete " }), act("Kill")])).map(({ code }) => code), ["kubectl delete", ""]);
  assert.deepEqual(inGroup("acts on web"), []);
});

const button = (action, words, more = {}) => element(words, { ...more, dataset: { do: action } });
const TIME = { "#transport, .timeline": {} };
const ACTIONS = { play: () => done.push("play"), share: () => done.push("share"), commands: () => {} };

test("a button of the transport bar or the lanes is about time, any other is a view", () => {
  found["[data-do]"] = [button("play", "Play", { above: TIME }), button("share", "Share")];
  assert.deepEqual(["time", "views"].map((group) => inGroup(group, page(), { play: ACTIONS.play, share: ACTIONS.share }).map(({ label }) => label).filter((label) => label === "Play" || label === "Share")), [["Play"], ["Share"]]);
});

test("an action is listed once, if the page has it, by what does something and not by this list", () => {
  found["[data-do]"] = [button("share", "Share"), button("share", "Share this"), button("fit", "Fit"), button("commands", "List")];
  const own = listed(page(), ACTIONS).map(({ label }) => label).filter((label) => ["Share", "Share this", "Fit", "List"].includes(label));
  assert.deepEqual(own, ["Share"]);
  listed(page(), ACTIONS).find(({ label }) => label === "Share").run();
  assert.deepEqual(done, ["share"]);
});

test("a hidden button offers nothing, one in a closed menu does unless it is hidden there", () => {
  const shown = (more) => {
    found["[data-do]"] = [button("share", "Share", more)];
    return listed(page(), { share: () => {} }).some(({ label }) => label === "Share");
  };
  const closed = { "details:not([open])": {} };
  assert.deepEqual([shown({}), shown({ isShown: false }), shown({ isShown: false, above: closed }), shown({ isShown: false, above: { ...closed, "[hidden]": {} } })], [true, false, true, false]);
});

test("a button is called by its label, else by its words, and by its title where it shows a sign or the time; keys are left out", () => {
  const label = (words, more) => {
    found["#inspector [data-edit]"] = [element(words, more)];
    return inGroup("views").at(-1).label;
  };
  assert.equal(label("Edit", { attributes: { "aria-label": "Edit the manifest" }, title: "no" }), "Edit the manifest");
  assert.equal(label(" Edit\n  it ", { title: "no" }), "Edit it");
  assert.equal(label("✎", { title: "Edit (E)" }), "Edit");
  assert.equal(label("0:05 s", { title: "Go to", above: { ".transport__time": {} } }), "Go to");
});

const rates = (...words) => words.map((each) => ({ text: each }));

test("each speed for which there is an action is a command, and none where the speed is fixed", () => {
  const speeds = (menu) => {
    found["[data-speed]"] = [menu];
    return inGroup("time", page(), { speed1: () => done.push(1), speed2: () => done.push(2) }).filter(({ label }) => label.startsWith("speed"));
  };
  const some = speeds({ disabled: false, options: rates("1×", " 2× ", "4×") });
  for (const { run } of some) run();
  assert.deepEqual([some.map(({ label }) => label), done], [["speed 1×", "speed 2×"], [1, 2]]);
  assert.deepEqual([speeds({ disabled: true, options: rates("1×") }), speeds(null)], [[], []]);
});

test("undoing says that it would be refused only where there was no act", () => {
  const note = (...rows) => inGroup("time", { ...page(), store: storeOf(...rows) }).find(({ label }) => label === "undo").note;
  assert.deepEqual([note(row(1, 5, { kind: "command", machine: "command", target: "accepted", data: { do: "exec" } })), note(row(1, 5))], ["", "refused"]);
});

test("a level offers what its own buttons do, those that are shown", () => {
  found["#level-title"] = [element(" Level 3 ")];
  found["[data-level-do]"] = [element("Give up", { title: "ends it" }), element("Hidden", { isShown: false })];
  const own = inGroup("Level 3");
  own[0].run();
  assert.deepEqual([own.map(({ label, more }) => [label, more]), done], [[["Give up", "ends it"]], ["click Give up"]]);
});

test("a page is listed once, the one of scenarios also for one's own runs", () => {
  const link = (words, pathname) => element(words, { pathname, href: `http://x${pathname}` });
  found[".topbar a[href]:not(.menu a), #help nav a, .rail a[href^='/']"] = [link("Levels", "/levels/"), link("Scenarios", "/scenarios/"), link("Levels again", "/levels/")];
  assert.deepEqual(inGroup("pages").map(({ label }) => label), ["Levels", "Scenarios", "own runs"]);
  const gone = [];
  globalThis.location = /** @type {any} */ ({ assign: (url) => gone.push(url) });
  for (const { run } of inGroup("pages")) run();
  assert.deepEqual([gone, done], [["http://x/scenarios/#own-runs"], ["click Levels", "click Scenarios"]]);
});

test("a language is listed in its own words", () => {
  found["#language-menu [name=language]"] = [element("简体中文", { lang: "zh-hans" })];
  assert.deepEqual(inGroup("settings").filter(({ lang }) => lang).map(({ label, lang, more }) => [label, lang, more]), [["简体中文", "zh-hans", "zh-hans language"]]);
});
