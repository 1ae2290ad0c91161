// @ts-check
/** The moment in addresses, and copying of any text marked with `data-copy`. */

import { find } from "../base/dom.js";
import { secondsText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** @type {("v" | "fold" | "open" | "q" | "sort" | "range" | "notes" | "clock" | "old" | "pins")[]} how the lanes are looked at */
export const LOOK = ["v", "fold", "open", "q", "sort", "range", "notes", "clock", "old", "pins"];

/**
 * @typedef {object} Moment
 * @property {number} t_ms
 * @property {number} seq
 * @property {string} sel
 * @property {string} [line]  what kubectl is asked
 * @property {number} [did]  the number of the command with which that line has been carried out
 * @property {number} rec
 * @property {string} tab
 * @property {string} [part]  what the tab shows of several things
 * @property {string} [pin]  ms: the other moment of the tab Diff, where one is pinned
 * @property {string} [noise]  "1" where that tab shows bookkeeping
 * @property {string} [v]  the stretch of time on screen
 * @property {string} [fold]  pods that are folded
 * @property {string} [open]  pods whose conditions are all shown
 * @property {string} [q]  what is searched for
 * @property {string} [sort]  the order of pods, empty for that of their creation
 * @property {string} [range]  the stretch of time that is chosen
 * @property {string} [notes]
 * @property {string} [clock]  the clock on the ruler, empty for that of the run
 * @property {string} [old]  "0" where the old future of a branch is hidden
 * @property {string} [pins]  lanes that stand above all others
 */

/**
 * The query of a moment, as links and the address bar carry it.
 * @param {Moment} moment
 */
export function momentQuery({ t_ms, sel, rec, tab, part, line, did, pin, noise, ...look }) {
  const query = new URLSearchParams({ t: secondsText(t_ms) });
  if (sel) query.set("sel", sel);
  if (rec) query.set("rec", String(rec));
  if (tab) query.set("tab", tab);
  if (part) query.set("part", part);
  if (line) query.set("k", line);
  if (line && did) query.set("did", String(did));
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

/** Copy buttons and dialogs, anywhere on any page. */
export function wireCopyAndDialogs() {
  document.addEventListener("keydown", (event) => {
    // On the way down: the lanes, too, have a meaning for Escape, and an open menu goes first.
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
    // A click that ends the marking of text does not ask for a copy of all of it.
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
