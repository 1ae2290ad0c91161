// @ts-check
/**
 * What is typed into a level's form stays in this tab, keyed by the form's address, until the level is shared: an author who goes back to
 * the lanes for one more check finds it again (picking/picking.js sends it along). Picks that have been taken into the form are removed
 * from the tray.
 */

import { throttle } from "../base/dom.js";

const DRAFTS = "podscope.draft:";
const PICKS = "podscope.picks";
const KEEP_MS = 500;
/** Fields that the page sends anew each time. */
const PASSING = new Set(["csrfmiddlewaretoken", "upload", "do", "q", "first", "stamp"]);

/** @param {HTMLFormElement} form */
export function keepDraft(form) {
  const key = DRAFTS + location.pathname;
  const keep = () => {
    const fields = [...new FormData(form)].filter(([name, value]) => !PASSING.has(name) && typeof value === "string");
    tryTo(() => sessionStorage.setItem(key, JSON.stringify(fields)));
  };
  const soon = throttle(KEEP_MS, keep);
  for (const name of ["input", "change"]) form.addEventListener(name, soon);
  form.addEventListener("submit", (event) => {
    const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
    if (button?.value.startsWith("share")) window.addEventListener("pagehide", () => tryTo(() => sessionStorage.removeItem(key)), { once: true });
    else keep();
  });
  if (form.dataset.unsaved !== undefined) keep(); // it was to be shared, but was not
  if (form.dataset.taken === undefined) return;
  keep();
  forgetPicks(form.dataset.taken);
}

/** @param {string} family  the tree of branches on whose lanes the picks were made */
function forgetPicks(family) {
  tryTo(() => {
    const all = JSON.parse(sessionStorage.getItem(PICKS) || "{}");
    if (all[family]) all[family] = { ...all[family], picks: [] };
    sessionStorage.setItem(PICKS, JSON.stringify(all));
  });
}

/** @param {() => void} use  uses storage, which may be blocked */
function tryTo(use) {
  try {
    use();
  } catch {
    // Then what was typed lasts as long as the page.
  }
}
