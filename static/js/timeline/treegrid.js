// @ts-check
/**
 * The timeline's twin as a table: pod › lane › spans. It is created when first asked for (LaterGrid), is invisible unless it is focused or
 * shown, and holds the spans of opened lanes only. However many lanes there are, only the lines around the reader's exist as elements; each
 * has its number and the total.
 */

import { make, throttle } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { requestText } from "../lanes/request-lanes.js";
import { marksOf } from "./hits.js";
import { nameOf, valueAt } from "./labels.js";
import { saidOf, wholeName } from "./pins.js";

const SPANS_MAX = 300;
const REFRESH_MS = 2000;
/** Height of a line, as in timeline.css. */
const LINE_PX = 29;
/** How many lines exist before and after the one that is read. */
const AROUND = 40;

/** @typedef {{ id: string, level: number, lane: any, item: any, old?: any, isOld?: boolean, isPinned?: boolean }} Line  old: the lane's old continuation, on a branch; isOld: of that future; item: a span or mark of the lane; null for the lane itself */

export class TreeGrid {
  /**
   * @param {HTMLElement} holder
   * @param {any} timeline
   */
  constructor(holder, timeline) {
    this.timeline = timeline;
    this.open = new Set();
    this.pinned = false;
    this.filling = false;
    /** @type {Line[]} all lines */
    this.lines = [];
    this.from = 0;
    this.body = make("tbody");
    const heads = ["grid.object", "grid.state", "grid.from", "grid.to", "grid.length", "grid.reason"].map((key) => make("th", { scope: "col", text: text(key) }));
    this.table = make("table", { class: "table table--compact", role: "treegrid", "aria-label": text("grid.caption") }, [make("thead", {}, [make("tr", {}, heads)]), this.body]);
    this.above = make("div", { "aria-hidden": "true" });
    this.below = make("div", { "aria-hidden": "true" });
    this.holder = holder;
    holder.replaceChildren(this.above, this.table, this.below);
    this.wire();
    this.fill();
  }

  /** The reader enters the table: focus the first line. */
  enter() {
    /** @type {HTMLElement | null} */ (this.body.querySelector("tr"))?.focus();
  }

  wire() {
    this.holder.addEventListener("keydown", (event) => this.pressed(event));
    this.holder.addEventListener("click", (event) => this.clicked(event));
    this.holder.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.holder.addEventListener("focusin", (event) => {
      if (!this.holder.contains(/** @type {Node | null} */ (event.relatedTarget))) this.fill();
    });
    const slowly = throttle(REFRESH_MS, () => this.refresh());
    this.timeline.run.playhead.onFrame(() => slowly());
  }

  /** Rebuilding under a moving focus would lose the reader's place, so it waits while the table is being read. */
  refresh() {
    const reading = this.holder.contains(document.activeElement);
    if (!reading && (this.pinned || !this.body.firstChild)) this.fill();
  }

  /** Show or hide the table on the screen. */
  toggle() {
    this.pinned = !this.pinned;
    this.holder.classList.toggle("visually-hidden", !this.pinned);
    if (!this.pinned) return;
    this.fill();
    this.enter();
  }

  /** Update the table from the lanes. */
  fill() {
    if (this.filling) return;
    this.filling = true;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.row;
    this.lines = this.timeline.rows.flatMap((/** @type {any} */ row) => this.linesOf(row));
    this.table.setAttribute("aria-rowcount", String(this.lines.length));
    const at = focused ? this.lines.findIndex(({ id }) => id === focused) : -1;
    this.show(at >= 0 ? at : this.from + AROUND, at >= 0);
    this.filling = false;
  }

  /**
   * Build the lines around one.
   * @param {number} at
   * @param {boolean} focus
   */
  show(at, focus) {
    this.from = Math.max(0, Math.min(at - AROUND, this.lines.length - 2 * AROUND));
    const shown = this.lines.slice(this.from, this.from + 2 * AROUND);
    this.body.replaceChildren(...shown.map((line, index) => this.build(line, this.from + index)));
    this.above.style.setProperty("height", `${this.from * LINE_PX}px`);
    this.below.style.setProperty("height", `${(this.lines.length - this.from - shown.length) * LINE_PX}px`);
    const stop = /** @type {HTMLElement | undefined} */ (this.body.children[focus ? at - this.from : 0]);
    if (!stop) return;
    stop.tabIndex = 0;
    if (focus) stop.focus();
  }

  /** The table was scrolled: build the lines that come into view. */
  scrolled() {
    if (!this.pinned) return;
    const [seen, held] = [this.holder.getBoundingClientRect(), this.body.getBoundingClientRect()];
    const isEmptyAbove = held.top > seen.top + seen.height / 2 && this.from > 0;
    const isEmptyBelow = held.bottom < seen.bottom && this.from + 2 * AROUND < this.lines.length;
    if (!isEmptyAbove && !isEmptyBelow) return;
    const id = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.row;
    this.show(Math.floor((this.holder.scrollTop + seen.height / 2) / LINE_PX), false);
    // The line that had the focus may be gone by now: the keys go on from a visible one.
    if (id && !this.body.contains(document.activeElement)) /** @type {HTMLElement | null} */ (this.body.children[AROUND])?.focus({ preventScroll: true });
  }

  /** @param {any} row @returns {Line[]} */
  linesOf({ lane, depth, old, isOld, isPinned, isTwin }) {
    const own = isTwin ? `twin:${lane.id}` : lane.id;
    const head = { id: own, level: Math.min(depth, 2), lane, item: null, old, isOld, isPinned };
    if (!this.open.has(own)) return [head];
    const items = [...lane.spans.slice(-SPANS_MAX), ...marksOf(lane).slice(-SPANS_MAX)];
    const { ghost } = this.timeline.run;
    const was = old ? [...old.spans, ...marksOf(old)].filter((item) => (item.t1 ?? item.t) > ghost.from_ms).slice(-SPANS_MAX) : [];
    return [head, ...items.map((item) => ({ id: `${own}@${item.seq || item.t}`, level: 3, lane, item, isOld })), ...was.map((item) => ({ id: `${own}@old${item.seq}`, level: 3, lane: old, item, isOld: true }))];
  }

  /** @param {Line} line @param {number} index */
  build({ id, level, lane, item, old, isOld, isPinned }, index) {
    const cells = item ? (item.t0 === undefined ? cellsOfMark(item) : this.cellsOfSpan(lane, item)) : this.cellsOfLane(lane, isPinned);
    const { ghost, playhead } = this.timeline.run;
    if (isOld) cells[0] += `${cells[0] ? ", " : ""}${ghost.words}`;
    if (old && playhead.t_ms >= ghost.from_ms) cells[1] += ` (${ghost.words}: ${valueAt(old, playhead.t_ms).words || "–"})`;
    const own = item && isOld ? {} : item ? { "data-select": lane.subject, "data-rec": String(item.seq), ...(lane.kind === "logs" ? { "data-seek": String(item.t), "data-open-tab": "logs" } : {}) } : { "data-lane": id, "aria-expanded": String(this.open.has(id)) };
    const attributes = { tabindex: "-1", role: "row", "data-row": id, "aria-level": String(level), "aria-rowindex": String(index + 1), ...own };
    return make("tr", attributes, cells.map((words) => make("td", { role: "gridcell", text: words, title: words.length > 40 ? words : undefined })));
  }

  /** @param {any} lane @param {boolean} [isPinned] */
  cellsOfLane(lane, isPinned) {
    const name = isPinned ? saidOf(wholeName(lane, nameOf(lane)), { isPinned }) : lane.kind === "status" ? lane.pod : lane.kind === "probe" ? `${text(`probe.${lane.name}`)} ${lane.subject.split("/")[3]}` : lane.name;
    return [name, valueAt(lane, this.timeline.run.playhead.t_ms).words, "", "", "", ""];
  }

  /** @param {any} lane @param {any} span */
  cellsOfSpan(lane, span) {
    const { end_ms } = this.timeline.run.playhead;
    const until = Number.isFinite(span.t1) ? clockText(span.t1) : text("grid.now");
    const sure = span.data.inferred ? ` (${text("grid.inferred")})` : "";
    const words = lane.kind === "requests" ? requestText(span) : span.text || "–";
    const shown = span.data.stale ? text("lane.stale", { word: words }) : words;
    return ["", shown + sure, clockText(span.t0), until, lengthText(Math.min(span.t1, end_ms) - span.t0), String(span.data.reason || span.data.message || "")];
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
    const at = Number(row.getAttribute("aria-rowindex")) - 1;
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => this.move(at + 1),
      ArrowUp: () => this.move(at - 1),
      PageDown: () => this.move(Math.min(at + 10, this.lines.length - 1)),
      PageUp: () => this.move(Math.max(at - 10, 0)),
      Home: () => this.move(0),
      End: () => this.move(this.lines.length - 1),
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

  /** @param {number} to  number of the line, 0-based */
  move(to) {
    if (!this.lines[to]) return;
    const line = /** @type {HTMLElement | undefined} */ (this.body.children[to - this.from]);
    const isNear = line && (to - this.from > 2 || this.from === 0) && (this.from + this.body.children.length - to > 2 || this.from + this.body.children.length >= this.lines.length);
    if (!isNear) {
      this.show(to, true);
      return;
    }
    for (const other of this.body.children) /** @type {HTMLElement} */ (other).tabIndex = -1;
    line.tabIndex = 0;
    line.focus();
  }
}

/** @param {any} mark */
function cellsOfMark(mark) {
  return ["", mark.text, clockText(mark.t), "", "", String(mark.data.message || mark.data.output || "")];
}
