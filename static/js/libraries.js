// @ts-check
/**
 * The libraries that a run page needs once somebody acts or a panel comes anew: fetched with the page, run when the run is drawn. Until then
 * they would keep the lanes waiting. A form that is sent before is kept, and sent when htmx is there.
 */

import { findAll } from "./dom.js";

/** @type {Map<HTMLFormElement, HTMLElement | null>} what was sent too early, and the button that sent it */
const kept = new Map();

/** @param {SubmitEvent} event */
function keep(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("[hx-post], [hx-get]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  kept.set(form, event.submitter);
}

/** Send what was kept: by htmx, or as any other form where htmx did not come. */
function send() {
  removeEventListener("submit", keep, true);
  for (const [form, button] of kept) if (form.isConnected) form.requestSubmit(button?.isConnected ? button : null);
  kept.clear();
}

/** @param {string} src */
const added = (src) =>
  new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = src;
    script.onload = script.onerror = resolve;
    document.head.append(script);
  });

/** htmx begins at once only where the page has been loaded whole. */
const loaded = () => new Promise((resolve) => (document.readyState === "complete" ? resolve(undefined) : addEventListener("load", resolve, { once: true })));

/** The frame that shows the run is on the screen. */
const shown = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** From now on keep what is sent; load the libraries once the run is ready. */
export function wireLibraries() {
  addEventListener("submit", keep, true);
  document.addEventListener(
    "run:ready",
    async () => {
      await Promise.all([loaded(), shown()]);
      const scripts = findAll("link[rel=preload][as=script]").map((link) => /** @type {HTMLLinkElement} */ (link).href);
      await Promise.all(scripts.map(added));
      send();
    },
    { once: true },
  );
}
