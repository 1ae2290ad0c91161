// @ts-check
/** The command line of the drawer: what is asked, and the lines asked before (↑ and ↓). */

import { find } from "./dom.js";

const KEPT = 50;
const STORE = "podscope.kubectl";

export class CommandLine {
  /**
   * @param {HTMLElement} drawer
   * @param {import("./panels.js").Panel} panel
   * @param {{ openTab: (tab: string) => void, writeState: () => void }} page
   */
  constructor(drawer, panel, page) {
    this.drawer = drawer;
    this.panel = panel;
    this.page = page;
    this.lines = earlier();
    this.place = this.lines.length;
    this.draft = "";
    if (panel.tab === "kubectl") panel.line = this.input?.value || "";
    drawer.addEventListener("submit", (event) => this.submitted(event));
    drawer.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("click", (event) => this.clicked(event));
  }

  /**
   * A link that stands for a line.
   * @param {MouseEvent} event
   */
  clicked(event) {
    const link = event.target instanceof Element ? event.target.closest("[data-ask]") : null;
    if (!(link instanceof HTMLElement) || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.panel.line = link.dataset.ask || "";
    this.page.openTab("kubectl");
    this.ask(this.panel.line);
  }

  get input() {
    return /** @type {HTMLInputElement | null} */ (find("#kubectl-line", this.drawer));
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

  /** @param {SubmitEvent} event */
  submitted(event) {
    if (!(event.target instanceof HTMLFormElement) || !event.target.matches("[data-kubectl]")) return;
    event.preventDefault();
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    this.ask((button?.name === "k" ? button.value : this.input?.value || "").trim());
  }

  /** @param {string} line */
  ask(line) {
    const { input } = this;
    if (input) {
      input.value = line;
      input.defaultValue = line;
    }
    this.remember(line);
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
      // A browser that keeps nothing still has the lines of this page.
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

/** @returns {string[]} */
function earlier() {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORE) || "[]");
    return Array.isArray(found) ? found.filter((line) => typeof line === "string") : [];
  } catch {
    return [];
  }
}
