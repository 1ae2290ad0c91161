// @ts-check
/** The card that explains what is under the pointer. The same facts are in the table twin and in the panels. */

import { find, make, setAttributes, setText } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { loadRules, ruleDoc, ruleSentence, text } from "../base/i18n.js";
import { GLYPHS } from "../base/tones-table.js";
import { spanAt } from "../lanes/lane-search.js";
import { requestText } from "../lanes/request-lanes.js";
import { sentenceOf } from "../lanes/sentences.js";
import { parseSubject, shortPod } from "../wire/record.js";
import { fieldOf } from "./fields.js";
import { keptPoint, openFocused, wireCard } from "./pinned-card.js";
import { TypedLines } from "./typed-lines.js";

const WAIT_MS = 150;
const LISTED_MAX = 12;
/** At least this much of a card that is kept open is always visible. */
const LEAST_PX = 90;

export class HoverCard {
  /**
   * @param {HTMLElement} parent
   * @param {{ store: any, playhead: any, ghost?: any, drawer?: any, panelBase?: string }} run
   */
  constructor(parent, run) {
    this.run = run;
    this.element = make("div", { class: "hover-card", role: "tooltip", hidden: true });
    parent.append(this.element);
    this.parent = parent;
    this.typed = new TypedLines((run.panelBase ?? "").replace(/at\/$/, "typed/"));
    this.timer = 0;
    this.pinned = false;
    this.store = run.store;
    /** @type {any} */
    this.target = null;
    /** @type {any} the span whose length it shows */
    this.span = null;
    /** @type {Set<number>} the records that it shows */
    this.about = new Set();
    /** @type {HTMLElement | null} where the focus was when a key opened it */
    this.returns = null;
    wireCard(this);
  }

  /**
   * @param {any} hit
   * @param {{ x: number, y: number }} point  in the timeline's coordinates
   * @param {number} end_ms
   */
  aim(hit, point, end_ms) {
    if (this.pinned) return;
    const target = hit?.marks || hit?.span || null;
    if (!target) {
      this.hide();
      return;
    }
    if (this.isSame(target)) {
      if (!this.element.hidden) this.place(point);
      return;
    }
    this.target = target;
    clearTimeout(this.timer);
    // The first card waits until the pointer rests, the next one follows it at once.
    const wait = new Promise((resolve) => (this.timer = window.setTimeout(resolve, this.element.hidden ? WAIT_MS : 30)));
    Promise.all([wait, loadRules()]).then(() => this.target === target && this.show(hit, point, end_ms));
  }

  /** @param {any} target groups of marks are new objects in every frame */
  isSame(target) {
    return target === this.target || (Array.isArray(target) && Array.isArray(this.target) && target[0] === this.target[0]);
  }

  /**
   * Keep the card open: that of a cluster with its marks to choose from, any other with links to go on from it.
   * @param {any} hit
   * @param {number} x  of the stage
   * @returns {Promise<void>} resolves when it is shown
   */
  pin(hit, x) {
    const point = keptPoint(this.parent, hit.row, x);
    clearTimeout(this.timer); // a card that is about to open would replace this one
    const target = (this.target = hit.marks || hit.span);
    return loadRules().then(() => {
      if (this.target !== target) return;
      this.show(hit, point, this.run.playhead.end_ms);
      const title = find(".hover-card__title", this.element)?.textContent ?? "";
      if (hit.isOld) this.linkOld(hit);
      else if (hit.marks?.length > 1) this.listMarks(hit);
      else this.linkOn(this.store.get((hit.marks?.[0] ?? hit.span).seq));
      setAttributes(this.element, { role: "dialog", "aria-label": title, "data-pinned": "true" });
      this.pinned = true;
      this.about = new Set((hit.marks ?? [hit.span]).map((/** @type {any} */ { seq }) => seq));
      this.place(point);
    });
  }

  /** Open the card for what the focused lane shows at the playhead. @param {any} timeline */
  openFocused(timeline) {
    openFocused(this, timeline);
  }

  /** Links from a record: to the chain of its causes, and to the documentation. @param {any} record */
  linkOn(record) {
    find(".hover-card__hint", this.element)?.remove();
    const doc = record ? ruleDoc(record.rule) : "";
    const why = this.run.drawer && record ? [make("button", { type: "button", class: "linkbtn", "data-select": record.subject, "data-rec": String(record.seq), "data-open-tab": "why", text: text("hover.why") })] : [];
    const link = doc ? [make("a", { href: doc, rel: "noreferrer", text: text("hover.doc") })] : [];
    find(".hover-card__title", this.element)?.append(make("span", { class: "hover-card__ways cluster" }, [...why, ...link]));
  }

  /** Records of the old future are shown on its own page. @param {any} hit */
  linkOld({ marks, span }) {
    this.element.append(make("a", { href: this.run.ghost.address(marks ? marks[0].t : Math.max(span.t0, this.run.ghost.from_ms)), text: text("futures.open") }));
  }

  /** @param {any} hit */
  listMarks(hit) {
    const { subject } = hit.lane;
    const buttons = hit.marks.slice(-LISTED_MAX).map((/** @type {any} */ mark) => {
      const words = `${clockText(mark.t)} ${mark.text}`;
      if (hit.lane.choose) return chooser(hit.lane, mark, words);
      return make("button", { type: "button", class: "linkbtn", "data-seek-seq": String(mark.seq), "data-select": subject, "data-rec": String(mark.seq), text: words });
    });
    this.element.append(make("div", { class: "hover-card__list" }, buttons));
  }

  /** @returns {boolean} whether it was kept open */
  unpin() {
    const { pinned } = this;
    this.pinned = false;
    if (this.element.contains(document.activeElement)) (this.returns ?? this.parent).focus({ preventScroll: true });
    this.returns = null;
    for (const name of ["data-pinned", "aria-label"]) this.element.removeAttribute(name);
    this.element.setAttribute("role", "tooltip");
    this.hide();
    return pinned;
  }

  hide() {
    if (this.pinned) return;
    clearTimeout(this.timer);
    this.target = null;
    this.element.hidden = true;
  }

  /** @param {any} hit @param {{ x: number, y: number, over?: number }} point @param {number} end_ms */
  show(hit, point, end_ms) {
    this.store = hit.isOld ? this.run.ghost.store : this.run.store;
    const children = hit.marks ? this.ofMarks(hit) : this.ofSpan(hit, end_ms);
    this.element.replaceChildren(...(hit.isOld ? [make("p", { class: "hover-card__future", text: `▽ ${this.run.ghost.words}` })] : []), ...children);
    this.element.dataset.future = hit.isOld ? "old" : "";
    this.element.hidden = false;
    this.place(point);
    this.tellTyped(hit, point);
  }

  /** An act is titled with the line it was typed as. @param {any} hit @param {{ x: number, y: number, over?: number }} point */
  async tellTyped(hit, point) {
    const record = hit.isOld || hit.marks?.length !== 1 ? null : this.store.get(hit.marks[0].seq);
    if (record?.kind !== "command") return;
    const { target } = this;
    const line = await this.typed.of(record.seq, this.store.headSeq);
    if (!line || this.target !== target || find(".hover-card__typed", this.element)) return;
    find(".hover-card__title", this.element)?.after(this.typed.element(line));
    this.place(point);
  }

  /** @param {any} hit @param {number} end_ms */
  ofSpan({ lane, span }, end_ms) {
    const record = this.store.get(span.seq);
    this.span = span;
    const title = make("div", { class: "hover-card__title" }, [chipOf(lane, span), make("span", { text: lane.name.split("/").pop() })]);
    const rows = [[text("hover.since"), clockText(span.t0)], [text("hover.for"), this.lasted(span, end_ms)]];
    rows.push([text("hover.until"), Number.isFinite(span.t1) ? clockText(span.t1) : text("hover.still")]);
    rows.push(...known(record));
    if (span.data.stale) rows.push([text("hover.cut_off"), text("lane.stale", { word: titleOf(lane, span) })]);
    if (span.data.message) rows.push(["message", String(span.data.message).slice(0, 180)]);
    const isHook = lane.hooks.includes(span);
    if (span.data.exit_code !== undefined && isHook) rows.push([text("hover.exit_code"), String(span.data.exit_code)]);
    const node = lane.kind === "container" && !isHook ? spanAt(lane.node, Math.max(span.t0, Math.min(span.t1, end_ms) - 1)) : null;
    if (node) rows.push([text("hover.node"), node.text]);
    return [title, facts([...rows, ...this.field(lane, span, record)]), ...this.because(record)];
  }

  /** @param {any} span @param {number} end_ms */
  lasted(span, end_ms) {
    return lengthText(Math.min(span.t1, this.store === this.run.store ? end_ms : this.run.ghost.end_ms) - span.t0);
  }

  /** Update the length while a card stays open and time goes on. It is in the second row of ofSpan's facts. */
  refresh() {
    const cell = this.span && find(".hover-card__facts div:nth-child(2) dd", this.element);
    if (cell) setText(cell, this.lasted(this.span, this.run.playhead.end_ms));
  }

  /** @param {any} lane @param {any} item @param {any} record @returns {string[][]} */
  field(lane, item, record) {
    const container = lane.kind === "probe" ? this.store.lanes.byId.get(`container/${lane.pod}/${parseSubject(lane.subject).container}`) : lane;
    const field = lane.field ?? fieldOf(lane, item, record, container?.group);
    return field ? [[text(lane.kind === "status" ? "hover.derived" : "hover.field"), field]] : [];
  }

  /** @param {any} hit */
  ofMarks({ lane, marks }) {
    this.span = null;
    if (lane.card) return lane.card(marks);
    if (marks.length > 1) return this.ofCluster(lane, marks);
    const [mark] = marks;
    const record = this.store.get(mark.seq);
    const words = mark.type === "known-end" ? this.knownEnd(record, mark) : sentenceOf(record);
    const title = make("div", { class: "hover-card__title" }, [make("span", { text: words })]);
    const rows = mark.until_ms ? [[text("hover.until"), clockText(mark.until_ms)]] : [[text("hover.at"), clockText(mark.t, 3)]];
    if (mark.data.took_ms !== undefined) rows.push([text("hover.for"), lengthText(Number(mark.data.took_ms))]);
    rows.push(...known(record));
    if (mark.data.component) rows.push(["source", String(mark.data.component)]);
    if (Number(mark.data.count) > 1) rows.push(["count", String(mark.data.count)]);
    if (mark.type !== "known-end") rows.push(...this.field(lane, mark, record));
    return [title, facts(rows), ...this.because(record)];
  }

  /** What is known to happen next, and how soon. @param {any} record @param {any} mark */
  knownEnd(record, mark) {
    const { container, pod, name } = parseSubject(record.subject);
    return text(`next.${mark.text}`, { container, name, pod: shortPod(pod), time: lengthText(mark.until_ms - this.run.playhead.t_ms) });
  }

  /** @param {any} lane @param {any[]} marks */
  ofCluster(lane, marks) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const mark of marks) counts.set(mark.text, (counts.get(mark.text) ?? 0) + 1);
    const summary = [...counts].map(([word, count]) => `${count} × ${word}`).join(", ");
    const key = lane.kind === "probe" ? "result.cluster" : "events.cluster";
    const range = `${clockText(marks[0].t)} … ${clockText(marks[marks.length - 1].t)}`;
    return [make("div", { class: "hover-card__title", text: text(key, { n: marks.length, summary }) }), facts([[text("hover.at"), range]])];
  }

  /** @param {any} record @returns {HTMLElement[]} */
  because(record) {
    const cause = record?.cause ? this.store.get(record.cause) : null;
    const words = [record ? ruleSentence(record.rule, record.data) : "", cause && cause.kind !== "decision" ? sentenceOf(cause) : ""].find(Boolean);
    const lines = words ? [make("p", { class: "hover-card__because" }, [make("b", { text: `${text("hover.because")} ` }), words])] : [];
    return [...lines, make("p", { class: "hover-card__hint", text: text(this.store === this.run.store ? "hover.pin" : "futures.pin") })];
  }

  /** @param {{ x: number, y: number, over?: number }} point  over: height of what must stay visible above it */
  place({ x, y, over }) {
    const { style } = this.element;
    style.removeProperty("max-height");
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const { clientWidth } = this.parent;
    const body = find(".timeline__body", this.parent);
    const low = over === undefined || !body ? this.parent.clientHeight : body.offsetTop + body.offsetHeight;
    const left = x + 16 + width > clientWidth ? (over === undefined ? x - width - 14 : clientWidth - width - 6) : x + 16;
    const below = over === undefined ? y + 18 : y + 4;
    const above = over === undefined ? y - 12 : y - over - 4;
    const isBelow = below + height <= low || (over !== undefined && low - below >= above);
    // If there is not enough room on either side, it scrolls.
    if (over !== undefined) style.setProperty("max-height", `${Math.max(LEAST_PX, isBelow ? low - below - 4 : above - 4)}px`);
    const top = isBelow ? below : Math.max(4, above - this.element.offsetHeight);
    style.setProperty("transform", `translate(${Math.max(4, Math.round(left))}px, ${Math.round(top)}px)`);
  }
}

/** @param {any} lane @param {any} mark @param {string} words */
function chooser(lane, mark, words) {
  const button = make("button", { type: "button", class: "linkbtn", text: words });
  button.addEventListener("click", () => lane.choose(mark));
  return button;
}

/** @param {any} lane @param {any} span */
function chipOf(lane, span) {
  if (lane.kind === "probe") return make("span", { class: "probe-glyph", "data-result": span.text, text: ` ${text(`result.${span.text}`)}` });
  return make("span", { class: "tone", "data-tone": span.tone, text: titleOf(lane, span) });
}

/** @param {any} lane @param {any} span */
function titleOf(lane, span) {
  if (lane.hooks.includes(span)) return span.text;
  if (lane.kind === "requests") return requestText(span);
  if (lane.kind === "container" && span.text === "Running") return `Running #${span.data.instance ?? 0}`;
  if (span.data.exit_code !== undefined && lane.kind === "container") return `${span.text} ${span.data.exit_code}`;
  return span.text || GLYPHS[span.tone] || "";
}

/**
 * For records of an imported past: whether the text gives their time, or it was inferred.
 * @param {any} record
 * @returns {string[][]}
 */
function known(record) {
  if (record?.trigger !== "imported") return [];
  return [[text("hover.known"), text(record.data.inferred ? "hover.inferred" : "hover.recorded")]];
}

/** @param {string[][]} rows */
export function facts(rows) {
  return make("dl", { class: "hover-card__facts" }, rows.map(([name, value]) => make("div", {}, [make("dt", { text: name }), make("dd", { text: value })])));
}
