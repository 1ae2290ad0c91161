// @ts-check
/**
 * The timeline's twin as a table: pod › lane › spans. It is in the tab order, hidden from sight until it is focused or asked
 * for, and holds the spans of opened lanes only.
 */

import { make, throttle } from "../dom.js";
import { clockText, lengthText } from "../format.js";
import { text } from "../i18n.js";
import { requestWords } from "../request-lanes.js";
import { marksOf } from "./hits.js";
import { valueAt } from "./labels.js";

const SPANS_MAX = 300;
const REFRESH_MS = 2000;

export class TreeGrid {
  /**
   * @param {HTMLElement} parent
   * @param {any} timeline
   */
  constructor(parent, timeline) {
    this.timeline = timeline;
    this.open = new Set();
    this.pinned = false;
    this.filling = false;
    this.body = make("tbody");
    const heads = ["grid.object", "grid.state", "grid.from", "grid.to", "grid.length", "grid.reason"].map((key) => make("th", { scope: "col", text: text(key) }));
    this.table = make("table", { class: "table table--compact", role: "treegrid", "aria-label": text("grid.caption") }, [make("thead", {}, [make("tr", {}, heads)]), this.body]);
    this.holder = make("div", { class: "treegrid visually-hidden" }, [this.table]);
    this.speech = make("p", { class: "visually-hidden", role: "status" });
    parent.append(this.holder, this.speech);
    this.holder.addEventListener("keydown", (event) => this.pressed(event));
    this.holder.addEventListener("click", (event) => this.clicked(event));
    this.holder.addEventListener("focusin", (event) => {
      if (!this.holder.contains(/** @type {Node | null} */ (event.relatedTarget))) this.fill();
    });
    const slowly = throttle(REFRESH_MS, () => this.refresh());
    timeline.run.playhead.onFrame(() => slowly());
  }

  /** Rebuilding under a moving focus would lose the reader's place, so it waits while somebody reads. */
  refresh() {
    this.timeline.describe();
    const reading = this.holder.contains(document.activeElement);
    if (!reading && (this.pinned || !this.body.firstChild)) this.fill();
  }

  /** Show or hide the table for everybody. */
  toggle() {
    this.pinned = !this.pinned;
    this.holder.classList.toggle("visually-hidden", !this.pinned);
    if (!this.pinned) return;
    this.fill();
    /** @type {HTMLElement | null} */ (this.body.querySelector("tr"))?.focus();
  }

  fill() {
    if (this.filling) return;
    this.filling = true;
    this.rebuild();
    this.filling = false;
  }

  rebuild() {
    const { rows, run } = this.timeline;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.row;
    const lines = rows.flatMap((/** @type {any} */ row) => this.linesOf(row, run.playhead.t_ms));
    this.body.replaceChildren(...lines);
    const first = this.find(focused) || lines[0];
    if (!first) return;
    first.tabIndex = 0;
    if (focused) first.focus();
  }

  /** @param {string | undefined} id @returns {HTMLElement | undefined} */
  find(id) {
    return /** @type {HTMLElement[]} */ ([...this.body.children]).find((line) => line.dataset.row === id);
  }

  /** @param {any} row @param {number} t_ms @returns {HTMLElement[]} */
  linesOf({ lane, depth }, t_ms) {
    const name = lane.kind === "status" ? lane.pod : lane.kind === "probe" ? `${text(`probe.${lane.name}`)} ${lane.subject.split("/")[3]}` : lane.name;
    const head = line([name, valueAt(lane, t_ms).words, "", "", "", ""], { "data-row": lane.id, "data-lane": lane.id, "aria-level": String(Math.min(depth, 2)), "aria-expanded": String(this.open.has(lane.id)) });
    return this.open.has(lane.id) ? [head, ...this.itemsOf(lane)] : [head];
  }

  /** @param {any} lane @returns {HTMLElement[]} */
  itemsOf(lane) {
    const end_ms = this.timeline.run.playhead.end_ms;
    const spans = lane.spans.slice(-SPANS_MAX).map((/** @type {any} */ span) => {
      const until = Number.isFinite(span.t1) ? clockText(span.t1) : text("grid.now");
      const sure = span.data.inferred ? ` (${text("grid.inferred")})` : "";
      const words = lane.kind === "requests" ? requestWords(span) : span.text || "–";
      const cells = ["", words + sure, clockText(span.t0), until, lengthText(Math.min(span.t1, end_ms) - span.t0), String(span.data.reason || span.data.message || "")];
      return line(cells, { "data-row": `${lane.id}@${span.seq}`, "data-select": lane.subject, "data-rec": String(span.seq), "aria-level": "3" });
    });
    const marks = marksOf(lane).slice(-SPANS_MAX).map((/** @type {any} */ mark) => {
      const cells = ["", mark.text, clockText(mark.t), "", "", String(mark.data.message || mark.data.output || "")];
      return line(cells, { "data-row": `${lane.id}@${mark.seq}`, "data-select": lane.subject, "data-rec": String(mark.seq), "aria-level": "3" });
    });
    return [...spans, ...marks];
  }

  /** @param {Event} event */
  clicked(event) {
    const row = event.target instanceof Element ? event.target.closest("tr[data-lane]") : null;
    if (row instanceof HTMLElement) this.expand(row);
  }

  /** @param {HTMLElement} row */
  expand(row) {
    const id = row.dataset.lane || "";
    if (!this.open.delete(id)) this.open.add(id);
    row.focus();
    this.fill();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const row = event.target instanceof Element ? event.target.closest("tr[data-row]") : null;
    if (!(row instanceof HTMLElement)) return;
    const isOpen = row.getAttribute("aria-expanded") === "true";
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => this.move(row, 1),
      ArrowUp: () => this.move(row, -1),
      ArrowRight: () => row.dataset.lane && !isOpen && this.expand(row),
      ArrowLeft: () => row.dataset.lane && isOpen && this.expand(row),
      Enter: () => (row.dataset.lane ? this.expand(row) : row.click()),
      Escape: () => this.timeline.element.focus(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  /** @param {HTMLElement} row @param {1 | -1} step */
  move(row, step) {
    const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (!(next instanceof HTMLElement)) return;
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** Say the focused lane aloud. */
  announceLane(/** @type {any} */ lane) {
    const { words } = valueAt(lane, this.timeline.run.playhead.t_ms);
    this.speech.textContent = `${lane.kind === "status" ? lane.pod : lane.name}: ${words}`;
  }
}

/** @param {string[]} cells @param {Record<string, string>} attributes */
function line(cells, attributes) {
  return make("tr", { tabindex: "-1", role: "row", ...attributes }, cells.map((words) => make("td", { role: "gridcell", text: words })));
}
