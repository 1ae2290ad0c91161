// @ts-check
/** Copying: links to the moment shown, and any text marked with `data-copy`. */

import { find, make, post } from "./dom.js";
import { secondsText } from "./format.js";
import { text } from "./i18n.js";
import { toast } from "./toast.js";

/** @type {("v" | "fold" | "open" | "q" | "sort" | "range" | "notes" | "clock" | "old" | "pins")[]} how the lanes are looked at */
const LOOK = ["v", "fold", "open", "q", "sort", "range", "notes", "clock", "old", "pins"];

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
 * @property {string} [v]  the stretch of time on screen
 * @property {string} [fold]  pods that are folded
 * @property {string} [open]  pods whose conditions are all shown
 * @property {string} [q]  what is searched for
 * @property {string} [sort]  the order of pods, empty for that of their creation
 * @property {string} [range]  the stretch of time that is chosen
 * @property {string} [notes]
 * @property {string} [clock]  the clock of the ruler, empty for that of the run
 * @property {string} [old]  "0" where the old future of a branch is hidden
 * @property {string} [pins]  lanes that stand above all others
 */

/**
 * The query of a moment, as links and the address bar carry it.
 * @param {Moment} moment
 */
export function momentQuery({ t_ms, sel, rec, tab, part, line, did, ...look }) {
  const query = new URLSearchParams({ t: secondsText(t_ms) });
  if (sel) query.set("sel", sel);
  if (rec) query.set("rec", String(rec));
  if (tab) query.set("tab", tab);
  if (part) query.set("part", part);
  if (line) query.set("k", line);
  if (line && did) query.set("did", String(did));
  for (const name of LOOK) if (look[name]) query.set(name, String(look[name]));
  return query.toString();
}

/**
 * Ask the server for a lasting link to the moment, then copy it. A page that can't make one links to itself.
 * @param {string} shareUrl
 * @param {Moment} moment
 */
export async function shareMoment(shareUrl, moment) {
  const link = shareUrl ? requestLink(shareUrl, moment) : Promise.resolve(`${location.origin}${location.pathname}?${momentQuery(moment)}`);
  if (await copyWhenReady(link)) {
    toast(text("share.copied"), "ok");
    return;
  }
  try {
    showLink(await link);
  } catch {
    toast(text("share.failed"), "bad");
  }
}

/**
 * @param {string} shareUrl
 * @param {Moment} moment
 * @returns {Promise<string>}
 */
async function requestLink(shareUrl, moment) {
  const { url } = await requestShare(shareUrl, moment);
  return new URL(url, location.href).href;
}

/**
 * @param {string} shareUrl
 * @param {Moment} moment
 * @returns {Promise<{ url: string, ways: string }>}
 */
export async function requestShare(shareUrl, { t_ms, seq, sel, rec, tab, ...look }) {
  const carried = Object.fromEntries(LOOK.map((name) => [name, String(look[name] ?? "")]));
  const response = await post(shareUrl, { t: String(Math.round(t_ms)), seq: String(seq), sel, rec: rec ? String(rec) : "", tab, ...carried });
  if (!response.ok) throw new Error(`share answered ${response.status}`);
  return response.json();
}

/**
 * Copy a text that is still on its way. The clipboard item is made at once, inside the click, as some browsers demand.
 * @param {Promise<string>} link
 * @returns {Promise<boolean>}
 */
async function copyWhenReady(link) {
  try {
    if (typeof ClipboardItem === "function" && navigator.clipboard?.write) {
      const blob = link.then((url) => new Blob([url], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return true;
    }
    await navigator.clipboard.writeText(await link);
    return true;
  } catch {
    return false;
  }
}

/**
 * Show a link for copying by hand.
 * @param {string} link
 */
function showLink(link) {
  const input = /** @type {HTMLInputElement} */ (make("input", { class: "input", readonly: true, value: link, "data-share-link": true }));
  const close = make("button", { class: "button button--primary", "data-close": true, type: "button", text: text("dialog.close") });
  showDialog([make("h2", { text: text("share.title") }), make("p", { text: text("share.help") }), input, make("div", { class: "cluster" }, [close])]);
  input.value = link;
  input.select();
}

/**
 * @param {(Node | string)[]} children
 * @param {string} [classes]
 */
export function showDialog(children, classes = "dialog") {
  const dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: classes, "aria-label": text("share.title") }, children));
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
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
