// @ts-check
/**
 * The keyboard of the run page. Single keys work only while focus is inside the run region, never inside a field, and by
 * physical position where position is what matters (W A S D).
 */

import { find, findAll, isTyping, make } from "./dom.js";
import { text } from "./i18n.js";
import { ownKeys } from "./own-keys/changes.js";

/** @typedef {Record<string, () => void>} Actions */

/** @type {Record<string, string>} key or code, with its modifiers → action */
const BINDINGS = {
  " ": "play",
  ArrowRight: "next",
  ArrowLeft: "prev",
  "Shift+ArrowRight": "secondOn",
  "Shift+ArrowLeft": "secondBack",
  PageDown: "tenOn",
  PageUp: "tenBack",
  Home: "first",
  End: "last",
  KeyN: "nextInteresting",
  "Shift+KeyN": "previousInteresting",
  KeyW: "zoomIn",
  KeyS: "zoomOut",
  "+": "zoomIn",
  "=": "zoomIn",
  "-": "zoomOut",
  KeyA: "panLeft",
  KeyD: "panRight",
  ArrowUp: "laneUp",
  ArrowDown: "laneDown",
  ".": "spanNext",
  ",": "spanPrevious",
  Enter: "selectFocused",
  KeyF: "centre",
  Digit0: "fit",
  Digit1: "speed1",
  Digit2: "speed2",
  Digit3: "speed3",
  Digit4: "speed4",
  Digit5: "speed5",
  Digit6: "speed6",
  KeyL: "live",
  KeyG: "goto",
  KeyE: "why",
  KeyY: "yaml",
  "Shift+KeyD": "describe",
  KeyV: "events",
  KeyC: "map",
  "Shift+KeyC": "compare",
  "Shift+KeyY": "diff",
  KeyB: "move",
  KeyO: "logs",
  KeyI: "machine",
  KeyK: "kubectl",
  KeyQ: "drawer",
  "/": "search",
  "Shift+KeyS": "share",
  KeyM: "note",
  "Shift+KeyM": "note",
  "]": "noteNext",
  "[": "notePrevious",
  KeyR: "stretch",
  "Shift+KeyI": "stretchFrom",
  "Shift+KeyO": "stretchTo",
  KeyT: "clock",
  KeyU: "futures",
  KeyH: "hold",
  KeyP: "predict",
  "Shift+KeyP": "pin",
  KeyX: "act",
  "Shift+F10": "act",
  ContextMenu: "act",
  "?": "help",
  Escape: "escape",
  "Mod+KeyK": "commands",
};

/** What the key beside the letters is called here that makes a chord. */
const MOD = /Mac|iP/.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl+";

/** @type {[string[], string][]} what the help shows: actions whose keys stand together, text */
export const HELP = [
  [["play"], "keys.play"],
  [["prev", "next"], "keys.step"],
  [["secondBack", "secondOn"], "keys.second"],
  [["tenBack", "tenOn"], "keys.ten"],
  [["first", "last"], "keys.ends"],
  [["nextInteresting"], "keys.interesting"],
  [["previousInteresting"], "keys.interesting_back"],
  [["speed1", "speed2", "speed3", "speed4", "speed5", "speed6"], "keys.speed"],
  [["zoomIn", "zoomOut"], "keys.zoom"],
  [["panLeft", "panRight"], "keys.pan"],
  [["laneUp", "laneDown"], "keys.lanes"],
  [["spanPrevious", "spanNext"], "keys.spans"],
  [["pin"], "keys.pin"],
  [["selectFocused"], "keys.select"],
  [["fit"], "keys.fit"],
  [["search"], "keys.search"],
  [["centre"], "keys.centre"],
  [["live"], "keys.live"],
  [["goto"], "keys.goto"],
  [["why"], "keys.why"],
  [["map", "yaml", "describe", "events", "logs", "machine"], "keys.tabs"],
  [["diff"], "keys.diff"],
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
  [["help"], "keys.help"],
  [["escape"], "keys.escape"],
];
/** Keys that stay as they are. */
const FIXED = new Set(["commands", "escape"]);

/** What a key means to this reader. @param {string} binding @returns {string | undefined} */
export function usedBy(binding) {
  return ownKeys().own[binding] ?? BINDINGS[binding];
}

/** The keys of an action, the reader's own first. @param {string} action */
function bindingsOf(action) {
  const { own } = ownKeys();
  const mine = Object.keys(own).filter((binding) => own[binding] === action);
  return [...mine, ...Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action && !(binding in own))];
}

/** Whether a key is a letter, a digit or a sign, with Shift or without. @param {string} binding */
function isCharacter(binding) {
  return /^(Shift\+)?((Key|Digit).|[^\s])$/.test(binding);
}

/** Whether a key does nothing because the reader has put such keys off. @param {string} binding */
function isOff(binding) {
  return ownKeys().off && isCharacter(binding);
}

/**
 * The key of a press as it is written here: letters and digits by their place, others by what they write. Empty for those that are the browser's.
 * @param {KeyboardEvent} event
 */
export function bindingOf({ key, code, shiftKey, ctrlKey, altKey, metaKey }) {
  if (ctrlKey || altKey || metaKey || /^(F\d+|Tab|Dead|Process|Unidentified)$/.test(key)) return "";
  if (/^(Key|Digit)/.test(code)) return `${shiftKey ? "Shift+" : ""}${code}`;
  return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

/** The changes with which an action has another key; who had that one has the action's own. @param {string} action @param {string} binding */
export function changed(action, binding) {
  const { own, off } = ownKeys();
  const [before] = bindingsOf(action);
  const next = { ...own, [binding]: action, ...(before ? { [before]: usedBy(binding) ?? "" } : {}) };
  const rest = Object.entries(next).filter(([key, does]) => does !== (BINDINGS[key] ?? ""));
  return { own: Object.fromEntries(rest), off };
}

/** The changes with which an action has the key again that it was made with. @param {string} action */
export function resetOf(action) {
  const [first] = Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action);
  return changed(action, first);
}

/**
 * The action a key press means, or undefined.
 * @param {KeyboardEvent} event
 * @returns {string | undefined}
 */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const meant = (/** @type {string} */ binding) => (isOff(binding) ? undefined : usedBy(binding) || undefined);
  if (!event.shiftKey) return (event.key.length > 1 || isSign(event.key) || event.key === " " ? meant(event.key) : undefined) ?? meant(event.code);
  return meant(`Shift+${event.code}`) ?? meant(`Shift+${event.key}`) ?? (isSign(event.key) ? meant(event.key) : undefined);
}

/** Whether a key press asks for the list of commands, by the letter where the layout has it. @param {KeyboardEvent} event */
export function asksForCommands(event) {
  if (event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return false;
  const code = /^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : event.code;
  return BINDINGS[`Mod+${code}`] === "commands";
}

/** @type {Record<string, string>} how keys are written where that is not their name */
const WRITTEN = { " ": "Space", ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", PageUp: "PgUp", PageDown: "PgDn", Escape: "Esc" };

/** @param {string} binding */
function written(binding) {
  return binding
    .split(/\+(?=.)/)
    .map((part) => (part === "Mod" ? MOD : WRITTEN[part] ?? part.replace(/^(Key|Digit)/, "")))
    .join("+")
    .replace(`${MOD}+`, MOD);
}

/** The first key of an action as people write it; empty where it has none that works. @param {string} action */
export function keysOf(action) {
  const binding = bindingsOf(action).find((key) => !isOff(key));
  return binding === undefined ? "" : written(binding);
}

/** The key of an action, or a key itself, whether it works now or not. @param {string} name @param {boolean} [isBinding] */
export function writtenOf(name, isBinding = false) {
  const [binding = ""] = isBinding ? [name] : bindingsOf(name);
  return written(binding);
}

/** As `aria-keyshortcuts` has it. @param {string} action */
export function keyShortcuts(action) {
  const binding = bindingsOf(action).find((key) => !isOff(key)) ?? "";
  return binding.replace(/(Key|Digit)(?=.$)/, "").replace(/^ $/, "Space").replace(/^\+$/, "plus");
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

/** @param {string} key  as it is written, where no letter or digit is */
function isSign(key) {
  return key.length === 1 && !/[\p{L}\p{N}\s]/u.test(key);
}

/**
 * @param {HTMLElement} region
 * @param {Actions} actions
 */
export function wireKeys(region, actions) {
  region.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isTyping(event.target)) return;
    const onControl = event.target instanceof Element && event.target.closest("button, a, summary, [role=tab]") !== null;
    if (onControl && (event.key === " " || event.key === "Enter")) return;
    const action = actions[actionOf(event) ?? ""];
    if (!action) return;
    event.preventDefault();
    action();
  });
  // From wherever the focus is, the fields of the page included, but not from a dialog that lies above it.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !actions.commands || !asksForCommands(event) || find("dialog[open]")) return;
    event.preventDefault();
    actions.commands();
  });
}

/** @param {string} action @returns {Node[]} */
function keyCell(action) {
  const all = bindingsOf(action).slice(0, action === "act" ? 2 : 1);
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
