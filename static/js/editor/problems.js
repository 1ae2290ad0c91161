// @ts-check
/** The list of findings below the text: position, message, fixes. F8 goes from one to the next. */

import { make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { SIGNS } from "../base/tones-table.js";
import { applyFix, explained, findings } from "./diagnostics.js";
import { gathered } from "./gathered.js";
import { ORDER } from "./severity.js";


export class ProblemList {
  /** @param {any} bench  the workbench */
  constructor(bench) {
    this.bench = bench;
    this.counts = make("span", { class: "problems-bar__counts", role: "status", "aria-live": "polite" });
    this.state = make("span", { class: "problems-bar__state muted" });
    this.list = make("ol", { class: "findings" });
    this.element = make("section", { class: "problems-bar", "aria-label": message("editor.problems") }, [make("div", { class: "problems-bar__head" }, [this.counts, this.state]), this.list]);
    this.list.addEventListener("click", (event) => this.clicked(event));
  }

  /** @param {"waiting" | "done" | "failed"} state */
  tell(state) {
    this.element.dataset.state = state;
    this.state.textContent = state === "done" ? "" : message(`editor.check.${state}`);
  }

  /** Redraw from the current findings. */
  show() {
    const known = this.known();
    this.counts.replaceChildren(...this.summary(known));
    // Defaults are not problems: they have a row of their own at the end, closed.
    const problems = known.filter((found) => !found.ghost);
    const silent = known.filter((found) => found.ghost);
    const rows = gathered(problems).map((found) => this.row(found));
    if (silent.length) rows.push(this.defaults(silent));
    this.list.replaceChildren(...rows);
  }

  /** @returns {any[]} worst first, then by position */
  known() {
    return [...this.bench.view.state.field(findings)].sort((a, b) => ORDER[a.severity] - ORDER[b.severity] || a.from - b.from);
  }

  /** @param {any[]} known */
  summary(known) {
    const parts = Object.keys(ORDER).map((severity) => {
      const n = known.filter((found) => found.severity === severity && !found.ghost).length;
      return n ? make("span", { class: "count", "data-severity": severity }, [make("span", { class: "sign", "data-severity": severity, "aria-hidden": "true", text: SIGNS[severity] }), message(`editor.count.${severity}${n === 1 ? ".one" : ""}`, { n })]) : null;
    });
    const shown = /** @type {HTMLElement[]} */ (parts.filter(Boolean));
    if (!known.some((found) => found.severity === "error")) shown.unshift(make("span", { class: "count", "data-severity": "ok" }, [make("span", { "aria-hidden": "true", text: SIGNS.ok }), message(this.bench.live.size ? "editor.count.none_live" : "editor.count.none")]));
    return shown;
  }

  /** @param {any} found */
  row(found) {
    const fixes = found.quickfix.map((/** @type {any} */ fix) => {
      const button = make("button", { type: "button", class: "button button--small", "data-fix": true, text: fix.title });
      button.addEventListener("click", () => applyFix(this.bench.view, fix));
      return button;
    });
    return make("li", { "data-severity": found.severity }, [this.go(found), explained(found), ...(fixes.length ? [make("span", { class: "finding__fixes" }, fixes)] : [])]);
  }

  /** @param {any[]} silent */
  defaults(silent) {
    const all = silent.flatMap((found) => found.ghost.map((/** @type {string} */ words) => ({ found, words })));
    const rows = all.map(({ found, words }) => make("li", {}, [this.go(found), make("code", { text: words }), make("span", { class: "muted", text: found.path })]));
    const details = make("details", {}, [make("summary", { text: message("editor.defaults_list", { n: all.length }) }), make("ol", { class: "findings findings--defaults" }, rows)]);
    details.toggleAttribute("open", this.defaultsOpen === true);
    details.addEventListener("toggle", () => (this.defaultsOpen = /** @type {HTMLDetailsElement} */ (details).open));
    return make("li", { "data-severity": "info" }, [details]);
  }

  /** @param {any} found  the button that leads to its position */
  go(found) {
    const { doc } = this.bench.view.state;
    const line = doc.lineAt(Math.min(found.from, doc.length));
    const words = message("editor.place", { line: line.number, col: found.from - line.from + 1 });
    return make("button", { type: "button", class: "finding__go", "data-from": String(found.from), text: words });
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const go = event.target instanceof Element ? event.target.closest(".finding__go") : null;
    if (go instanceof HTMLElement) this.bench.goTo(Number(go.dataset.from));
  }

  /**
   * Go to the next finding after the cursor, wrapping around.
   * @param {1 | -1} step
   */
  next(step) {
    const places = this.known().filter((found) => !found.ghost).map((found) => found.from).sort((a, b) => a - b);
    if (!places.length) return true;
    const { head } = this.bench.view.state.selection.main;
    const after = step > 0 ? places.find((place) => place > head) ?? places[0] : places.findLast((place) => place < head) ?? places[places.length - 1];
    this.bench.goTo(after);
    return true;
  }
}
