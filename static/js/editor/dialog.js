// @ts-check
/** The editor of a run: an object that exists, or new ones. A preview shows what applying would do before it is done. */

import { find, make, randomKey } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { Bar } from "./bar.js";
import { Bench } from "./bench.js";
import { ANSWER_MS } from "./checker.js";
import { PreviewPane } from "./preview.js";

const TABS = ["yaml", "form", "behaviour", "changes"];

class RunEditor {
  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog;
    this.form = /** @type {HTMLFormElement} */ (find("form", dialog));
    this.field = /** @type {HTMLTextAreaElement} */ (find("textarea[name=manifest]", dialog));
    this.place = /** @type {HTMLElement} */ (find("[data-editor-place]", dialog));
    this.note = /** @type {HTMLElement} */ (find("[data-editor-note]", dialog));
    this.review = /** @type {HTMLButtonElement} */ (find("[data-editor-review]", dialog));
    this.send = /** @type {HTMLButtonElement} */ (find("[data-editor-send]", dialog));
    /** @type {any} */
    this.bench = null;
    /** @type {AbortController | null} the opening that counts: the latest one */
    this.asked = null;
    this.before = "";
    this.namespace = "";
    this.warned = false;
    this.review.addEventListener("click", () => this.showChanges());
    this.send.addEventListener("click", (event) => {
      event.preventDefault();
      this.apply();
    });
    dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      event.preventDefault();
      this.go();
    });
    dialog.addEventListener("cancel", (event) => this.closing(event));
    find("[data-editor-close]", dialog)?.addEventListener("click", (event) => {
      if (this.closing(event)) dialog.close();
    });
    dialog.addEventListener("close", () => this.ended());
    this.form.addEventListener("htmx:afterRequest", (event) => this.answered(/** @type {CustomEvent} */ (event).detail));
  }

  /** The moment shown; empty at the newest one. */
  moment() {
    const { live, seq = "" } = /** @type {HTMLElement} */ (find("main[data-run]")).dataset;
    return /** @type {Record<string, string>} */ (live === "true" ? {} : { seq });
  }

  /**
   * @param {string} object  Kind/namespace/name of the object, "" for new objects
   * @param {string} text  initial text of new objects
   * @param {string} namespace  where objects go that name none, "" for the run's own
   */
  async open(object, text, namespace) {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    const live = object ? await this.fetched(object, asked.signal) : "";
    // There is nothing to edit, or another object was requested in the meantime.
    if (live === null || asked.signal.aborted) return;
    this.before = live;
    this.namespace = namespace;
    const name = object.split("/")[2], created = namespace ? message("apply.title_new_in", { namespace }) : message("apply.title_new");
    /** @type {HTMLElement} */ (find("h2", this.dialog)).textContent = name ? message("apply.title_edit", { name }) : created;
    const isPast = "seq" in this.moment();
    this.note.textContent = isPast ? message("apply.past") : "";
    this.warned = false;
    this.build(live || text, object !== "");
    this.dialog.showModal();
    this.bench.view.requestMeasure();
    this.bench.view.focus();
  }

  /**
   * Fetch the object as it is at the moment shown.
   * @param {string} object
   * @param {AbortSignal} signal
   * @returns {Promise<string | null>} null if there is nothing to edit, which has then been reported
   */
  async fetched(object, signal) {
    const { seq = "0" } = /** @type {HTMLElement} */ (find("main[data-run]")).dataset;
    const [kind, namespace, name] = object.split("/");
    const address = `${this.dialog.dataset.objectBase}${seq}/object/${kind}/${namespace || "-"}/${encodeURIComponent(name)}/`;
    try {
      const response = await fetch(address, { credentials: "same-origin", headers: { Accept: "application/json" }, signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
      if (response.ok) return String((await response.json()).yaml);
      if (response.status === 404) toast(message("apply.gone"), "warn");
      else toast(message("act.failed", { status: response.status }), "bad");
    } catch (error) {
      if (signal.aborted) return null;
      console.warn(error);
      toast(message("control.offline"), "bad");
    }
    return null;
  }

  /** @param {string} text @param {boolean} exists */
  build(text, exists) {
    this.bench?.close();
    this.field.value = text;
    this.send.textContent = message(exists ? "apply.apply" : "apply.create");
    const { checkUrl = "", schemaBase = "", previewUrl = "", kubernetes = "", runId = "" } = this.dialog.dataset;
    this.preview = new PreviewPane({ url: previewUrl, text: () => this.bench.text, moment: () => ({ ...this.moment(), ns: this.namespace }), before: () => this.before, onState: (state) => this.showOutcome(state) });
    const bar = new Bar(TABS, "run", () => {}, () => {});
    this.bench = new Bench({
      text,
      id: "run",
      bar,
      checkUrl,
      schemaBase,
      isLive: true,
      version: () => kubernetes,
      fields: () => ({ kubernetes, run: runId, namespace: this.namespace }),
      panes: [this.preview],
      onText: (fresh) => {
        this.field.value = fresh;
        this.warned = false;
        this.showOutcome("waiting");
      },
      apply: () => this.go(),
    });
    this.place.replaceChildren(this.bench.element);
    this.showOutcome("waiting");
  }

  /** Apply if the changes have been previewed; else show them. */
  go() {
    this.bench.flush();
    // The same key first previews, then applies: nothing is applied whose changes were not on screen.
    if (this.preview?.isCurrent && this.preview.outcome === "accepted") this.apply();
    else this.showChanges();
  }

  showChanges() {
    this.bench.flush();
    this.bench.open("changes");
    // If the answer is already there, focus Apply.
    if (this.send.disabled) this.bench.bar.focus();
  }

  /** @param {string} state */
  showOutcome(state) {
    const ready = state === "accepted";
    this.send.disabled = !ready;
    this.send.classList.toggle("button--primary", ready);
    this.review.classList.toggle("button--primary", !ready);
    this.dialog.dataset.preview = state;
    if (ready && this.bench?.tab === "changes") this.send.focus();
  }

  apply() {
    this.bench.flush();
    this.field.value = this.bench.text;
    const key = this.form.elements.namedItem("client_key");
    if (key instanceof HTMLInputElement) key.value = randomKey();
    const namespace = this.form.elements.namedItem("ns");
    if (namespace instanceof HTMLInputElement) namespace.value = this.namespace;
    this.form.requestSubmit();
  }

  /** htmx does not treat a refusal with a text as an error. @param {{ elt: Element, xhr: XMLHttpRequest }} detail */
  answered({ elt, xhr }) {
    if (elt !== this.form) return;
    if (xhr.status >= 200 && xhr.status < 400) {
      this.before = this.bench.text;
      this.dialog.close();
    // What the server refuses now may have been valid when it was previewed: the run went on.
    } else if (xhr.status === 422) {
      this.preview?.forget();
      this.bench.open("yaml");
      this.bench.checker.ask();
    }
  }

  /** A single key does not discard changes. @param {Event} event @returns {boolean} whether it may close */
  closing(event) {
    const legend = event.type === "cancel" ? find("details.menu[open]", this.dialog) : null;
    if (legend) {
      event.preventDefault();
      legend.removeAttribute("open");
      find("summary", legend)?.focus();
      return false;
    }
    const changed = this.bench && this.bench.text !== this.before && this.before !== "";
    if (!changed || this.warned) return true;
    event.preventDefault();
    this.warned = true;
    this.note.textContent = message("apply.discard");
    return false;
  }

  ended() {
    this.preview?.stop();
    this.bench?.close();
    this.bench = null;
    this.preview = null;
    this.place.replaceChildren(make("span"));
  }
}

/** @type {WeakMap<HTMLDialogElement, RunEditor>} */
const editors = new WeakMap();

/**
 * @param {HTMLDialogElement} dialog
 * @param {{ object: string, namespace: string, text: string, tab: string }} wanted
 */
export async function openDialog(dialog, { object, namespace, text, tab }) {
  const editor = editors.get(dialog) ?? new RunEditor(dialog);
  editors.set(dialog, editor);
  if (dialog.open) return;
  await editor.open(object, text, namespace);
  if (tab !== "yaml" && dialog.open) editor.bench.open(tab);
}
