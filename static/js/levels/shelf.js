// @ts-check
/** The list of levels: which were passed in this browser, where to go on, and predictions that are due again. */

import { find, findAll, hide, make } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";
import { toast } from "../base/toast.js";
import { dueAsks, readKept } from "./kept.js";
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

/** @param {HTMLElement} main */
function show(main) {
  const { levels } = readKept();
  const rows = findAll("[data-level-key]", main);
  for (const row of rows) {
    const known = levels[row.dataset.levelKey ?? ""];
    row.toggleAttribute("data-done", Boolean(known?.passed));
    const state = find("[data-level-state]", row);
    if (state) state.textContent = known?.passed ? text("shelf.passed", { acts: known.acts ?? 0 }) : known?.tries ? text("shelf.tried", { n: known.tries }) : "";
  }
  const isAny = Object.keys(levels).length > 0;
  for (const button of findAll("[data-shelf-do]", main)) hide(button, !isAny);
  const next = rows.find((row) => !levels[row.dataset.levelKey ?? ""]?.passed);
  const link = next && find("a", next);
  const due = dueAsks();
  find("[data-shelf-goon]", main)?.replaceChildren(
    ...(isAny && link ? [make("p", {}, [make("a", { class: "button button--primary", href: link.getAttribute("href") ?? "", text: text("shelf.go_on", { title: link.textContent ?? "" }) })])] : []),
    ...(due.length ? [make("p", { text: text("shelf.due", { n: due.length }) }), make("ul", {}, due.slice(0, 5).map(([, { home = "", text: words = home }]) => make("li", {}, [make("a", { href: homeOf(home) ?? "" }, inline(words))])))] : []),
  );
}

function save() {
  const url = URL.createObjectURL(new Blob([JSON.stringify(ownProgress(), null, 1)], { type: "application/json" }));
  const link = make("a", { href: url, download: "podscope-progress.json" });
  link.click();
  URL.revokeObjectURL(url);
}
