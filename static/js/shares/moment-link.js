// @ts-check
/** A lasting link to the moment shown, for the clipboard or to copy by hand. */

import { make, post } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { LOOK, momentQuery } from "./address.js";

/** @typedef {import("./address.js").Moment} Moment */

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
export async function requestShare(shareUrl, { t_ms, seq, sel, rec, tab, part = "", line = "", did = 0, namespace = "", pin = "", noise = "", ...look }) {
  const carried = Object.fromEntries(LOOK.map((name) => [name, String(look[name] ?? "")]));
  const response = await post(shareUrl, { t: String(Math.round(t_ms)), seq: String(seq), sel, rec: rec ? String(rec) : "", tab, part, k: line, did: String(did), ns: namespace, pin, noise, ...carried });
  if (!response.ok) throw new Error(`share answered ${response.status}`);
  return response.json();
}

/**
 * Copy a text that is still on its way. The clipboard item is created at once, inside the click, as some browsers require.
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
