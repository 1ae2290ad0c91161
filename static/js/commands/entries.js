// @ts-check
/**
 * The entries of the list of commands. Nothing is declared here: acts are the forms of the server's menu, actions the page's buttons and
 * the keys of its sheet, views its tabs, pages its links.
 */

import { find, findAll } from "../base/dom.js";
import { clockText, parseMoment } from "../base/format.js";
import { text } from "../base/i18n.js";
import { chooseTheme, THEMES } from "../base/theme.js";
import { keysOf } from "../keys/bindings.js";
import { keyedActions } from "../keys/sheet.js";
import { instantParts } from "../search/box.js";
import { findInstants } from "../search/instants.js";
import { isBlank, parseQuery } from "../search/query.js";
import { shortPod } from "../wire/record.js";
import { alsoOf, asksIn } from "./others.js";

/** @typedef {import("./match.js").Command} Command */

const INSTANTS_MAX = 8;
/** Actions that need the focused lane, or are about this list. */
const NOT_LISTED = new Set(["commands", "escape", "selectFocused", "theme"]);
/** Other words that find an action, besides its name. @type {Record<string, string>} */
const ALSO = { help: "commands.also_help", branch: "commands.also_branch" };
const OF_TIME = "#transport, .timeline";

/** Everything that can be done from here, in the order of the list. @param {any} page @param {Record<string, () => void>} actions @param {string} typed @param {() => Command[]} [others]  acts on objects that are not selected @returns {Command[]} */
export function commandsOf(page, actions, typed, others = () => []) {
  const known = named(page, actions);
  const isOfTime = (/** @type {Command} */ { group }) => group === text("commands.time");
  const rest = known.filter((command) => !isOfTime(command));
  return [...kubectlLine(page, typed), ...acts(page), ...level(), ...others(), ...moments(page, typed), ...known.filter(isOfTime), ...again(page), ...speeds(actions), ...tabs(page, actions), ...rest, ...lanes(page), ...instants(page, typed), ...links(), ...settings(page)];
}

/** A kubectl line that was typed. @param {any} page @param {string} typed @returns {Command[]} */
function kubectlLine(page, typed) {
  const found = /^\s*(?:kubectl|k)\s+(\S.*)$/.exec(typed);
  if (!found || !page.commandLine) return [];
  const line = found[1].trim();
  return [{ group: text("commands.views"), label: text("commands.kubectl"), code: `kubectl ${line}`, also: typed, run: () => page.commandLine.typed(line) }];
}

/** The acts of the menu, each with its kubectl line. One with fields opens the menu at its fields. @param {any} page @returns {Command[]} */
function acts(page) {
  const { menu } = page.menu;
  if (!menu) return [];
  const group = text("commands.acts", { name: menu.title.textContent });
  return findAll("form button:not([type=button])", menu.body).map((button) => {
    const form = /** @type {HTMLFormElement} */ (button.closest("form"));
    const heading = find("h3", form.closest("section") ?? form)?.textContent?.trim() || "";
    const code = find("code.kubectl", form)?.textContent?.trim() || "";
    // An act without fields is done at once; others lead to their fields in the menu.
    const asks = asksIn(form);
    const refused = button.getAttribute("aria-disabled") === "true";
    const note = [menu.body.querySelectorAll("h3").length > 1 ? heading : "", text(refused ? "commands.refused" : asks ? "commands.fields" : "")].filter(Boolean).join(" · ");
    return { group, label: nameOf(button), also: alsoOf(form), more: `${code} ${heading} ${button.title}`, code, note, refused, icon: iconOf(button), run: () => (asks && !refused ? menu.show(form) : button.click()) };
  });
}

/** What can be done with the level that the run attempts. @returns {Command[]} */
function level() {
  const group = find("#level-title")?.textContent?.trim() ?? "";
  return findAll("[data-level-do]").filter(isOffered).map((button) => ({ group, label: nameOf(button), more: button.title, run: () => button.click() }));
}

/** A moment that was typed. @param {any} page @param {string} typed @returns {Command[]} */
function moments(page, typed) {
  const moment = typed.trim() ? parseMoment(typed, page.playhead.t_ms) : null;
  const record = moment && "seq" in moment ? page.store.get(moment.seq) : null;
  if (!moment || ("seq" in moment && !record)) return [];
  const t_ms = record ? record.at_ms : /** @type {{ t_ms: number }} */ (moment).t_ms;
  return [{ group: text("commands.time"), label: text("commands.goto", { time: text("time.prefix", { time: clockText(t_ms) }) }), always: true, run: () => page.transport.goTo(typed) }];
}

/** Actions that have a button or a key of their own. @param {any} page @param {Record<string, () => void>} actions @returns {Command[]} */
function named(page, actions) {
  /** @type {Map<string, Command>} */
  const found = new Map();
  const shownTabs = new Set(page.drawer?.tabs.map((/** @type {HTMLElement} */ tab) => tab.dataset.tab));
  const wanted = (/** @type {string} */ action) => action in actions && !NOT_LISTED.has(action) && !shownTabs.has(action) && !found.has(action);
  const told = keyedActions();
  for (const button of findAll("[data-do]")) {
    const action = button.dataset.do || "";
    if (!wanted(action) || !isOffered(button)) continue;
    found.set(action, { group: text(button.closest(OF_TIME) ? "commands.time" : "commands.views"), label: nameOf(button), also: text(ALSO[action] ?? ""), more: `${button.title} ${told.get(action) ?? ""}`, keys: keysOf(action), icon: iconOf(button), run: actions[action] });
  }
  for (const [action, words] of told) if (wanted(action)) found.set(action, { group: text("commands.views"), label: capital(withoutKey(words)), keys: keysOf(action), run: actions[action] });
  for (const button of findAll("#inspector [data-edit]")) found.set("edit", { group: text("commands.views"), label: nameOf(button), icon: iconOf(button), run: () => button.click() });
  return [...found.values()];
}

/** Whether the page shows a button, or would if its menu were open. @param {HTMLElement} button */
function isOffered(button) {
  // Hidden buttons make no sense right now; a closed menu merely keeps its buttons out of sight.
  return button.offsetParent !== null || (button.closest("details:not([open])") !== null && !button.closest("[hidden]"));
}

/** Undo the last act, or play from the start again. @param {any} page @returns {Command[]} */
function again(page) {
  const { playhead, store, transport } = page;
  const group = text("commands.time");
  const from = () => {
    transport.first();
    playhead.replay();
  };
  const last = store.lastAct;
  const before = () => page.stepped(() => playhead.seek(Math.max(0, last.at_ms - 1)));
  const undo = { group, label: text("commands.undo"), also: text("commands.also_undo"), note: last ? "" : text("commands.refused"), refused: !last, run: last ? before : () => {} };
  return [undo, { group, label: text("commands.again"), also: text("commands.also_restart"), run: from }];
}

/** @param {Record<string, () => void>} actions @returns {Command[]} */
function speeds(actions) {
  const menu = /** @type {HTMLSelectElement | null} */ (find("[data-speed]"));
  if (!menu || menu.disabled) return [];
  return [...menu.options].filter((_, index) => `speed${index + 1}` in actions).map((option, index) => ({ group: text("commands.time"), label: text("commands.speed", { rate: option.text.trim() }), keys: keysOf(`speed${index + 1}`), run: actions[`speed${index + 1}`] }));
}

/** @param {any} page @param {Record<string, () => void>} actions @returns {Command[]} */
function tabs(page, actions) {
  const told = keyedActions();
  return (page.drawer?.tabs ?? []).map((/** @type {HTMLElement} */ tab) => {
    const name = tab.dataset.tab || "";
    return { group: text("commands.views"), label: tab.textContent?.trim() || name, more: `${name} ${told.get(name) ?? ""}`, keys: keysOf(name), run: actions[name] ?? (() => page.openTab(name)) };
  });
}

/** Pods, their containers, nodes, workloads and Services: everything that has a lane of its own. @param {any} page @returns {Command[]} */
function lanes(page) {
  const { store, timeline } = page;
  const group = text("commands.lanes");
  const go = (/** @type {string} */ subject) => () => {
    page.select(subject, 0);
    timeline?.showLane();
    timeline?.element.focus({ preventScroll: true });
  };
  /** @type {Command[]} */
  const found = [];
  const state = (/** @type {any} */ lane) => lane.spans.at(-1)?.text ?? "";
  for (const pod of store.lanes.pods.values()) {
    found.push({ group, label: shortPod(pod.key), more: `pod ${shortPod(pod.key)}`, note: `Pod · ${state(pod.status)}`.replace(/ · $/, ""), run: go(pod.status.subject) });
  }
  for (const subject of store.lanes.workloads.keys()) {
    const [kind, ...name] = subject.split("/");
    found.push({ group, label: shortPod(name.join("/")), more: subject, note: kind, run: go(subject) });
  }
  for (const service of store.lanes.services.values()) found.push({ group, label: shortPod(service.key.replace(/^service\//, "")), more: service.key, note: "Service", run: go(service.key) });
  for (const name of store.lanes.nodes.keys()) found.push({ group, label: name, more: `node ${name}`, note: "Node", run: go(`node/${name}`) });
  for (const pod of store.lanes.pods.values()) {
    for (const lane of pod.containers.values()) found.push({ group, label: `${shortPod(pod.key)} ▸ ${lane.name}`, more: `container ${lane.name}`, note: `Container · ${state(lane)}`.replace(/ · $/, ""), run: go(lane.subject) });
  }
  return found;
}

/** Moments found by the search of the lanes, and the search itself. @param {any} page @param {string} typed @returns {Command[]} */
function instants(page, typed) {
  const query = parseQuery(typed);
  if (typed.trim().length < 2 || isBlank(query) || !page.timeline) return [];
  const group = text("commands.instants");
  const found = query.problem || query.selector ? [] : findInstants(page.store, query, null);
  const look = () => {
    page.timeline.search.focus();
    page.timeline.search.set(typed);
  };
  const some = found.slice(0, INSTANTS_MAX).map((item) => {
    const { time, where, sentence } = instantParts(page.store, item);
    const go = () => {
      page.seekTo(item.seq);
      page.timeline.showLane();
    };
    return { group, label: `${time}  ${where}`, note: sentence, always: true, run: go };
  });
  return [...some, { group, label: text("commands.find", { words: typed.trim() }), always: true, keys: keysOf("search"), run: look }];
}

/** Branches, and the pages of the site. @returns {Command[]} */
function links() {
  const go = (/** @type {string} */ group, /** @type {HTMLElement} */ link) => ({ group: text(group), label: nameOf(link), also: "", icon: iconOf(link), run: () => link.click() });
  const branches = findAll("#branches .branches a:not([aria-current])").map((link) => go("commands.branches", link));
  const seen = new Set();
  const pages = findAll(".topbar a[href]:not(.menu a), #help nav a, .rail a[href^='/']").filter((link) => {
    const { pathname } = /** @type {HTMLAnchorElement} */ (link);
    return !seen.has(pathname) && seen.add(pathname);
  });
  const found = pages.map((link) => go("commands.pages", link));
  const scenarios = pages.find((link) => /\/scenarios\/$/.test(/** @type {HTMLAnchorElement} */ (link).pathname));
  if (scenarios) found.push({ ...go("commands.pages", scenarios), label: text("commands.runs"), also: text("commands.also_runs"), run: () => location.assign(`${/** @type {HTMLAnchorElement} */ (scenarios).href}#own-runs`) });
  return [...branches, ...found];
}

/** @param {any} page  the RunPage, if there is one @returns {Command[]} */
function settings(page) {
  const group = text("commands.settings");
  const themes = THEMES.map((name) => ({ group, label: text(`theme.${name}`), run: () => chooseTheme(name) }));
  const languages = findAll("#language-menu [name=language]").map((button) => ({ group, label: nameOf(button), more: `${button.lang} language`, lang: button.lang, run: () => button.click() }));
  const narrator = page?.narrator;
  const spoken = narrator ? [{ group, label: text(narrator.isSilent ? "commands.spoken" : "commands.silent"), more: "narrator mute", run: () => narrator.silence(!narrator.isSilent) }] : [];
  return [...themes, ...languages, ...spoken];
}

/** The name of a control. @param {HTMLElement} control */
function nameOf(control) {
  const words = control.textContent?.trim().replace(/\s+/g, " ") || "";
  const isWords = /\p{L}/u.test(words) && !control.matches(".transport__time");
  return withoutKey(control.getAttribute("aria-label") || (isWords ? words : control.title));
}

/** Drop the key at the end of a title: the line ends with it anyway. @param {string} words */
function withoutKey(words) {
  return words.replace(/\s*[(（][^)）]*[)）]$/, "");
}

/** @param {HTMLElement} control @returns {Node | null} */
function iconOf(control) {
  return find("svg", control)?.cloneNode(true) ?? null;
}

/** @param {string} words */
function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
