import "../setup.mjs";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { FakeElement, makeElements } from "../page.mjs";
import { row, storeOf } from "../records.mjs";

/** The dialog of the list, once it has been opened. */
let dialog;
/** What the page does. */
let done;

makeElements();
globalThis.Element = /** @type {any} */ (FakeElement);
globalThis.HTMLElement = /** @type {any} */ (FakeElement);
globalThis.document.documentElement = /** @type {any} */ ({ dataset: {} });
globalThis.document.querySelectorAll = () => [];
globalThis.document.body = /** @type {any} */ ({
  append: (made) => {
    dialog = Object.assign(made, {
      open: false,
      showModal: () => (dialog.open = true),
      close: () => {
        dialog.open = false;
        dialog.listeners.close();
      },
    });
  },
});
const { commandsOf } = await import("../../../static/js/commands/entries.js");
const { openCommands } = await import("../../../static/js/commands/box.js");

const APP = "container/default/web/app";
const STORE = storeOf(
  row(1, 1000, { machine: "status_word", target: "Running" }),
  row(2, 1000, { machine: "container_status", subject: APP, target: "running" }),
  row(3, 2000, { machine: "workload", subject: "deployment/default/api", target: "complete", data: { there: 1, wanted: 1 } }),
  row(4, 3000, { machine: "requests", subject: "requests/default/shop/web", target: "answered" }),
  row(5, 4000, { machine: "node_condition", subject: "node/north", data: { condition: "Ready", status: "True" } }),
  row(6, 5000, { kind: "command", machine: "command", target: "accepted", data: { do: "exec" } }),
  row(7, 9000, { kind: "event", target: "Killing", data: { message: "Stopping" } }),
);

beforeEach(() => (done = []));

/** A page of a run. */
function page(more = {}) {
  const say = (what) => (value) => done.push(`${what} ${value}`);
  return {
    sel: "",
    store: STORE,
    menu: { menu: null, want() {} },
    playhead: { seq: 7, t_ms: 9000, seek: say("seek"), replay: say("replay") },
    transport: { goTo: say("go"), first: say("first") },
    timeline: { showLane: say("lane"), element: { focus() {} }, search: { focus() {}, set: say("search") } },
    select: say("select"),
    seekTo: say("seekTo"),
    stepped: (task) => task(),
    openTab: say("tab"),
    ...more,
  };
}
const listed = (typed, own = page(), actions = {}) => commandsOf(own, actions, typed);
const named = (label, typed = "", own = page()) => listed(typed, own).find((command) => command.label === label);

test("whatever has a lane of its own can be gone to", () => {
  const gone = ["web", "web ▸ app", "api", "shop", "north"].map((label) => (named(label).run(), done.splice(0)[0]));
  assert.deepEqual(gone, ["select pod/default/web", `select ${APP}`, "select deployment/default/api", "select service/default/shop", "select node/north"]);
});

test("pods and containers say their state", () => assert.deepEqual([named("web").note, named("web ▸ app").note, named("api").note], ["Pod · Running", "Container · Running", "deployment"]));

test("a pod that shows nothing has no state to say", () => {
  const store = storeOf(row(1, 0, { machine: "phase", target: "Pending" }));
  assert.equal(named("web", "", page({ store })).note, "Pod");
});

test("a moment that is typed can be gone to, a record where there is one", () => {
  const goes = (typed) => listed(typed).filter(({ always }) => always).map(({ run }) => (run(), done.splice(0)[0])).filter((words) => words.startsWith("go"));
  assert.deepEqual([goes("0:05"), goes("#3"), goes("#99"), goes("  "), goes("web")], [["go 0:05"], ["go #3"], [], [], []]);
});

test("what the search finds is listed, then the search itself", () => {
  const found = listed("killing").filter(({ always }) => always);
  for (const { run } of found) run();
  assert.deepEqual(done, ["seekTo 7", "lane undefined", "search killing"]);
});

test("one letter, a selector or a page without lanes is not searched for", () => {
  const searches = (typed, own) => listed(typed, own).filter(({ always }) => always).length;
  assert.deepEqual([searches("k"), searches("ki"), searches("killing", page({ timeline: null })), searches("app=web")], [0, 2, 0, 1]);
});

test("where there was no act, undoing does nothing", () => {
  listed("", page({ store: storeOf(row(1, 0)) })).find(({ refused }) => refused !== undefined).run();
  assert.deepEqual(done, []);
});

test("the last act can be undone by going to before it, where there was one", () => {
  const undo = (own) => listed("", own).find(({ refused }) => refused !== undefined);
  undo(page()).run();
  assert.deepEqual([done, undo(page()).refused, undo(page({ store: storeOf(row(1, 0)) })).refused], [["seek 4999"], false, true]);
});

test("a run can be seen again from its beginning", () => {
  const commands = listed("");
  const at = commands.findIndex(({ refused }) => refused !== undefined);
  commands[at + 1].run();
  assert.deepEqual(done, ["first undefined", "replay undefined"]);
});

test("a tab of the drawer is a view, and its action that of its key where there is one", () => {
  const own = page({ drawer: { tabs: [{ dataset: { tab: "yaml" }, textContent: " YAML " }, { dataset: { tab: "odd" }, textContent: "" }] } });
  for (const label of ["YAML", "odd"]) commandsOf(own, { yaml: () => done.push("yaml") }, "").find((command) => command.label === label).run();
  assert.deepEqual(done, ["yaml", "tab odd"]);
});

test("the narrator can be made silent, and be heard again", () => {
  const turn = (isSilent) => {
    const own = page({ narrator: { isSilent, silence: (is) => done.push(is) } });
    listed("", own).find(({ more }) => more === "narrator mute").run();
  };
  turn(false);
  turn(true);
  assert.deepEqual(done, [true, false]);
});

const press = (key, more = {}) => dialog.listeners.keydown({ key, code: key, isComposing: false, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, preventDefault() {}, stopPropagation() {}, ...more });
const marked = () => dialog.children[0].attributes["aria-activedescendant"];

/** The list over a page with twenty pods. */
function opened() {
  const store = storeOf(...Array.from({ length: 20 }, (_, index) => row(index + 1, 0, { machine: "status_word", subject: `pod/default/p${index}`, target: "Running" })));
  if (dialog?.open) dialog.close();
  openCommands(page({ store, menu: { menu: null, want: (task) => task({ gather: () => new Promise(() => {}), leave() {} }) } }), {});
  const list = dialog.children[1];
  // As much of looking for a line as the list does.
  list.querySelector = (selector) => (selector.startsWith("#command-") && Number(selector.slice(9)) < lines().length ? { id: selector.slice(1), setAttribute() {}, scrollIntoView() {}, previousElementSibling: null } : null);
  press("ArrowDown");
  press("ArrowUp");
  return list;
}
const lines = () => dialog.children[1].children.flatMap(({ children }) => children.slice(1));

test("arrows go through the list in a circle, pages stop at its ends", () => {
  opened();
  const count = lines().length;
  const after = (...keys) => (keys.forEach((key) => press(key)), marked());
  assert.equal(marked(), "command-0");
  assert.deepEqual([after("ArrowUp"), after("ArrowDown"), after("PageDown"), after("ArrowDown"), after("PageUp"), after("PageUp")], [`command-${count - 1}`, "command-0", "command-8", "command-9", "command-1", "command-0"]);
  assert.equal(after(...Array(9).fill("PageDown")), `command-${count - 1}`);
});

test("a key with Ctrl is not one of the list's", () => {
  opened();
  press("ArrowDown", { ctrlKey: true });
  assert.equal(marked(), "command-0");
});

test("Ctrl+K closes the list again", () => {
  opened();
  press("k", { code: "KeyK", ctrlKey: true });
  assert.equal(dialog.open, false);
});

test("a line that is clicked is done, and nothing beside the lines", () => {
  const list = opened();
  const click = (line) => list.listeners.click({ target: Object.assign(new FakeElement("span"), { closest: () => line }) });
  click(null);
  assert.deepEqual([dialog.open, done], [true, []]);
  const at = lines().findIndex(({ textContent }) => textContent.includes("p3"));
  click(Object.assign(lines()[at], { dataset: { at: String(at) } }));
  assert.deepEqual([dialog.open, done.slice(0, 1)], [false, ["select pod/default/p3"]]);
});

test("a click beside the list closes it, one within does not", () => {
  const list = opened();
  dialog.listeners.click({ target: list });
  assert.equal(dialog.open, true);
  dialog.listeners.click({ target: dialog });
  assert.equal(dialog.open, false);
});

test("a line that would be refused is told as one that cannot be used", () => {
  opened();
  const refused = lines().filter((line) => line.attributes["aria-disabled"] === "true");
  assert.deepEqual([refused.length, refused.length < lines().length, lines().some((line) => line.attributes["aria-disabled"] === "false")], [1, true, false]);
});
