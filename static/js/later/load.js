// @ts-check
/**
 * What a run page can do without until a reader asks for it waits in one file, later.js, and this
 * is the only place that loads it. Whether the reader asks once or ten times before it has come, it
 * is fetched once.
 */

import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** @type {Promise<any> | null} */
let loading = null;

/** What later.js exports. Where it does not come, the reader is told, and the next wish asks again. */
export function later() {
  loading ??= import("../later.js").catch((error) => {
    loading = null;
    toast(text("panel.failed"), "warn");
    throw error;
  });
  return loading;
}
