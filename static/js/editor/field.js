// @ts-check
/**
 * The field for a manifest in a page's own form (New, sweeps, levels). It is a plain text field until the reader uses it: the editor's
 * scripts are loaded when the field gets the focus or one of the tabs above it is pressed.
 */

import { findAll, make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { load } from "./boot.js";

/** @param {HTMLTextAreaElement} field */
function wireField(field) {
  const form = field.closest("form");
  if (!form?.dataset.checkUrl) return;
  const start = async (/** @type {(bench: any) => void} */ then) => {
    const opened = await load();
    if (opened) then(opened.openField(field, form));
  };
  const bar = make("div", { class: "bench__bar bench__bar--waiting" }, [
    make(
      "div",
      { class: "tabs", role: "group", "aria-label": message("editor.views") },
      ["yaml", "form", "behaviour"].map((name) => {
        const tab = make("button", { type: "button", class: "tab", "aria-pressed": String(name === "yaml"), text: message(`editor.tab.${name}`) });
        tab.addEventListener("click", () =>
          start((bench) => {
            bench.open(name);
            if (name === "yaml") bench.view.focus();
            else bench.bar.focus();
          }),
        );
        return tab;
      }),
    ),
  ]);
  (field.closest(".editor") ?? field).before(bar);
  field.addEventListener("focus", () => start(() => {}));
  field.addEventListener("editor:opened", () => bar.remove(), { once: true });
  if (document.activeElement === field) start(() => {}); // the reader was quicker than this script
}

export function wireFields() {
  for (const field of findAll("textarea[data-editor]")) wireField(/** @type {HTMLTextAreaElement} */ (field));
}
