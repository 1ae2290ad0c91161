// @ts-check
/** Forms that act on the run: they carry the moment they act on, and their answers become messages. */

import { findAll, randomKey } from "./dom.js";
import { text } from "./i18n.js";
import { toast } from "./toast.js";

/**
 * @param {HTMLElement} main
 * @param {{ live: boolean, seq: number, t_ms: number }} playhead
 */
export function wireActs(main, playhead) {
  /** @param {HTMLFormElement} form */
  const momentOf = (form) => {
    set(form, "at_seq", playhead.live ? "" : String(playhead.seq));
    set(form, "at_ms", playhead.live ? "" : String(Math.round(playhead.t_ms)));
    set(form, "client_key", randomKey());
  };
  document.addEventListener(
    "submit",
    (event) => {
      if (event.target instanceof HTMLFormElement && event.target.matches("[data-act]")) momentOf(event.target);
    },
    true,
  );
  main.addEventListener("input", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-act]") : null;
    if (form) showCommands(form);
  });
  showCommands(main);
  main.dataset.acts = "ready";
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string} value
 */
function set(form, name, value) {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = value;
}

/**
 * Command lines beside acts say what the visitor has typed into the fields.
 * @param {ParentNode} root
 */
export function showCommands(root) {
  for (const line of findAll("[data-command]", root)) {
    const form = line.closest("form");
    if (!form) continue;
    const words = (line.dataset.command || "").replace(/\{([a-z_]+)\}/g, (whole, name) => {
      const field = form.elements.namedItem(name);
      return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : whole;
    });
    line.dataset.copy = words;
    if (line.textContent !== words) line.textContent = words;
  }
}

/** Messages from the server's HX-Trigger header and from failed requests; on every page. */
export function wireAnswers() {
  /** @param {string} name @param {string} key @param {"ok" | "bad"} tone */
  const answer = (name, key, tone) =>
    document.body.addEventListener(name, (event) => {
      const detail = /** @type {CustomEvent} */ (event).detail || {};
      toast(detail.text || detail.value || text(key), tone);
    });
  answer("command:accepted", "act.accepted", "ok");
  answer("command:refused", "act.refused", "bad");
  document.body.addEventListener("toast:show", (event) => {
    const { text: words, tone } = /** @type {CustomEvent} */ (event).detail || {};
    toast(words, tone);
  });
  document.body.addEventListener("htmx:responseError", (event) => {
    const { xhr } = /** @type {CustomEvent} */ (event).detail;
    if (!xhr.getResponseHeader("HX-Trigger")) toast(text("act.failed", { status: xhr.status }), "bad");
  });
  document.body.addEventListener("htmx:sendError", () => toast(text("act.offline"), "bad"));
}
