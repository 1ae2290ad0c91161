// @ts-check
/**
 * What a run page can do without until a reader asks for it is in one file, later.js, and this is the only place that loads it. It is
 * fetched once, however often it is asked for before it has arrived.
 */

import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** @type {Promise<any> | null} */
let loading = null;

/** What later.js exports. If it fails to load, the reader is told, and the next call tries again. */
export function later() {
  loading ??= import("../later.js").catch((error) => {
    loading = null;
    toast(text("panel.failed"), "warn");
    throw error;
  });
  return loading;
}
