// @ts-check
/**
 * The keyboard of the run page. Single keys work only while the focus is inside the run region, never inside a field, and go by physical
 * position where position is what matters (W A S D).
 */

import { find, isTyping } from "../base/dom.js";
import { customKeys } from "./custom.js";

/** @typedef {Record<string, () => void>} Actions */

/** @type {Record<string, string>} key or code, with its modifiers → action */
export const BINDINGS = {
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
  "Shift+Enter": "card",
  KeyF: "centre",
  Digit0: "fit",
  Digit1: "speed1",
  Digit2: "speed2",
  Digit3: "speed3",
  Digit4: "speed4",
  Digit5: "speed5",
  Digit6: "speed6",
  Digit7: "speed7",
  KeyL: "live",
  KeyG: "goto",
  KeyE: "why",
  KeyY: "yaml",
  "Shift+KeyD": "describe",
  KeyV: "events",
  KeyC: "map",
  "Shift+KeyC": "compare",
  "Shift+KeyY": "diff",
  KeyB: "branch",
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
  KeyJ: "pick",
  KeyP: "predict",
  "Shift+KeyP": "pin",
  KeyX: "act",
  "Shift+F10": "act",
  ContextMenu: "act",
  "?": "help",
  Escape: "escape",
  "Mod+KeyK": "commands",
  ">": "commands",
};

/** The name of the modifier for shortcuts on this platform. */
const MOD = /Mac|iP/.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl+";

/** The action a key has for this reader. @param {string} binding @returns {string | undefined} */
export function usedBy(binding) {
  return customKeys().own[binding] ?? BINDINGS[binding];
}

/** The keys of an action, the reader's own first. @param {string} action */
export function bindingsOf(action) {
  const { own } = customKeys();
  const mine = Object.keys(own).filter((binding) => own[binding] === action);
  return [...mine, ...Object.keys(BINDINGS).filter((binding) => BINDINGS[binding] === action && !(binding in own))];
}

/** Whether a key is a letter, a digit or a sign, with or without Shift. @param {string} binding */
function isCharacter(binding) {
  return /^(Shift\+)?((Key|Digit).|[^\s])$/.test(binding);
}

/** Whether a key does nothing because the reader has turned off single-character keys. @param {string} binding */
export function isOff(binding) {
  return customKeys().off && isCharacter(binding);
}

/**
 * The binding of a key press as written here: letters and digits by position, other keys by what they type. Empty for those that belong to
 * the browser.
 * @param {KeyboardEvent} event
 */
export function bindingOf({ key, code, shiftKey, ctrlKey, altKey, metaKey }) {
  if (ctrlKey || altKey || metaKey || /^(F\d+|Tab|Dead|Process|Unidentified)$/.test(key)) return "";
  if (/^(Key|Digit)/.test(code)) return `${shiftKey ? "Shift+" : ""}${code}`;
  return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

/**
 * The action of a key press, or undefined.
 * @param {KeyboardEvent} event
 * @returns {string | undefined}
 */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const meant = (/** @type {string} */ binding) => (isOff(binding) ? undefined : usedBy(binding) || undefined);
  // What a key types comes before its position: "/" is wherever the layout has it, KeyW where the finger expects it.
  if (!event.shiftKey) return (event.key.length > 1 || isSign(event.key) || event.key === " " ? meant(event.key) : undefined) ?? meant(event.code);
  return meant(`Shift+${event.code}`) ?? meant(`Shift+${event.key}`) ?? (isSign(event.key) ? meant(event.key) : undefined);
}

/** Whether a key press asks for the list of commands, by its letter in the reader's layout. @param {KeyboardEvent} event */
export function asksForCommands(event) {
  if (event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return false;
  const code = /^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : event.code;
  return BINDINGS[`Mod+${code}`] === "commands";
}

/** @type {Record<string, string>} how keys are displayed if not by their name */
const WRITTEN = { " ": "Space", ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", PageUp: "PgUp", PageDown: "PgDn", Escape: "Esc" };

/** @type {{ get: (code: string) => string | undefined } | null} the characters of the reader's keys, if the browser says */
let letters = null;

/** @param {{ get: (code: string) => string | undefined }} layout */
export function useLayout(layout) {
  letters = layout;
}

/** @param {string} binding */
export function written(binding) {
  return binding
    .split(/\+(?=.)/)
    .map((part) => (part === "Mod" ? MOD : WRITTEN[part] ?? letterOf(part, binding)))
    .join("+")
    .replace(`${MOD}+`, MOD);
}

/** Letters are bound to positions, except in chords. @param {string} part @param {string} binding */
function letterOf(part, binding) {
  const own = /^Key/.test(part) && !binding.startsWith("Mod") ? letters?.get(part) : undefined;
  return own?.toUpperCase() ?? part.replace(/^(Key|Digit)/, "");
}

/** The first key of an action as it is displayed; empty if it has none that works. @param {string} action */
export function keysOf(action) {
  const binding = bindingsOf(action).find((key) => !isOff(key));
  return binding === undefined ? "" : written(binding);
}

/** The key of an action, or a key itself, as it is displayed, whether or not it works now. @param {string} name @param {boolean} [isBinding] */
export function writtenOf(name, isBinding = false) {
  const [binding = ""] = isBinding ? [name] : bindingsOf(name);
  return written(binding);
}

/** In the syntax of `aria-keyshortcuts`. @param {string} action */
export function keyShortcuts(action) {
  const binding = bindingsOf(action).find((key) => !isOff(key)) ?? "";
  return binding.replace(/(Key|Digit)(?=.$)/, "").replace(/^ $/, "Space").replace(/^\+$/, "plus");
}

/** @param {string} key  the character it types, other than a letter or digit */
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
    // These two press a focused button; all other keys keep their meaning on it.
    if (onControl && (event.key === " " || event.key === "Enter")) return;
    const action = actions[actionOf(event) ?? ""];
    if (!action) return;
    event.preventDefault();
    action();
  });
  // From wherever the focus is, including the page's fields, but not from an open dialog.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !actions.commands || !asksForCommands(event) || find("dialog[open]")) return;
    event.preventDefault();
    actions.commands();
  });
}
