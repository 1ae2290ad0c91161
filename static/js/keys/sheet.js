// @ts-check
/** The sheet with all keys: what each does, and what it takes to change it. */

import { find, findAll, make } from "../base/dom.js";
import { addTexts, text } from "../base/i18n.js";
import { BINDINGS, bindingsOf, isOff, usedBy, useLayout, written } from "./bindings.js";
import { customKeys } from "./custom.js";
import { KEY_MESSAGES } from "./messages.js";

addTexts(KEY_MESSAGES);

/** @type {[string[], string][]} what the help shows: actions whose keys stand together, text */
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
/** Keys that stay as they are. */
const FIXED = new Set(["commands", "escape"]);


/** The changes with which an action has another key; who had that one has the action's own. @param {string} action @param {string} binding */
export function changed(action, binding) {
  const { own, off } = customKeys();
  const [before] = bindingsOf(action);
  // Two actions swap their keys, so that none is left without one.
  const next = { ...own, [binding]: action, ...(before ? { [before]: usedBy(binding) ?? "" } : {}) };
  // What is as it was made need not be kept: a later version may move it.
  const rest = Object.entries(next).filter(([key, does]) => does !== (BINDINGS[key] ?? ""));
  return { own: Object.fromEntries(rest), off };
}

/** The changes with which an action has the key again that it was made with. @param {string} action */
export function resetOf(action) {
  const [first] = Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action);
  return changed(action, first);
}

/** The keys that an action was made with. @param {string} action */
export function defaultKeys(action) {
  return Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action).map(written);
}

/** @param {string} action */
export function isFixed(action) {
  return FIXED.has(action);
}

/** What the sheet says of an action. @param {string} action */
export function saysOf(action) {
  return text(HELP.find(([actions]) => actions.includes(action))?.[1] ?? action);
}

/** Actions that the sheet tells of in a line of their own: action → what it says. */
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

/** The sheet of a run page, filled when it is first wanted, with the letters that the reader's keyboard has at those places. */
export function showHelp() {
  if (!find("[data-keys] table")) {
    showKeys();
    tellLetters();
  }
  openHelp();
}

/** The sheet does not wait for the layout of the keyboard. A reader who has begun to change keys meanwhile is left alone. */
async function tellLetters() {
  const layout = await /** @type {any} */ (navigator).keyboard?.getLayoutMap?.().catch(() => null);
  if (!layout) return;
  useLayout(layout);
  if (!find('[data-do="ownKeys"][aria-pressed="true"]')) showKeys();
}
