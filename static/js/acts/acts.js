// @ts-check
/** Forms that act on the run: they carry the moment they act on, and their answers become messages. */

import { find } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { showCommands } from "../panels/command-lines.js";
import { answered, keyFor } from "../wire/client-key.js";

const ANSWER_MS = 2000;

/**
 * The last act that was sent: the message to show, and the run's record of it. Either may arrive first.
 * @type {{ words: string, record: { target: string, data: Record<string, any> } | null, timer: number } | null}
 */
let sent = null;

const SENT = "podscope.sent";
const SENT_MS = 10_000;
const OPENING_MS = 1500;
const REFUSALS_TOLD = 3;

/** An act on the past continues on the page of a new branch, which reports its outcome. @param {boolean} isSent */
function keep(isSent) {
  try {
    if (isSent) sessionStorage.setItem(SENT, String(Date.now()));
    else sessionStorage.removeItem(SENT);
  } catch {
    return; // Nothing is remembered where storage is blocked.
  }
}

/**
 * Report it when acts that a branch begins with are refused, rather than leave that for the reader to find.
 * @param {{ headSeq: number, get: (seq: number) => any }} store
 */
export function announceOpening(store) {
  if (!openedByAct()) return;
  const name = find("[data-branch-path]")?.textContent;
  if (name) toast(text("branch.made", { name }), "ok");
  const note = find("#branches")?.dataset.note;
  if (note) toast(note, "warn"); // its menu lists the acts that were carried over
  window.setTimeout(() => {
    // The act that it begins with may be refused, and so may later ones that were carried over.
    const from_ms = Number(find("[data-branch-ms]")?.dataset.branchMs ?? Infinity);
    const refused = [];
    for (let seq = store.headSeq; seq > 0 && store.get(seq).at_ms >= from_ms; seq -= 1) {
      if (store.get(seq).kind === "command" && store.get(seq).target === "refused") refused.unshift(store.get(seq));
    }
    for (const record of refused.slice(0, REFUSALS_TOLD)) reportRefusal(record);
  }, OPENING_MS);
}

/** Whether this page was opened by an act. Can be asked once. */
function openedByAct() {
  try {
    const isOpened = Date.now() - Number(sessionStorage.getItem(SENT)) < SENT_MS;
    keep(false);
    return isOpened;
  } catch {
    return false;
  }
}

/** Show the server's message about a refusal. @param {{ data: Record<string, any> }} record */
function reportRefusal({ data }) {
  toast(`${text("act.refused")}: ${String(data.message || data.reason || "").split("\n")[0].trim()}`, "bad");
}

/** The numbers of the records of refused acts that have arrived on this page. @type {Set<number>} */
const refusals = new Set();

/** A run in which an act was refused is not the one that was asked for: the page says so permanently. @param {number} seq */
function countRefusal(seq) {
  const badge = find("[data-refused-acts]");
  const count = badge?.querySelector("[data-count]");
  if (!(badge instanceof HTMLAnchorElement) || !count) return;
  refusals.add(seq);
  count.textContent = String(Math.max(refusals.size, Number(badge.dataset.refusedActs)));
  if (badge.hidden) badge.href = `${badge.dataset.page ?? ""}?rec=${seq}`;
  badge.hidden = false;
}

/** The run has recorded a command. @param {{ seq: number, target: string, data: Record<string, any> }} record */
export function commandRecorded(record) {
  if (record.target === "refused") countRefusal(record.seq);
  if (!sent) return;
  sent.record = record;
  if (sent.words) reportOutcome();
}

/** Report the outcome of the act: done, or refused with the server's message. */
function reportOutcome() {
  if (!sent) return;
  const { words, record, timer } = sent;
  window.clearTimeout(timer);
  sent = null;
  keep(false);
  if (record?.target === "refused") reportRefusal(record);
  else toast(words, "ok");
}

/**
 * @param {HTMLElement} main
 * @param {{ live: boolean, seq: number, t_ms: number }} playhead
 */
export function wireActs(main, playhead) {
  /** @param {HTMLFormElement} form @param {HTMLElement | null} button */
  const momentOf = (form, button) => {
    set(form, "at_seq", playhead.live ? "" : String(playhead.seq));
    set(form, "at_ms", playhead.live ? "" : String(Math.round(playhead.t_ms)));
    // A repeat of the same act has the same key, so that a lost answer does not make it happen twice.
    set(form, "client_key", keyFor(form.action, new FormData(form, button)));
  };
  document.addEventListener(
    "submit",
    (event) => {
      if (!(event.target instanceof HTMLFormElement) || !event.target.matches("[data-act]")) return;
      // Such a button can be pressed: a disabled one could not say why it is disabled.
      if (event.target.dataset.whyNot) {
        event.preventDefault();
        event.stopImmediatePropagation();
        toast(event.target.dataset.whyNot, "warn");
        return;
      }
      if (event.target.dataset.moment !== "own") momentOf(event.target, event.submitter);
      sent = { words: "", record: null, timer: 0 };
      keep(true);
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

/** Messages from the server's HX-Trigger header and from failed requests; on every page. */
export function wireAnswers() {
  /** @param {string} name @param {string} key @param {"ok" | "bad"} tone */
  const answer = (name, key, tone) =>
    document.body.addEventListener(name, (event) => {
      const detail = /** @type {CustomEvent} */ (event).detail || {};
      toast(detail.text || detail.value || text(key), tone);
    });
  document.body.addEventListener("command:accepted", (event) => {
    const detail = /** @type {CustomEvent} */ (event).detail || {};
    // The record may have come through the socket before this answer did.
    sent ??= { words: "", record: null, timer: 0 };
    sent.words = detail.text || detail.value || text("act.accepted");
    if (detail.waits && !sent.record) toast(detail.waits, "warn"); // the outcome is shown when the run goes on
    else if (sent.record) reportOutcome();
    else sent.timer = window.setTimeout(reportOutcome, ANSWER_MS);
  });
  answer("command:refused", "act.refused", "bad");
  document.body.addEventListener("toast:show", (event) => {
    const { text: words, tone } = /** @type {CustomEvent} */ (event).detail || {};
    toast(words, tone);
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    const { elt, xhr, requestConfig } = /** @type {CustomEvent} */ (event).detail;
    answered(String(requestConfig.parameters.client_key), xhr.status);
    if (xhr.status < 400 || !elt.matches("[data-act]")) return;
    sent = null;
    keep(false);
  });
  document.body.addEventListener("htmx:responseError", (event) => {
    if (asksAgain(event)) return;
    const { xhr } = /** @type {CustomEvent} */ (event).detail;
    if (!xhr.getResponseHeader("HX-Trigger")) toast(text("act.failed", { status: xhr.status }), "bad");
  });
  document.body.addEventListener("htmx:sendError", (event) => {
    if (!asksAgain(event)) toast(text("act.offline"), "bad");
  });
}

/**
 * Whether the failed request is repeated automatically every second, so that the reader need not be told.
 * @param {Event} event
 */
function asksAgain(event) {
  return event.target instanceof Element && event.target.matches("[hx-trigger^='every']");
}
