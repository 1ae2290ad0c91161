// @ts-check
/**
 * The list of commands (Ctrl+K): a field that narrows a list of everything the page can do.
 *
 * What the script knows is there at once. The acts on the selection come from the server, and those on other pods only once something is
 * typed; until they arrive the list says that it is loading, and Enter waits for them.
 */

import { find, make, throttle } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { asksForCommands } from "../keys/bindings.js";
import { commandsOf } from "./entries.js";
import { fits } from "./match.js";
import { OtherActs } from "./others.js";

/** @typedef {import("./match.js").Command} Command */

/** The list is updated at most this often while typing (ms). */
const TYPING_MS = 60;
/** Lines in the list; further matches are only counted. */
const SHOWN_MAX = 60;
/** Lines per group while nothing is typed. */
const OPENING_MAX = 9;
/** Score, on the scale of `fits`, of a command that is offered whatever was typed: above loose matches. */
const ALWAYS = 70;
/** Lines that Page Up and Page Down move by. */
const PAGE = 8;

/** @type {CommandBox | null} */
let box = null;

/** Open the list over a run page, or close it if it is open. @param {any} page  the RunPage @param {Record<string, () => void>} actions */
export function openCommands(page, actions) {
  box ??= new CommandBox(page, actions);
  box.toggle();
}

/**
 * The matching commands: the best group first, and within a group the best match first.
 * @param {Command[]} commands
 * @param {string} typed
 * @returns {Command[]}
 */
export function chosen(commands, typed) {
  /** @type {Map<string, { best: number, items: [number, Command][] }>} */
  const groups = new Map();
  for (const command of commands) {
    const worth = command.always ? ALWAYS : fits(typed, command);
    if (!worth) continue;
    const group = groups.get(command.group) ?? { best: 0, items: [] };
    groups.set(command.group, group);
    if (!typed.trim() && group.items.length >= OPENING_MAX) continue;
    group.items.push([worth, command]);
    group.best = Math.max(group.best, worth);
  }
  const ordered = [...groups.values()];
  if (typed.trim()) ordered.sort((a, b) => b.best - a.best);
  return ordered.flatMap(({ items }) => items.sort((a, b) => b[0] - a[0]).map(([, command]) => command));
}

class CommandBox {
  /** @param {any} page @param {Record<string, () => void>} actions */
  constructor(page, actions) {
    this.page = page;
    this.actions = actions;
    this.others = new OtherActs(page);
    /** @type {Command[]} */
    this.shown = [];
    this.at = 0;
    this.typed = "";
    this.input = /** @type {HTMLInputElement} */ (make("input", { type: "text", class: "commands__input", role: "combobox", "aria-expanded": "true", "aria-controls": "commands-list", "aria-autocomplete": "list", "aria-label": text("commands.title"), placeholder: text("commands.placeholder"), autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go", maxlength: "200" }));
    this.list = make("div", { id: "commands-list", class: "commands__list", role: "listbox", tabindex: "-1", "aria-label": text("commands.list") });
    this.note = make("p", { class: "commands__note", role: "status" });
    this.dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "commands", "aria-label": text("commands.title") }, [this.input, this.list, this.note]));
    document.body.append(this.dialog);
    this.wire();
  }

  wire() {
    const narrowed = throttle(TYPING_MS, () => this.dialog.open && this.caughtUp());
    this.input.addEventListener("input", narrowed);
    this.dialog.addEventListener("keydown", (event) => this.pressed(event));
    this.dialog.addEventListener("close", () => this.closed());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    // The field keeps the focus while the list is used, so that typing can go on.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const line = event.target instanceof Element ? event.target.closest("[role=option]") : null;
      if (line instanceof HTMLElement) this.run(Number(line.dataset.at));
    });
  }

  toggle() {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    for (const other of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (other).close();
    this.input.value = "";
    this.dialog.showModal();
    this.input.focus();
    this.isAsking = true;
    this.isEntered = false;
    this.page.menu.want((/** @type {any} */ menu) => {
      this.menu = menu;
      menu.gather(this.page.sel).then(() => {
        this.isAsking = false;
        if (!this.dialog.open) return;
        this.collect(true);
        if (this.isEntered) this.run(this.at);
      });
    });
    this.collect();
  }

  closed() {
    this.menu?.leave();
    this.list.replaceChildren();
    this.shown = [];
  }

  /** Collect what matches the text typed so far. @param {boolean} [stays]  whether the marked line stays marked */
  collect(stays = false) {
    const before = this.shown[this.at];
    this.typed = this.input.value;
    if (this.typed.trim() && !this.isAsking) this.others.gather(() => this.dialog.open && this.collect(true));
    const found = chosen(commandsOf(this.page, this.actions, this.typed, () => (this.typed.trim() ? this.others.commands() : [])), this.typed);
    this.shown = found.slice(0, SHOWN_MAX);
    const again = stays && this.at > 0 && before ? this.shown.findIndex(({ group, label }) => group === before.group && label === before.label) : 0;
    this.at = Math.max(0, again);
    this.show(found.length);
  }

  /** @param {number} all */
  show(all) {
    /** @type {HTMLElement[]} */
    const groups = [];
    let group = "";
    this.shown.forEach((command, index) => {
      if (command.group !== group || !groups.length) {
        group = command.group;
        const id = `commands-group-${groups.length}`;
        groups.push(make("div", { role: "group", "aria-labelledby": id }, [make("div", { id, class: "commands__group", role: "presentation", text: group })]));
      }
      groups[groups.length - 1].append(line(command, index));
    });
    this.list.replaceChildren(...groups);
    this.list.scrollTop = 0;
    this.note.textContent = this.countText(all);
    this.mark(this.at);
  }

  /** @param {number} all */
  countText(all) {
    if (this.isAsking) return text("commands.loading");
    if (!this.shown.length) return text("commands.nothing");
    if (all > this.shown.length) return text("commands.more", { n: this.shown.length, all });
    return text(all === 1 ? "commands.one" : "commands.count", { n: all });
  }

  /** @param {number} at */
  mark(at) {
    find('[aria-selected="true"]', this.list)?.setAttribute("aria-selected", "false");
    this.at = this.shown.length ? (at + this.shown.length) % this.shown.length : 0;
    const marked = find(`#command-${this.at}`, this.list);
    if (!marked) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    marked.setAttribute("aria-selected", "true");
    this.input.setAttribute("aria-activedescendant", marked.id);
    // With the first line of a group, scroll its heading into view too.
    (marked.previousElementSibling?.getAttribute("role") === "presentation" ? marked.previousElementSibling : marked).scrollIntoView({ block: "nearest" });
    marked.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    event.stopPropagation();
    if (event.isComposing) return;
    if (asksForCommands(event)) {
      event.preventDefault();
      this.dialog.close();
      return;
    }
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => this.mark(this.at + 1),
      ArrowUp: () => this.mark(this.at - 1),
      PageDown: () => this.mark(Math.min(this.at + PAGE, this.shown.length - 1)),
      PageUp: () => this.mark(Math.max(this.at - PAGE, 0)),
      Enter: () => this.entered(),
    };
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.caughtUp(); // a key pressed right after typing applies to what is typed, and later results do not undo it
    move();
  }

  /** Enter before the acts have arrived waits for them: what was typed may name one. A second Enter does not wait. */
  entered() {
    this.isEntered = Boolean(!this.isEntered && this.isAsking && this.typed.trim() && this.shown[this.at]?.always);
    if (!this.isEntered) this.run(this.at);
  }

  /** Bring the list up to date with what is typed now. */
  caughtUp() {
    if (this.typed !== this.input.value) this.collect();
  }

  /** Close, which gives the focus back, and run the command from there. @param {number} at */
  run(at) {
    const command = this.shown[at];
    if (!command) return;
    this.dialog.close();
    // The list is cleared only later, on the dialog's close event.
    command.run();
  }
}

/** @param {Command} command @param {number} index */
function line(command, index) {
  const { label, code, note, keys, lang, refused, icon } = command;
  const words = make("span", { class: "commands__words" }, [make("span", { class: "commands__label", lang, text: label })]);
  if (note) words.append(make("span", { class: "commands__beside", text: note }));
  if (code) words.append(make("code", { text: code }));
  const parts = [make("span", { class: "commands__icon", "aria-hidden": "true" }, icon ? [icon] : []), words];
  if (keys) parts.push(make("kbd", { text: keys }));
  return make("div", { id: `command-${index}`, class: "commands__line", role: "option", "aria-selected": "false", "aria-disabled": refused ? "true" : undefined, "data-at": String(index) }, parts);
}
