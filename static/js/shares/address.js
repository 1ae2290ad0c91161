// @ts-check
/** The moment in addresses, and copying of any text marked with `data-copy`. */

import { find } from "../base/dom.js";
import { secondsText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** @type {("v" | "fold" | "open" | "q" | "sort" | "range" | "notes" | "clock" | "old" | "pins")[]} the view of the lanes */
export const LOOK = ["v", "fold", "open", "q", "sort", "range", "notes", "clock", "old", "pins"];

/**
 * @typedef {object} Moment
 * @property {number} t_ms
 * @property {number} seq
 * @property {string} sel
 * @property {string} [line]  the kubectl line
 * @property {number} [did]  the number of the command that carried out that line
 * @property {string} [namespace]  that of the context of the line
 * @property {number} rec
 * @property {string} tab
 * @property {string} [part]  which of several things the tab shows
 * @property {string} [pin]  ms: the other moment of the Diff tab, if one is pinned
 * @property {string} [noise]  "1" if that tab shows bookkeeping
 * @property {string} [v]  the stretch of time on screen
 * @property {string} [fold]  pods that are folded
 * @property {string} [open]  pods whose conditions are all shown
 * @property {string} [q]  the search
 * @property {string} [sort]  the order of pods, empty for order of creation
 * @property {string} [range]  the selected stretch of time
 * @property {string} [notes]
 * @property {string} [clock]  the clock of the ruler, empty for that of the run
 * @property {string} [old]  "0" if the old future of a branch is hidden
 * @property {string} [pins]  lanes pinned above all others
 */

/**
 * The query of a moment, as links and the address bar carry it.
 * @param {Moment} moment
 */
export function momentQuery({ t_ms, sel, rec, tab, part, line, did, namespace, pin, noise, ...look }) {
  const query = new URLSearchParams({ t: secondsText(t_ms) });
  if (sel) query.set("sel", sel);
  if (rec) query.set("rec", String(rec));
  if (tab) query.set("tab", tab);
  if (part) query.set("part", part);
  if (line) query.set("k", line);
  if (line && did) query.set("did", String(did));
  if (line && namespace) query.set("ns", namespace);
  if (pin) query.set("pin", secondsText(Number(pin)));
  if (noise) query.set("noise", noise);
  for (const name of LOOK) if (look[name]) query.set(name, String(look[name]));
  return query.toString();
}

/**
 * @param {string} words
 */
export async function copyText(words) {
  try {
    await navigator.clipboard.writeText(words);
    toast(text("copy.done"), "ok");
  } catch {
    toast(text("copy.failed"), "warn");
  }
}

/** Wire copy buttons and dialogs, anywhere on any page. */
export function wireCopyAndDialogs() {
  document.addEventListener("keydown", (event) => {
    // In the capture phase: Escape also has a meaning for the lanes, and an open menu comes first.
    const menu = event.key === "Escape" ? find("details.menu[open]") : null;
    if (!menu) return;
    event.preventDefault();
    menu.removeAttribute("open");
    find("summary", menu)?.focus();
  }, true);
  document.addEventListener("keydown", (event) => {
    const copy = event.target instanceof HTMLElement && event.target.matches('[data-copy][role="button"]') ? event.target : null;
    if (!copy || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    copyText(copy.dataset.copy || "");
  }, true);
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const copy = event.target.closest("[data-copy]");
    // A click that ends a selection of text does not mean to copy all of it.
    if (copy instanceof HTMLElement && getSelection()?.isCollapsed !== false) copyText(copy.dataset.copy || "");
    const opener = event.target.closest("[data-dialog]");
    const dialog = opener instanceof HTMLElement ? document.getElementById(opener.dataset.dialog || "") : null;
    if (dialog instanceof HTMLDialogElement) {
      event.preventDefault();
      dialog.showModal();
    }
    event.target.closest("[data-close]")?.closest("dialog")?.close();
  });
}
