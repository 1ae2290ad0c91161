// @ts-check
/**
 * Progress kept by the site under a nickname and a phrase. The phrase is sent once and stored nowhere: afterwards the progress is opened
 * with a token, which lasts half a day and is kept on this page or, if the learner asks for it, in this tab (sessionStorage).
 */

import { find, setHidden, post, setText } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { ownProgress, takeProgress } from "./progress.js";

const KEY = "podscope.progress";

/** @typedef {{ nickname: string, token: string }} Session */

/** @returns {Session | null} */
function readSession() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || "null");
    return typeof kept?.token === "string" && typeof kept.nickname === "string" ? kept : null;
  } catch {
    return null; // Nothing is remembered where storage is blocked, or if its content is invalid.
  }
}

/** @param {Session | null} session */
function writeSession(session) {
  try {
    if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
    else sessionStorage.removeItem(KEY);
  } catch {
    // It then lasts for this page only.
  }
}

/** The site's answer, or a text about what went wrong. @param {string} url @param {Record<string, string>} fields @returns {Promise<any>} */
async function asked(url, fields) {
  const error = text("site.failed");
  const response = await post(url, fields).catch(() => null);
  // Some refusals, such as rate limits, are not JSON.
  return response ? { status: response.status, ...(await response.json().catch(() => ({ error }))) } : { status: 0, error };
}

class SiteProgress {
  /** @param {HTMLElement} element @param {() => void} changed  called when the local progress has changed */
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.form = /** @type {HTMLFormElement} */ (find("[data-site-form]", element));
    this.opened = /** @type {HTMLElement} */ (find("[data-site-opened]", element));
    this.says = /** @type {HTMLElement} */ (find("[data-site-says]", element));
    this.session = readSession();
    this.form.addEventListener("submit", (event) => this.submitted(event));
    this.opened.addEventListener("click", ({ target }) => this.do(target instanceof HTMLElement ? target.dataset.siteDo : ""));
    this.show();
    // A page that is merely viewed does not recreate what was deleted on another device.
    if (this.session) this.sync("fetch");
  }

  show() {
    setHidden(this.form, Boolean(this.session));
    setHidden(this.opened, !this.session);
    const name = find("[data-site-name]", this.opened);
    if (name) setText(name, this.session?.nickname ?? "");
  }

  /** @param {SubmitEvent} event */
  async submitted(event) {
    event.preventDefault();
    const fields = new FormData(this.form);
    const doing = event.submitter instanceof HTMLButtonElement ? event.submitter.value : "keep";
    const nickname = String(fields.get("nickname")).trim();
    this.busy(true);
    const answer = await asked(this.element.dataset.openUrl ?? "", { nickname, phrase: String(fields.get("phrase")) });
    if (answer.token) {
      this.session = { nickname, token: answer.token };
      await this.sync(doing);
      // The form that had the focus is gone.
      if (this.session) this.says.focus();
      if (this.session && fields.get("remember")) writeSession(this.session);
    } else setText(this.says, answer.error ?? text("site.failed"));
    this.busy(false);
  }

  /** @param {string | undefined} what */
  async do(what) {
    if (!what || (what === "forget" && !confirm(text("site.sure")))) return;
    if (what === "leave") this.leave("");
    else await this.sync(what);
  }

  /** @param {string} what  `keep`, `fetch` or `forget` */
  async sync(what) {
    const { session } = this;
    if (!session) return;
    setText(this.says, text("site.going"));
    const document = what === "forget" ? "" : JSON.stringify(ownProgress());
    const answer = await asked(this.element.dataset.syncUrl ?? "", { token: session.token, do: what, document });
    if (answer.error) {
      // 403: the token has expired. 404: the site no longer keeps anything.
      if (answer.status === 403 || answer.status === 404) this.leave(answer.error);
      else setText(this.says, answer.error);
    } else if (!answer.progress) this.leave(text(what === "forget" ? "site.forgotten" : "site.nothing"));
    else {
      takeProgress(answer.progress);
      this.form.reset();
      this.show();
      setText(this.says, text(answer.new ? "site.begun" : "site.united"));
      this.changed();
    }
  }

  /** @param {string} words */
  leave(words) {
    const isOpen = !this.opened.hidden;
    this.session = null;
    writeSession(null);
    this.show();
    setText(this.says, words);
    if (isOpen) this.form.querySelector("input")?.focus();
  }

  /** @param {boolean} isBusy */
  busy(isBusy) {
    if (isBusy) setText(this.says, text("site.going"));
    for (const button of this.form.querySelectorAll("button")) button.disabled = isBusy;
  }
}

/** @param {HTMLElement} main @param {() => void} changed */
export function wireSiteProgress(main, changed) {
  const element = find("[data-site-progress]", main);
  if (element) new SiteProgress(element, changed);
}
