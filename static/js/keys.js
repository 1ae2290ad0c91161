// @ts-check
/**
 * The keyboard of the run page. Single keys work only while focus is inside the run region, never inside a field, and by
 * physical position where position is what matters (W A S D).
 */

import { find, findAll, isTyping, make } from "./dom.js";
import { text } from "./i18n.js";

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

/** @type {[string, string][]} what the help shows: keys, text */
const HELP = [
  ["Space", "keys.play"],
  ["← →", "keys.step"],
  ["Shift ← →", "keys.second"],
  ["PgUp PgDn", "keys.ten"],
  ["Home End", "keys.ends"],
  ["N", "keys.interesting"],
  ["1 … 6", "keys.speed"],
  ["W S", "keys.zoom"],
  ["A D", "keys.pan"],
  ["↑ ↓", "keys.lanes"],
  [", .", "keys.spans"],
  ["Shift+P", "keys.pin"],
  ["Enter", "keys.select"],
  ["0", "keys.fit"],
  ["/", "keys.search"],
  ["F", "keys.centre"],
  ["L", "keys.live"],
  ["G", "keys.goto"],
  ["E", "keys.why"],
  ["C Y Shift+D V O I", "keys.tabs"],
  ["Shift+Y", "keys.diff"],
  ["Shift+C", "keys.compare"],
  ["K", "keys.kubectl"],
  ["Q", "keys.drawer"],
  ["Shift+S", "keys.share"],
  ["M [ ]", "keys.notes"],
  ["R Shift+I Shift+O", "keys.stretch"],
  ["T", "keys.clock"],
  ["U", "keys.futures"],
  ["X Shift+F10", "keys.act"],
  [`${MOD}K`, "keys.commands"],
  ["H", "keys.hold"],
  ["P", "keys.predict"],
  ["?", "keys.help"],
  ["Esc", "keys.escape"],
];

/**
 * The action a key press means, or undefined.
 * @param {KeyboardEvent} event
 * @returns {string | undefined}
 */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const shift = event.shiftKey ? "Shift+" : "";
  return BINDINGS[event.key] && !shift ? BINDINGS[event.key] : BINDINGS[shift + event.code] ?? (shift ? BINDINGS[shift + event.key] : undefined) ?? BINDINGS[isSign(event.key) ? event.key : ""];
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

/** The first key of an action as people write it; empty where it has none. @param {string} action */
export function keysOf(action) {
  const binding = Object.keys(BINDINGS).find((key) => BINDINGS[key] === action);
  return binding === undefined ? "" : written(binding);
}

/** Actions that the sheet tells of in a line of their own: action → what it says. */
export function keyedActions() {
  const byKey = new Map(Object.entries(BINDINGS).map(([binding, action]) => [written(binding), action]));
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [keys, key] of HELP) {
    const meant = new Set(keys.split(" ").map((name) => byKey.get(name)));
    const [action] = meant;
    if (meant.size === 1 && action) found.set(action, text(key));
  }
  return found;
}

/** @param {string} key a sign that some layouts reach only with Shift */
function isSign(key) {
  return key === "?" || key === "+" || key === "=" || key === "/";
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
    const action = actions[actionOf(event) || ""];
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

/** Fill every `[data-keys]` element with the table of keys. @param {[string, string][]} [help] */
export function showKeys(help = HELP) {
  for (const place of findAll("[data-keys]")) {
    const rows = help.map(([keys, key]) =>
      make("tr", {}, [
        make("td", {}, keys.split(" ").map((name) => (name === "…" ? " … " : make("kbd", { text: name })))),
        make("td", { text: text(key) }),
      ]),
    );
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
