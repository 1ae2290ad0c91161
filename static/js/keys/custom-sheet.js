// @ts-check
/** The sheet of keys while a reader changes them, and every place on the page that names a key. */

import { find, findAll, make, setAttributes } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { bindingOf, keyShortcuts, keysOf, usedBy, writtenOf } from "./bindings.js";
import { hasCustomKeys, customKeys, setCustomKeys } from "./custom.js";
import { changed, defaultKeys, HELP, isFixed, resetOf, sheetTextOf, showKeys } from "./sheet.js";

/** Buttons that share the key of an action with another name. */
const ALIASES = /** @type {Record<string, string>} */ ({ nextDifference: "nextInteresting" });
/** The key at the end of a button's label. */
const KEY = /\s*[(（][^()（）]{1,9}[)）]$/;

/** @type {WeakMap<HTMLElement, Record<string, string>>} the original labels of buttons */
const originalTexts = new WeakMap();

/** Show the reader's own keys in tooltips and accessible names. @param {ParentNode} [root] */
export function showCustomKeys(root = document) {
  for (const element of findAll("[data-do]", root)) {
    const action = ALIASES[element.dataset.do ?? ""] ?? element.dataset.do ?? "";
    if (!defaultKeys(action).length || isFixed(action)) continue;
    showKeyOn(element, action);
    shortcut(element, keyShortcuts(action));
  }
  for (const field of findAll(".find__input", root)) shortcut(field, keyShortcuts("search"));
}

/** @param {HTMLElement} element @param {string} keys  empty for none */
function shortcut(element, keys) {
  if (keys) setAttributes(element, { "aria-keyshortcuts": keys });
  else element.removeAttribute("aria-keyshortcuts");
}

/** @param {HTMLElement} element @param {string} action */
function showKeyOn(element, action) {
  const words = element.childElementCount ? "" : (element.textContent ?? "");
  // Always from the server's text: after several changes the key would no longer be found.
  const first = originalTexts.get(element) ?? { title: element.title, "aria-label": element.getAttribute("aria-label") ?? "", words };
  originalTexts.set(element, first);
  const now = keysOf(action);
  const own = (/** @type {string} */ before) => (now === defaultKeys(action)[0] ? before : before.replace(KEY, now ? ` (${now})` : ""));
  for (const name of ["title", "aria-label"]) if (KEY.test(first[name])) setAttributes(element, { [name]: own(first[name]) });
  if (KEY.test(first.words)) element.textContent = own(first.words);
}

/** Panels that come later name keys, too. */
export function keepShowingCustomKeys() {
  showCustomKeys();
  document.addEventListener("panel:shown", (event) => event.target instanceof Element && hasCustomKeys() && showCustomKeys(event.target));
}

class Sheet {
  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog;
    /** @type {{ action: string, button: HTMLElement } | null} the action that is waiting for a new key */
    this.asked = null;
    this.line = make("p", { class: "keys__line", role: "status" });
    this.swap = make("button", { type: "button", class: "button button--small", hidden: true, text: text("keys.own.swap") });
    this.off = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox" }));
    const label = make("label", { class: "check" }, [this.off, make("span", { text: text("keys.own.letters") })]);
    this.reset = make("button", { type: "button", class: "button button--small", text: text("keys.own.reset_all") });
    this.element = make("div", { class: "keys__own" }, [label, make("div", { class: "cluster" }, [this.line, this.swap]), this.reset]);
    find("[data-keys]", dialog)?.before(this.element);
    this.off.addEventListener("change", () => this.set({ ...customKeys(), off: !this.off.checked }, text(this.off.checked ? "keys.own.on" : "keys.own.off")));
    this.reset.addEventListener("click", () => this.set({ own: {}, off: false }, text("keys.own.all_reset")));
    this.swap.addEventListener("click", () => this.swapped());
    dialog.addEventListener("click", (event) => this.clicked(event));
    dialog.addEventListener("keydown", (event) => this.pressed(event), true);
    dialog.addEventListener("close", () => this.leave());
    this.wish = { action: "", binding: "" };
  }

  enter() {
    this.element.hidden = false;
    this.fill();
    this.say(text("keys.own.how"));
    this.off.focus();
  }

  /** Go back to the sheet for reading. */
  leave() {
    this.asked = null;
    this.element.hidden = true;
    setAttributes(find('[data-do="ownKeys"]'), { "aria-pressed": "false" });
    showKeys();
  }

  fill() {
    this.off.checked = !customKeys().off;
    showKeys(HELP, (action) => this.cell(action));
    this.hideSwap();
  }

  /** @param {string} action @returns {Node[]} */
  cell(action) {
    if (isFixed(action)) return [make("kbd", { text: keysOf(action) || defaultKeys(action)[0] })];
    const written = writtenOf(action);
    const change = make("button", { type: "button", class: "keys__key", "data-change": action, "aria-label": text("keys.own.change", { key: written || "–", action: sheetTextOf(action) }), title: text("keys.own.change_title") }, [make("kbd", { text: written || "–" })]);
    if (written === defaultKeys(action)[0]) return [change];
    const words = text("keys.own.reset", { key: defaultKeys(action)[0] });
    return [change, make("button", { type: "button", class: "keys__reset", "data-reset": action, title: words, "aria-label": words, text: "↺" })];
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-change], [data-reset]") : null;
    if (!(target instanceof HTMLElement)) return;
    const { change, reset } = target.dataset;
    if (reset) {
      this.set(resetOf(reset), text("keys.own.is_reset", { key: defaultKeys(reset)[0], action: sheetTextOf(reset) }));
      this.focus(reset);
    } else if (change) this.ask(change, target);
  }

  /** @param {string} action @param {HTMLElement} button */
  ask(action, button) {
    for (const other of findAll("[data-change]", this.dialog)) other.removeAttribute("aria-pressed");
    button.setAttribute("aria-pressed", "true");
    this.asked = { action, button };
    this.hideSwap();
    this.say(text("keys.own.press", { action: sheetTextOf(action) }));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (!this.asked || ["Shift", "Control", "Alt", "Meta", "Tab"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const { action, button } = this.asked;
    if (event.key === "Escape") {
      this.asked = null;
      button.removeAttribute("aria-pressed");
      this.say(text("keys.own.how"));
      return;
    }
    const binding = bindingOf(event);
    if (!binding) {
      this.say(text("keys.own.browser"));
      return;
    }
    this.wanted(action, binding);
  }

  /** @param {string} action @param {string} binding */
  wanted(action, binding) {
    const [key, other] = [writtenOf(binding, true), usedBy(binding)];
    if (other && other !== action) {
      this.wish = { action, binding };
      const words = { key, action: sheetTextOf(other) };
      this.say(text(isFixed(other) ? "keys.own.taken" : "keys.own.taken_swap", words));
      this.swap.hidden = isFixed(other);
      // The next key press is for the button Swap, not another choice.
      if (!this.swap.hidden) this.asked = null;
      this.swap.focus();
      return;
    }
    this.change(action, binding);
  }

  swapped() {
    this.change(this.wish.action, this.wish.binding);
  }

  /** @param {string} action @param {string} binding */
  change(action, binding) {
    this.set(changed(action, binding), text("keys.own.changed", { key: writtenOf(binding, true), action: sheetTextOf(action) }));
    this.focus(action);
  }

  /** @param {string} action */
  focus(action) {
    findAll("[data-change]", this.dialog).find((button) => button.dataset.change === action)?.focus();
  }

  /** @param {import("./custom.js").CustomKeys} keys @param {string} words */
  set(keys, words) {
    this.asked = null;
    setCustomKeys(keys);
    this.fill();
    this.say(words);
    showCustomKeys();
  }

  hideSwap() {
    this.swap.hidden = true;
  }

  /** @param {string} words */
  say(words) {
    this.line.textContent = words;
  }
}

/** @type {Sheet | null} */
let sheet = null;

/** Start changing keys on the sheet, or finish. */
export function changeKeys() {
  const dialog = /** @type {HTMLDialogElement | null} */ (find("dialog#help"));
  if (!dialog) return;
  if (!dialog.open) dialog.showModal();
  sheet ??= new Sheet(dialog);
  const button = find('[data-do="ownKeys"]', dialog);
  const isOn = button?.getAttribute("aria-pressed") !== "true";
  setAttributes(button, { "aria-pressed": String(isOn) });
  if (isOn) sheet.enter();
  else sheet.leave();
}
