// @ts-check
/** The search of a run: a field above the names of lanes, a list of the instants found, and the lanes that match. */

import { find, make, throttle } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { answerTimeout } from "../base/retry.js";
import { sentenceOf } from "../lanes/sentences.js";
import { parseSubject, shortPod } from "../wire/record.js";
import { findInstants, placeFrom } from "./instants.js";
import { lanesKept, podsInScope } from "./matching.js";
import { isBlank, isScopeOnly, parseQuery } from "./query.js";

/** @typedef {{ seq: number, at_ms: number, subject: string, pod: string, length_ms: number | null }} Found */

const LISTED_MAX = 100;
const TYPING_MS = 90;
const REFRESH_MS = 1000;
/** Examples that the list shows while nothing is typed yet. */
const EXAMPLES = ["first 137", "Ready False > 10 s", "BackOff", "is:trouble", "delete pod", "app=web"];

export class SearchBox {
  /** @param {any} timeline @param {any} field  the stand-in it replaces */
  constructor(timeline, field) {
    this.timeline = timeline;
    this.query = parseQuery("");
    /** @type {Found[]} */
    this.found = [];
    this.at = -1;
    this.seen = 0;
    /** @type {{ selector: string, pods: Set<string> | null }} the pods that match a selector, from the server */
    this.labelled = { selector: "", pods: null };
    /** @type {string} why the server could not say which pods have the labels */
    this.problem = "";
    /** @type {string | undefined} the text last searched for; undefined if the server has to be asked again */
    this.asked = "";
    this.input = /** @type {HTMLInputElement} */ (field.input);
    this.count = make("span", { class: "find__count", hidden: true });
    this.list = /** @type {HTMLElement} */ (field.list);
    this.note = make("p", { class: "find__note", role: "status" });
    this.panel = /** @type {HTMLElement} */ (field.panel);
    this.element = /** @type {HTMLElement} */ (field.element);
    this.input.after(this.count);
    this.panel.prepend(this.note);
    this.wire();
  }

  wire() {
    let typing = 0;
    this.input.addEventListener("input", () => {
      clearTimeout(typing);
      typing = window.setTimeout(() => this.typed(), TYPING_MS);
    });
    this.input.addEventListener("focus", () => this.open());
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(/** @type {Node | null} */ (event.relatedTarget))) this.close();
    });
    // The field keeps the focus while the list is used, so that typing can go on.
    this.panel.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => this.clicked(event));
    const slowly = throttle(REFRESH_MS, () => this.refresh());
    this.timeline.run.playhead.onFrame(() => !isBlank(this.query) && slowly());
  }

  /** Whether n and N go through the results. */
  get isActive() {
    return this.found.length > 0;
  }

  /** The field had the focus before the search was loaded, and may already contain something. */
  opened() {
    if (document.activeElement === this.input) this.open();
    if (this.input.value) this.ask();
  }

  open() {
    this.panel.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.show();
  }

  close() {
    this.panel.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** Clear the search. @returns {boolean} whether there was one */
  clear() {
    if (!this.input.value) return false;
    this.input.value = "";
    this.ask();
    return true;
  }

  /** Search for a text that comes from elsewhere. @param {string} words */
  set(words) {
    this.input.value = words;
    return this.ask();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => this.mark(this.at + 1),
      ArrowUp: () => this.mark(this.at - 1),
      Enter: () => (this.isStale() ? this.ask().then(() => this.jump(event.shiftKey ? -1 : 1)) : this.jump(event.shiftKey ? -1 : 1)),
      Escape: () => {
        this.close();
        this.timeline.element.focus({ preventScroll: true });
      },
    };
    const move = event.isComposing ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  isStale() {
    return this.input.value !== this.asked;
  }

  /** If the reader has left the field in the meantime, they have left the list, too: nothing would close it again. */
  typed() {
    if (document.activeElement === this.input) this.open();
    return this.ask();
  }

  /** Parse the field, and ask the server which pods have the labels, if it asks for labels. */
  async ask() {
    this.asked = this.input.value;
    this.query = parseQuery(this.input.value);
    this.at = -1;
    this.problem = "";
    const { selector } = this.query;
    if (!selector) this.labelled = { selector, pods: null };
    else if (this.labelled.selector !== selector) await this.label(selector);
    // More was typed while the server was asked: the search for that runs by itself.
    if (this.query.selector === selector) this.search();
  }

  /** Keep the server's answer about a selector, if that is still wanted by then. A failure is not kept: the same text asks again. @param {string} selector */
  async label(selector) {
    const { pods, problem } = await this.labels(selector);
    if (this.query.selector !== selector || this.labelled.selector === selector) return;
    this.labelled = pods ? { selector, pods } : { selector: "", pods: new Set() };
    this.problem = problem;
    if (problem) this.asked = undefined;
  }

  /** @param {string} selector @returns {Promise<{ pods: Set<string> | null, problem: string }>} */
  async labels(selector) {
    const { panelBase, playhead } = this.timeline.run;
    try {
      const response = await fetch(`${panelBase}${playhead.seq}/pods/?${new URLSearchParams({ selector })}`, { credentials: "same-origin", headers: { Accept: "application/json" }, signal: answerTimeout() });
      const answer = await response.json();
      return response.ok ? { pods: new Set(answer.pods), problem: "" } : { pods: null, problem: answer.error || answer.text || text("panel.failed") };
    } catch {
      return { pods: null, problem: text("panel.failed") };
    }
  }

  /** More may be found as time goes on, but not before the server has said which pods have the labels. */
  refresh() {
    const { store } = this.timeline.run;
    if (this.labelled.selector !== this.query.selector) return;
    if (store.headSeq !== this.seen || this.query.is.length) this.search();
  }

  search() {
    const { store, playhead } = this.timeline.run;
    const { query } = this;
    // New records may come before the marked one; it stays marked.
    const chosen = this.found[this.at]?.seq;
    this.seen = store.headSeq;
    const blank = isBlank(query);
    const scope = podsInScope(store.lanes, query, playhead.t_ms, this.labelled.pods);
    const scoped = query.is.length || this.labelled.pods || query.container ? scope : null;
    this.found = blank || isScopeOnly(query) || query.problem ? [] : findInstants(store, query, scoped);
    this.at = chosen === undefined ? -1 : this.found.findIndex(({ seq }) => seq === chosen);
    const kept = blank ? null : lanesKept(store.lanes, query, scope, this.found, playhead.t_ms);
    this.kept = kept;
    // If nothing matches, nothing is hidden either.
    this.timeline.view.filter(kept && kept.pods.size + kept.others.size > 0 ? kept : null);
    this.timeline.invalidate();
    this.timeline.run.looked();
    this.show();
  }

  show() {
    const blank = isBlank(this.query);
    this.count.hidden = blank;
    this.count.textContent = blank ? "" : this.found.length ? `${this.at >= 0 ? this.at + 1 : "–"}/${this.found.length}` : String(this.kept?.pods.size ?? 0);
    if (this.panel.hidden) return;
    this.note.textContent = this.summary(blank);
    const options = blank ? EXAMPLES.map((words, index) => option(index, { "data-example": words }, [make("code", { text: words }), make("span", { text: text(`find.example.${index}`) })])) : this.found.slice(this.from, this.from + LISTED_MAX).map((item, index) => this.line(item, this.from + index));
    this.list.replaceChildren(...options);
    this.point();
  }

  /** The list begins so that it includes the marked entry. */
  get from() {
    return Math.max(0, Math.min(this.at - LISTED_MAX / 2, this.found.length - LISTED_MAX));
  }

  /** @param {boolean} blank */
  summary(blank) {
    if (blank) return text("find.examples");
    if (this.problem) return this.problem;
    if (this.query.problem) return text("find.problem", { what: this.query.problem });
    const pods = this.kept?.pods.size ?? 0;
    const all = this.timeline.run.store.lanes.pods.size;
    if (!this.found.length && !pods && !this.kept?.others.size) return text("find.nothing");
    return text("find.told", { n: this.found.length, pods, all });
  }

  /** @param {Found} item @param {number} index */
  line(item, index) {
    const { time, where, sentence } = instantParts(this.timeline.run.store, item);
    const long = item.length_ms === null ? [] : [make("span", { class: "find__long", text: lengthText(item.length_ms) })];
    return option(index, { "data-at": String(index) }, [make("time", { text: time }), make("b", {}, whereParts(where)), make("span", { class: "find__story", text: sentence }), ...long]);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const line = event.target instanceof Element ? event.target.closest("[role=option]") : null;
    if (!(line instanceof HTMLElement)) return;
    if (line.dataset.example) this.set(line.dataset.example);
    else this.go(Number(line.dataset.at));
  }

  /** @param {number} index  wraps around */
  mark(index) {
    if (this.panel.hidden) this.open();
    const length = isBlank(this.query) ? EXAMPLES.length : this.found.length;
    if (!length) return;
    this.at = (index + length) % length;
    this.show();
  }

  point() {
    const line = find(`#find-${this.at}`, this.list);
    if (!line) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    line.setAttribute("aria-selected", "true");
    line.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", line.id);
  }

  /**
   * Go to the next instant, or the marked one.
   * @param {1 | -1} step
   */
  jump(step) {
    if (isBlank(this.query)) {
      if (this.at >= 0) this.set(EXAMPLES[this.at]);
      return;
    }
    if (!this.found.length) return;
    const { t_ms, live } = this.timeline.run.playhead;
    const marked = this.found[this.at];
    const isThere = marked && Math.abs(marked.at_ms - t_ms) < 1 && !live;
    if (marked && !isThere) this.go(this.at);
    else if (marked) this.go((this.at + step + this.found.length) % this.found.length);
    else this.go(placeFrom(this.found, live ? -step * Infinity : t_ms, step));
  }

  /** @param {number} index */
  go(index) {
    const item = this.found[index];
    if (!item) return;
    this.at = index;
    this.timeline.run.seekTo(item.seq);
    this.timeline.showLane();
    this.show();
    // A result is being looked at now; an arrow key or more typing brings the list back.
    this.close();
  }
}

/** The parts of an instant's line. @param {any} store @param {Found} found */
export function instantParts(store, { seq, at_ms, subject }) {
  const { pod, container, name } = parseSubject(subject);
  return { time: clockText(at_ms), where: [pod ? shortPod(pod) : name, container].filter(Boolean).join(" "), sentence: sentenceOf(store.get(seq)) };
}

/** A truncated name keeps its end, as in the lanes: it tells the pods of one owner apart. @param {string} where */
function whereParts(where) {
  const [tail = ""] = /[-.][^-. ]{1,6}( .*)?$/.exec(where) ?? [];
  return [where.slice(0, where.length - tail.length), tail].filter(Boolean).map((part) => make("span", { text: part }));
}

/** @param {number} index @param {Record<string, string>} attributes @param {HTMLElement[]} children */
function option(index, attributes, children) {
  return make("div", { id: `find-${index}`, class: "find__option", role: "option", "aria-selected": "false", ...attributes }, children);
}
