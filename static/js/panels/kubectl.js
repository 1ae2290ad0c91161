// @ts-check
/** The command line of the drawer: the line asked or carried out, and the earlier lines (↑ and ↓). */

import { find, post } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { Transcript } from "./transcript.js";
import { answered, keyFor } from "../wire/client-key.js";

const KEPT = 50;
const STORE = "podscope.kubectl";
/** A line that may give the context another namespace, on which the next line depends. */
const CHOOSES = /^(?:(?:kubectl|k)\s+)?(?:-\S+\s+)*config\s.*\bset-context\b/;

export class CommandLine {
  /**
   * @param {HTMLElement} drawer
   * @param {import("./panel.js").Panel} panel
   * @param {{ openTab: (tab: string) => void, writeState: () => void, sel: string, playhead: { live: boolean, seq: number, t_ms: number } }} page
   */
  constructor(drawer, panel, page) {
    this.drawer = drawer;
    this.panel = panel;
    this.page = page;
    this.lines = earlier();
    this.place = this.lines.length;
    this.draft = "";
    /** The line the visitor has entered, until its answer is here: if it acts, it is then carried out. */
    this.wanted = "";
    /** Whether an act is under way; a line entered in the meantime waits for it. */
    this.isActing = false;
    /** @type {{ line: string, namespace: string | undefined } | null} */
    this.next = null;
    /** The line whose answer tells the namespace of the next one. */
    this.choosing = "";
    /** The line, by the number of its act, that has been gone on with. */
    this.followed = "";
    this.transcript = new Transcript();
    this.namespaceStore = `podscope.namespace${location.pathname}`;
    /** The namespace of lines that name none, as `config set-context` chose it; empty: the run's own. A branch begins with that of its line. */
    this.namespace = keptText(this.namespaceStore) ?? panel.namespace;
    panel.body.addEventListener("panel:shown", () => this.carryOut());
    drawer.addEventListener("keydown", (event) => this.pressed(event));
  }

  /**
   * Ask the line of a link that was followed.
   * @param {HTMLElement} link
   */
  follow(link) {
    this.panel.line = link.dataset.ask || "";
    this.page.openTab("kubectl");
    this.show(this.panel.line, Number(link.dataset.did || 0), link.dataset.ns || "");
  }

  get input() {
    return /** @type {HTMLInputElement | null} */ (find("#kubectl-line", this.drawer));
  }

  /**
   * Ask a line that was typed elsewhere.
   * @param {string} line
   */
  typed(line) {
    this.page.openTab("kubectl");
    this.enter(line);
  }

  /** Show the command line, ready to type. */
  open() {
    this.page.openTab("kubectl");
    const begin = () => {
      this.input?.focus();
      this.input?.select();
    };
    if (this.input) begin();
    else this.panel.body.addEventListener("panel:shown", begin, { once: true });
  }

  /** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
  submitted(form, submitter) {
    const button = submitter instanceof HTMLButtonElement ? submitter : null;
    if (form.id === "kubectl-act" || form.id === "kubectl-then") {
      this.act(form);
      return;
    }
    const typed = this.input?.value || "";
    const { session } = form.dataset;
    // Where a command in a container waits for input, what is typed goes there.
    const line = button?.name === "k" ? button.value : session ? `type ${session} -- ${quoted(typed)}` : typed.trim();
    if (session && !button?.name) this.remember(typed.trim());
    // A button's line was written for the namespace of what is shown.
    this.enter(line, button?.name === "k" ? form.dataset.nsNext : undefined);
  }

  /**
   * Ask a line now, or after the one that is under way.
   * @param {string} line
   * @param {string} [namespace]  that of its context, if it is not the one chosen last
   */
  enter(line, namespace) {
    // One line after the other, as in a shell: the second may depend on what the first does.
    if (this.isActing || this.isChoosing) {
      this.next = { line, namespace };
      return;
    }
    this.next = null;
    this.wanted = line;
    this.ask(line, 0, namespace);
  }

  /** Whether the answer that tells the namespace of the next line is on its way. If it cannot be had, lines go on in that of before. */
  get isChoosing() {
    const { loading, body } = this.panel;
    return Boolean(this.choosing) && (loading || !body.dataset.stale);
  }

  /** The answer has arrived. If it offers to carry the line out, that is what Enter meant. */
  carryOut() {
    const { wanted } = this;
    this.goOnWith(find("#kubectl-then", this.drawer));
    const answer = find("#kubectl-answer", this.drawer);
    if (!answer) this.choosing = "";
    if (answer && !find("#kubectl-transcript", this.drawer)) this.transcript.show(answer);
    if (!wanted || find("#kubectl-answer", this.drawer)?.dataset.line !== wanted) return;
    this.wanted = "";
    if (this.choosing) this.choose();
    // For a line that acts, the server answers with a form and a preview; Enter means both steps.
    find("[data-carry-out]", this.drawer)?.click();
  }

  /** The answer to a line that may choose a namespace is here: later lines use it. */
  choose() {
    const namespace = find("[data-kubectl]", this.drawer)?.dataset.nsNext || "";
    this.choosing = "";
    if (namespace !== this.panel.namespace) {
      this.namespace = namespace;
      try {
        sessionStorage.setItem(this.namespaceStore, namespace);
      } catch {
        // As above.
      }
    }
    this.goOn("", 0);
  }

  /**
   * What a line has begun has come so far that kubectl would do the next thing by itself, as `run --rm` deletes its pod: once.
   * @param {HTMLElement | null} form
   */
  goOnWith(form) {
    if (!(form instanceof HTMLFormElement) || !this.page.playhead.live || this.isActing) return;
    const key = form.dataset.did || "";
    if (this.followed === key) return;
    this.followed = key;
    this.act(form);
  }

  /**
   * Carry the line out at the moment that is looked at: a past moment goes on in the page of a branch.
   * @param {HTMLFormElement} form
   */
  async act(form) {
    const { playhead, sel } = this.page;
    const line = String(new FormData(form).get("k") || "");
    this.isActing = true;
    let did = 0;
    const moment = playhead.live ? { at_seq: "", at_ms: "" } : { at_seq: String(playhead.seq), at_ms: String(Math.round(playhead.t_ms)) };
    const ns = String(new FormData(form).get("ns") || "");
    const fields = { k: line, ns, sel, ...moment };
    const key = keyFor(form.action, Object.entries(fields));
    try {
      const response = await post(form.action, { ...fields, client_key: key });
      answered(key, response.status);
      const answer = await response.json();
      if (!response.ok) toast(answer.text, "bad");
      else if (answer.url) location.assign(answer.url);
      else did = answer.did;
    } catch {
      answered(key, 0);
      toast(text("act.offline"), "bad");
    }
    this.isActing = false;
    const first = form.dataset.line;
    // The answer stays that of the line that has begun it.
    if (did && first) this.goOn(first, Number(form.dataset.did), ns);
    else this.goOn(line, did, ns);
  }

  /**
   * An act has been answered: continue with the line entered in the meantime, or else show the act's own answer.
   * @param {string} line
   * @param {number} did
   * @param {string} [namespace]
   */
  goOn(line, did, namespace) {
    const { next } = this;
    this.next = null;
    if (next) {
      this.wanted = next.line;
      this.ask(next.line, 0, next.namespace);
    } else if (did) this.ask(line, did, namespace);
  }

  /**
   * @param {string} line
   * @param {number} [did]  the number of the command that carried it out
   * @param {string} [ns]  the namespace of its context
   */
  ask(line, did = 0, ns = this.namespace) {
    const { input } = this;
    // What is being typed while an act is answered stays.
    const isTyped = line.startsWith("type ");
    if (input && (!did || input.value.trim() === line)) {
      input.value = isTyped ? "" : line;
      input.defaultValue = input.value;
    }
    if (!isTyped) this.remember(line);
    if (line) this.transcript.add({ line, t_ms: Math.round(this.page.playhead.t_ms), did, ...(ns ? { ns } : {}) });
    this.show(line, did, ns);
    if (CHOOSES.test(line)) this.choosing = line;
  }

  /**
   * Show the answer to a line at the current moment.
   * @param {string} line
   * @param {number} did
   * @param {string} namespace
   */
  show(line, did, namespace) {
    this.choosing = "";
    this.panel.did = did;
    this.panel.namespace = namespace;
    this.panel.askLine(line);
    this.page.writeState();
  }

  /** @param {string} line */
  remember(line) {
    if (line && this.lines[this.lines.length - 1] !== line) this.lines = [...this.lines, line].slice(-KEPT);
    this.place = this.lines.length;
    try {
      sessionStorage.setItem(STORE, JSON.stringify(this.lines));
    } catch {
      // A browser that keeps nothing still has this page's lines.
    }
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { input } = this;
    if (!input || event.target !== input || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    if (this.place === this.lines.length) this.draft = input.value;
    this.place = Math.min(Math.max(this.place + step, 0), this.lines.length);
    input.value = this.place === this.lines.length ? this.draft : this.lines[this.place];
    input.setSelectionRange(input.value.length, input.value.length);
  }
}

/** Text as one word of a command line. @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What this tab of the browser keeps under a name; null if there is nothing. @param {string} name */
function keptText(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @returns {string[]} */
function earlier() {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORE) || "[]");
    return Array.isArray(found) ? found.filter((line) => typeof line === "string") : [];
  } catch {
    return [];
  }
}
