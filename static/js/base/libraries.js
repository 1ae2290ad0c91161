// @ts-check
/**
 * The libraries that a run page needs once the reader acts or a panel is refreshed: fetched with the page, run when the run is drawn, for before
 * that they would keep the lanes waiting. A form that is sent earlier is kept, asks for them at once, and is sent when they are there.
 */

import { findAll, make } from "./dom.js";
import { text } from "./i18n.js";
import { toast } from "./toast.js";

/** @type {HTMLFormElement[]} what was sent too early */
let kept = [];
/** @type {Promise<void> | null} */
let loading = null;
/** Not on a page that has them from the start. */
let isMissing = false;

/**
 * Keep what has not been refused; by now it has its moment and its key (acts/acts.js).
 * @param {SubmitEvent} event
 */
function keep(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  // A listener before this one has dealt with it.
  if (event.defaultPrevented || !form.matches("[hx-post]")) return;
  event.preventDefault();
  kept.push(form.matches(".act, #gesture-act") ? copyOf(form, event.submitter) : form);
  libraries();
}

/**
 * What is sent, as it is now: the form itself may be gone by then, or stand for another pod.
 * @param {HTMLFormElement} form @param {HTMLElement | null} button
 */
function copyOf(form, button) {
  const copy = /** @type {HTMLFormElement} */ (form.cloneNode(false));
  for (const name of ["id", "class", "hx-disabled-elt"]) copy.removeAttribute(name);
  copy.hidden = true;
  copy.dataset.moment = "own";
  for (const [name, value] of new FormData(form, button)) copy.append(make("input", { type: "hidden", name, value: String(value) }));
  document.body.append(copy);
  return copy;
}

/** By htmx, or as any other form where htmx did not come: then the first takes the page with it. */
function sendKept() {
  // Before they are sent again, or they would be kept again.
  removeEventListener("submit", keep);
  const [first, ...others] = kept;
  kept = [];
  const { htmx } = /** @type {any} */ (window);
  if (!htmx && others.length) toast(text("act.offline"), "bad");
  for (const form of htmx ? [first, ...others] : [first]) form?.requestSubmit();
}

/** @param {string} src */
const added = (src) =>
  new Promise((resolve) => {
    const script = make("script", { src });
    script.onload = script.onerror = resolve;
    document.head.append(script);
  });

/** htmx begins at once only where the page has been loaded whole. */
const loaded = () => new Promise((resolve) => (document.readyState === "complete" ? resolve(undefined) : addEventListener("load", resolve, { once: true })));

async function load() {
  await loaded();
  const scripts = findAll("link[rel=preload][as=script]").map((link) => /** @type {HTMLLinkElement} */ (link).href);
  await Promise.all(scripts.map(added));
  isMissing = false;
  sendKept();
}

/** What to wait for until the libraries are there or will not come, null where there is nothing to wait for. Asks for them. */
export function libraries() {
  if (isMissing) loading ??= load();
  return isMissing ? loading : null;
}

/** From now on keep what is sent; load the libraries once the frame that shows the run is on the screen. */
export function wireLibraries() {
  isMissing = true;
  addEventListener("submit", keep);
  // The timeout lets that frame be painted first; scripts would run before it otherwise.
  document.addEventListener("run:ready", () => requestAnimationFrame(() => setTimeout(libraries)), { once: true });
}
