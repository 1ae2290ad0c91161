// @ts-check
/** The sheet with all keys: what each does, and what is needed to change it. */

import { find, findAll, make } from "../base/dom.js";
import { addTexts, text } from "../base/i18n.js";
import { BINDINGS, bindingsOf, isOff, usedBy, useLayout, written } from "./bindings.js";
import { customKeys } from "./custom.js";
import { KEY_MESSAGES } from "./messages.js";

addTexts(KEY_MESSAGES);

/** @type {[string[], string][]} rows of the help: the actions whose keys share a row, and its text */
export const HELP = [
  [["play"], "keys.play"],
  [["prev", "next"], "keys.step"],
  [["secondBack", "secondOn"], "keys.second"],
  [["tenBack", "tenOn"], "keys.ten"],
  [["first", "last"], "keys.ends"],
  [["nextInteresting"], "keys.interesting"],
  [["previousInteresting"], "keys.interesting_back"],
  [["speed1", "speed2", "speed3", "speed4", "speed5", "speed6", "speed7"], "keys.speed"],
  [["zoomIn", "zoomOut"], "keys.zoom"],
  [["panLeft", "panRight"], "keys.pan"],
  [["laneUp", "laneDown"], "keys.lanes"],
  [["spanPrevious", "spanNext"], "keys.spans"],
  [["pin"], "keys.pin"],
  [["selectFocused"], "keys.select"],
  [["card"], "keys.card"],
  [["fit"], "keys.fit"],
  [["search"], "keys.search"],
  [["centre"], "keys.centre"],
  [["live"], "keys.live"],
  [["goto"], "keys.goto"],
  [["why"], "keys.why"],
  [["map", "yaml", "describe", "events", "logs", "machine"], "keys.tabs"],
  [["diff"], "keys.diff"],
  [["branch"], "keys.branch"],
  [["compare"], "keys.compare"],
  [["kubectl"], "keys.kubectl"],
  [["drawer"], "keys.drawer"],
  [["share"], "keys.share"],
  [["note", "notePrevious", "noteNext"], "keys.notes"],
  [["stretch", "stretchFrom", "stretchTo"], "keys.stretch"],
  [["clock"], "keys.clock"],
  [["futures"], "keys.futures"],
  [["act"], "keys.act"],
  [["commands"], "keys.commands"],
  [["hold"], "keys.hold"],
  [["predict"], "keys.predict"],
  [["pick"], "keys.pick"],
  [["help"], "keys.help"],
  [["escape"], "keys.escape"],
];
/** Actions whose keys cannot be changed. */
const FIXED = new Set(["commands", "escape"]);


/** The changes that give an action another key; the action that had it gets the old one. @param {string} action @param {string} binding */
export function changed(action, binding) {
  const { own, off } = customKeys();
  const [before] = bindingsOf(action);
  // Two actions swap their keys, so that neither is left without one.
  const next = { ...own, [binding]: action, ...(before ? { [before]: usedBy(binding) ?? "" } : {}) };
  // Defaults need not be kept: a later version may move them.
  const rest = Object.entries(next).filter(([key, does]) => does !== (BINDINGS[key] ?? ""));
  return { own: Object.fromEntries(rest), off };
}

/** The changes that give an action its default key back. @param {string} action */
export function resetOf(action) {
  const [first] = Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action);
  return changed(action, first);
}

/** The default keys of an action. @param {string} action */
export function defaultKeys(action) {
  return Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action).map(written);
}

/** @param {string} action */
export function isFixed(action) {
  return FIXED.has(action);
}

/** The sheet's text for an action. @param {string} action */
export function sheetTextOf(action) {
  return text(HELP.find(([actions]) => actions.includes(action))?.[1] ?? action);
}

/** Actions that have a line of their own on the sheet: action → its text. */
export function keyedActions() {
  return new Map(HELP.filter(([actions]) => actions.length === 1).map(([[action], key]) => [action, text(key)]));
}

/** @param {string} action @returns {Node[]} */
function keyCell(action) {
  const all = bindingsOf(action).slice(0, ["act", "commands"].includes(action) ? 2 : 1);
  return all.map((binding) => make("kbd", isOff(binding) ? { class: "keys__off", text: written(binding), title: text("keys.own.off") } : { text: written(binding) }));
}

/** Fill every `[data-keys]` element with the table of keys. @param {[string[], string][]} [help] @param {(action: string) => Node[]} [cell] */
export function showKeys(help = HELP, cell = keyCell) {
  for (const place of findAll("[data-keys]")) {
    const rows = help.map(([actions, key]) => make("tr", {}, [make("td", {}, actions.flatMap(cell)), make("td", { text: text(key) })]));
    place.replaceChildren(make("table", { class: "keys" }, [make("tbody", {}, rows)]));
  }
}

/** The sheet with all keys. */
export function openHelp() {
  const help = /** @type {HTMLDialogElement | null} */ (find("dialog#help"));
  if (!help || help.open) return;
  help.showModal();
  help.scrollTop = 0;
}

/** Open the sheet of a run page; it is filled when it is first wanted, with the letters that the reader's keyboard has in those positions. */
export function showHelp() {
  if (!find("[data-keys] table")) {
    showKeys();
    showLetters();
  }
  openHelp();
}

/** Fill in the letters later, since the sheet does not wait for the keyboard layout. A reader who has begun to change keys is left alone. */
async function showLetters() {
  const layout = await /** @type {any} */ (navigator).keyboard?.getLayoutMap?.().catch(() => null);
  if (!layout) return;
  useLayout(layout);
  if (!find('[data-do="ownKeys"][aria-pressed="true"]')) showKeys();
}
