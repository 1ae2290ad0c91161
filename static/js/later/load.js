// @ts-check
/**
 * What a run page can do without until a reader asks for it is in two files, later.js and later.css, and this is the only place that loads
 * them. They are fetched once, however often they are asked for before they have arrived.
 */

import { find } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { loadStyles } from "../base/styles.js";
import { toast } from "../base/toast.js";

/** @type {Promise<any> | null} */
let loading = null;

/** @type {Promise<void> | null} */
let styled = null;

/** Load the style sheet of what is not there when a page is opened; a page without such a sheet needs none. */
export function laterStyles() {
  styled ??= loadStyles(find("[data-later-styles]")?.dataset.laterStyles || "");
  return styled;
}

/** What later.js exports, with its style sheet. If it fails to load, the reader is told, and the next call tries again. */
export function later() {
  loading ??= Promise.all([import("../later.js"), laterStyles()]).then(
    ([parts]) => parts,
    (error) => {
      loading = null;
      toast(text("panel.failed"), "warn");
      throw error;
    },
  );
  return loading;
}
