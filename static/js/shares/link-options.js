// @ts-check
/** The options for a link: code for an iframe, a link that contains everything, and the page that opens such a link. */

import { find, make } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { addTexts, text } from "../base/i18n.js";
import { answerTimeout } from "../base/retry.js";
import { toast } from "../base/toast.js";
import { copyText } from "./address.js";
import { SHARE_MESSAGES } from "./messages.js";
import { requestShare, showDialog } from "./moment-link.js";
import { LONG, TAG, LinkTrouble, packed, unpacked } from "./scenario-link.js";

addTexts(SHARE_MESSAGES);

/**
 * Make a lasting link to the moment, and show the options for it.
 * @param {string} shareUrl
 * @param {import("./address.js").Moment} moment
 */
export async function openLinkOptions(shareUrl, moment) {
  try {
    const { ways } = await requestShare(shareUrl, moment);
    const answer = await fetch(ways, { headers: { "HX-Request": "true" }, signal: answerTimeout() });
    if (!answer.ok) throw new Error(`${ways} answered ${answer.status}`);
    const shown = document.createElement("div");
    shown.innerHTML = await answer.text(); // the site's own markup
    const close = make("button", { class: "button button--primary", "data-close": true, type: "button", text: text("dialog.close") });
    showDialog([make("h2", { text: text("share.title") }), ...shown.children, make("div", { class: "cluster" }, [close])], "dialog dialog--wide");
  } catch {
    toast(text("share.failed"), "bad");
  }
}

/** Another code for the frame was chosen, or a button of the options was pressed. @param {string} kind  type of the event @param {EventTarget | null} target */
export function linkOptionUsed(kind, target) {
  const wanted = kind === "change" ? "[data-embed-size], [data-embed-controls], [data-embed-theme]" : "[data-carry], [data-copy-from]";
  const pressed = target instanceof Element ? target.closest(wanted) : null;
  const ways = pressed?.closest("[data-ways]");
  if (!(pressed instanceof HTMLElement) || !(ways instanceof HTMLElement)) return;
  const field = pressed.dataset.copyFrom ? find(pressed.dataset.copyFrom, ways) : null;
  if (kind === "change") showCode(ways);
  else if (field instanceof HTMLTextAreaElement) copyText(field.value);
  else carry(ways);
}

/** Set up the options on pages that show no run. */
export function wireLinkOptions() {
  for (const kind of ["change", "click"]) document.addEventListener(kind, (event) => linkOptionUsed(event.type, event.target));
  const form = find("[data-open-scenario]");
  if (form) {
    openCarried();
    // A redirect would pass the fragment on to the run's address.
    form.addEventListener("submit", () => history.replaceState(history.state, "", location.pathname));
    window.addEventListener("hashchange", openCarried);
  }
}

/** @param {HTMLElement} ways */
function showCode(ways) {
  const chosen = (/** @type {string} */ name) => /** @type {HTMLSelectElement | null} */ (find(`[data-embed-${name}]`, ways))?.value || "";
  const field = find("[data-embed-code]", ways);
  const [width, height] = chosen("size").split("x");
  const address = new URL(ways.dataset.frame || "", location.href);
  if (chosen("controls") !== "full") address.searchParams.set("controls", chosen("controls"));
  if (chosen("theme") !== "auto") address.searchParams.set("theme", chosen("theme"));
  if (!(field instanceof HTMLTextAreaElement)) return;
  // The server wrote the code; only the chosen values are replaced, so that the rest stays escaped.
  const written = field.value.replace(/ src="[^"]*"/, ` src="${address.href}"`);
  field.value = written.replace(/ width="\d+"/, ` width="${width}"`).replace(/ height="\d+"/, ` height="${height}"`);
}

/**
 * Copy a link that contains the whole scenario.
 * @param {HTMLElement} ways
 */
async function carry(ways) {
  const status = find("[data-carry-told]", ways);
  const showStatus = (/** @type {string} */ words) => status && (status.textContent = words);
  try {
    const answer = await fetch(ways.dataset.file || "");
    if (!answer.ok) throw new LinkTrouble("damaged");
    const fragment = await packed(await answer.text());
    await copyText(`${ways.dataset.open}#${fragment}`);
    const size = { size: (fragment.length / 1024).toFixed(1) };
    showStatus(text(fragment.length > LONG ? "carry.long" : "carry.copied", size));
  } catch (error) {
    showStatus(text(error instanceof LinkTrouble ? error.message : "share.failed"));
  }
}

/** Show the scenario in this page's own address, if there is one, and put it into the form, which only the reader submits. */
async function openCarried() {
  const carried = find("[data-carried]");
  const what = find("[data-carried-what]");
  const field = /** @type {HTMLTextAreaElement | null} */ (find("[data-open-scenario] textarea"));
  if (!location.hash.startsWith(`#${TAG}`) || !carried || !what || !field) return;
  carried.hidden = false;
  try {
    const written = await unpacked(location.hash);
    what.textContent = summary(JSON.parse(written));
    field.value = written;
    carried.dataset.tone = "info";
  } catch (error) {
    carried.dataset.tone = "bad";
    what.textContent = text(error instanceof LinkTrouble ? error.message : "carry.damaged");
  }
}

/** @param {any} file */
function summary(file) {
  const { title = "", kubernetes = "?", acts = [], until_ms = 0 } = file ?? {};
  return text("carry.what", { title, kubernetes, acts: Array.isArray(acts) ? acts.length : 0, until: clockText(Number(until_ms) || 0) });
}
