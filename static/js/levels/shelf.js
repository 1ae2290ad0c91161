// @ts-check
/** The list of levels: which were passed in this browser, where to continue, and predictions that are due again. */

import { find, findAll, setHidden, make } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";
import { toast } from "../base/toast.js";
import { dueAsks } from "./kept.js";
import { forgetProgress, ownProgress, takeProgressFile } from "./progress.js";
import { wireSiteProgress } from "./site-progress.js";
import { homeOf } from "./union.js";

const FILE_MAX = 1_000_000;

/** @param {HTMLElement} main */
export function wireShelf(main) {
  show(main);
  window.addEventListener("pageshow", () => show(main));
  wireSiteProgress(main, () => show(main));
  main.addEventListener("click", (event) => {
    const what = event.target instanceof HTMLElement ? event.target.closest("[data-shelf-do]")?.getAttribute("data-shelf-do") : null;
    if (what === "save") save();
    if (what === "forget" && confirm(text("shelf.sure"))) {
      forgetProgress();
      show(main);
    }
  });
  find("[data-shelf-file]", main)?.addEventListener("change", async ({ target }) => {
    const file = /** @type {HTMLInputElement} */ (target).files?.[0];
    const isTaken = file && file.size <= FILE_MAX && takeProgressFile(await file.text());
    toast(text(isTaken ? "shelf.taken" : "shelf.no_file"), isTaken ? "ok" : "bad");
    show(main);
  });
}

/** @typedef {{ isDone: boolean, words: string, isLater?: boolean }} RowState  `isLater`: it is not due today */

/** @param {HTMLElement} row  the row of a level, or of a story on a path @param {import("./union.js").Progress} progress @returns {RowState} */
function stateOf(row, { levels, asks, stories }) {
  const { levelKey, pathStory = "", steps = "" } = row.dataset;
  if (levelKey !== undefined) {
    const known = levels[levelKey];
    return { isDone: Boolean(known?.passed), words: known?.passed ? text("shelf.passed", { acts: known.acts ?? 0 }) : known?.tries ? text("shelf.tried", { n: known.tries }) : "" };
  }
  const named = (row.dataset.asks ?? "").split(" ").filter(Boolean);
  if (named.length) return stateOfAsks(named.map((name) => asks[name]));
  const all = steps.split(" ").filter(Boolean);
  const done = all.filter((step) => stories[pathStory]?.includes(step)).length;
  return { isDone: done > 0 && done === all.length, words: !done ? "" : done === all.length ? text("path.done") : text("path.steps", { done, all: all.length }) };
}

/** A prediction is done once it was right. One that was wrong comes back on its day. @param {(import("./union.js").AskRecord | undefined)[]} asks @returns {RowState} */
function stateOfAsks(asks) {
  if (asks.every((ask) => ask && ask.right > 0)) return { isDone: true, words: text("path.right") };
  const open = asks.filter((ask) => !ask || ask.right === 0);
  if (open.some((ask) => !ask)) return { isDone: false, words: "" };
  const isLater = open.every((ask) => ask && ask.due > Date.now());
  return { isDone: false, isLater, words: text(isLater ? "path.later" : "path.again") };
}

/** @param {HTMLElement} main */
function show(main) {
  const progress = ownProgress();
  const isPath = main.dataset.path !== undefined;
  const rows = findAll("[data-level-key], [data-path-story]", main).map((row) => ({ row, ...stateOf(row, progress) }));
  for (const { row, isDone, words } of rows) {
    row.toggleAttribute("data-done", isDone);
    const state = find("[data-level-state]", row);
    if (state) state.textContent = words;
  }
  const isAny = Object.values(progress).some((part) => Object.keys(part).length > 0);
  for (const button of findAll("[data-shelf-do]", main)) setHidden(button, !isAny);
  showCounts(main, rows);
  const next = rows.find(({ isDone, isLater }) => !isDone && !isLater);
  for (const { row } of rows) row.toggleAttribute("data-next", isPath && row === next?.row);
  const isBegun = rows.some(({ words }) => words) || (!isPath && isAny);
  const due = dueAsks();
  find("[data-shelf-goon]", main)?.replaceChildren(
    ...(isPath || (isBegun && next) ? [goOn(next?.row, isBegun)] : []),
    ...(due.length && !isPath ? [make("p", { text: text("shelf.due", { n: due.length }) }), make("ul", {}, due.slice(0, 5).map(([, { home = "", text: words = home }]) => make("li", {}, [make("a", { href: homeOf(home) ?? "" }, inline(words))])))] : []),
  );
}

/** The link to what comes next, or a text that everything is done. @param {HTMLElement | undefined} row @param {boolean} isBegun */
function goOn(row, isBegun) {
  const link = row && find("a", row);
  if (!link) return make("p", { text: text("path.all") });
  return make("p", {}, [make("a", { class: "button button--primary", href: link.getAttribute("href") ?? "", text: text(isBegun ? "shelf.go_on" : "path.begin", { title: link.textContent ?? "" }) })]);
}

/** How much is done, of the path and of each stage or objective. @param {HTMLElement} main @param {({ row: HTMLElement } & RowState)[]} rows */
function showCounts(main, rows) {
  /** @param {HTMLElement | null} place @param {Element | null} [part] */
  const count = (place, part) => {
    const of = part ? rows.filter(({ row }) => part.contains(row)) : rows;
    if (place) place.textContent = text("path.count", { done: of.filter(({ isDone }) => isDone).length, all: of.length });
  };
  count(find("[data-path-count]", main));
  for (const stage of findAll("[data-path-stage]", main)) count(find("[data-path-stage-count]", stage), stage);
  for (const place of findAll("[data-section-count]", main)) count(place, find(`[aria-labelledby="${place.dataset.sectionCount}"]`, main));
}

function save() {
  const url = URL.createObjectURL(new Blob([JSON.stringify(ownProgress(), null, 1)], { type: "application/json" }));
  const link = make("a", { href: url, download: "podscope-progress.json" });
  link.click();
  URL.revokeObjectURL(url);
}
