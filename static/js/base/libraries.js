// @ts-check
/**
 * The libraries that a run page needs once the reader acts or a panel is refreshed. They are preloaded with the page but run only after the
 * run is drawn; earlier they would delay the lanes. A form that is submitted before that is kept, loads them at once, and is sent when they
 * are there.
 */

import { findAll, make } from "./dom.js";
import { text } from "./i18n.js";
import { toast } from "./toast.js";

/** @type {HTMLFormElement[]} submitted before the libraries were loaded */
let kept = [];
/** @type {Promise<void> | null} */
let loading = null;
/** False on a page that includes them from the start. */
let isMissing = false;

/**
 * Keep a submission that no listener has cancelled; by now it has its moment and its key (acts/acts.js).
 * @param {SubmitEvent} event
 */
function keep(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  // An earlier listener has handled it.
  if (event.defaultPrevented || !form.matches("[hx-post]")) return;
  event.preventDefault();
  kept.push(form.matches(".act, #gesture-act") ? copyOf(form, event.submitter) : form);
  libraries();
}

/**
 * A copy of what is submitted: the form itself may be gone by then, or be about another pod.
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

/** Send through htmx, or as an ordinary form if htmx did not load: then the first one navigates the page. */
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

/** htmx initialises itself at once only if the page has finished loading. */
const loaded = () => new Promise((resolve) => (document.readyState === "complete" ? resolve(undefined) : addEventListener("load", resolve, { once: true })));

async function load() {
  await loaded();
  const scripts = findAll("link[rel=preload][as=script]").map((link) => /** @type {HTMLLinkElement} */ (link).href);
  await Promise.all(scripts.map(added));
  isMissing = false;
  sendKept();
}

/** A promise to wait for until the libraries are loaded or have failed; null if there is nothing to wait for. Starts loading them. */
export function libraries() {
  if (isMissing) loading ??= load();
  return isMissing ? loading : null;
}

/** From now on keep what is submitted; load the libraries once the frame that shows the run is on the screen. */
export function wireLibraries() {
  isMissing = true;
  addEventListener("submit", keep);
  // The timeout lets that frame be painted first; the scripts would otherwise run before it.
  document.addEventListener("run:ready", () => requestAnimationFrame(() => setTimeout(libraries)), { once: true });
}
