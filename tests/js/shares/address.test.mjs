import assert from "node:assert/strict";
import { test } from "node:test";

import { momentQuery, wireCopyAndDialogs } from "../../../static/js/shares/address.js";
import { FakeElement } from "../page.mjs";

test("moment link names what is looked at and nothing more", () => {
  assert.equal(momentQuery({ t_ms: 48_000, seq: 9, sel: "pod/default/web", rec: 0, tab: "why" }), "t=48&sel=pod%2Fdefault%2Fweb&tab=why");
});

/** Every listener of the page, what is copied and shown. */
function wired({ marked = false } = {}) {
  const [heard, done] = [[], []];
  const tell = (name, event) => {
    const own = { isOurs: false, preventDefault: () => (own.isOurs = true), stopPropagation() {}, ...event };
    for (const [each, listener] of heard) if (each === name) listener(own);
    return own.isOurs;
  };
  class Dialog extends FakeElement {
    showModal() { done.push("show"); }
    close() { done.push("close"); }
  }
  const dialog = new Dialog("dialog");
  const found = {};
  Object.assign(globalThis, { Element: FakeElement, HTMLElement: FakeElement, HTMLDialogElement: Dialog, getSelection: () => ({ isCollapsed: !marked }) });
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard: { writeText: async (words) => done.push(`copy ${words}`) } } });
  Object.assign(globalThis.document, { addEventListener: (name, listener) => heard.push([name, listener]), getElementById: (id) => (id === "help" ? dialog : id === "words" ? new FakeElement("p") : null), querySelector: (selector) => found[selector] ?? null });
  wireCopyAndDialogs();
  /** An element that itself, or what it stands in, has what is told. */
  const element = (above, dataset = {}, isCopy = false) => Object.assign(new FakeElement("button"), { dataset, matches: () => isCopy, closest: (selector) => above[selector] ?? null });
  const within = (selector, dataset) => element({ [selector]: element({}, dataset) });
  return { done, dialog, element, found, tell, within };
}

test("what carries words copies them when it is clicked, unless the click ends the marking of text", () => {
  const click = (more) => {
    const { done, tell, within } = wired(more);
    tell("click", { target: within("[data-copy]", { copy: "kubectl get pods" }) });
    tell("click", { target: within("none", {}) });
    tell("click", { target: {} });
    return done;
  };
  assert.deepEqual([click(), click({ marked: true })], [["copy kubectl get pods"], []]);
});

test("words that can be focused are copied by Enter and Space", () => {
  const { done, element, tell } = wired();
  const press = (key, isCopy = true) => tell("keydown", { key, target: element({}, { copy: "x" }, isCopy) });
  assert.deepEqual([press("Enter"), press(" "), press("a"), press("Enter", false), tell("keydown", { key: "Enter", target: {} })], [true, true, false, false, false]);
  assert.deepEqual(done, ["copy x", "copy x"]);
});

test("a dialog is shown by what names it, and closed by what stands in it", () => {
  const { done, dialog, element, tell, within } = wired();
  assert.deepEqual(["help", "words", "none"].map((name) => tell("click", { target: within("[data-dialog]", { dialog: name }) })), [true, false, false]);
  tell("click", { target: element({ "[data-close]": element({ dialog }) }) });
  assert.deepEqual(done, ["show", "close"]);
});

test("Escape closes an open menu first, and its summary has the focus again", () => {
  const { found, tell } = wired();
  assert.equal(tell("keydown", { key: "Escape", target: {} }), false);
  const menu = Object.assign(new FakeElement("details"), { attributes: { open: "" }, querySelector: () => ({ focus: () => (menu.isFocused = true) }) });
  found["details.menu[open]"] = menu;
  assert.equal(tell("keydown", { key: "ArrowDown", target: {} }), false);
  assert.deepEqual([tell("keydown", { key: "Escape", target: {} }), menu.attributes, menu.isFocused], [true, {}, true]);
});
