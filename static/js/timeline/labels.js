// @ts-check
/** Labels to the left of the lanes: the name of each lane and its value at the playhead. Only rows on screen have elements. */

import { setHidden, make, setText } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { rove, wireRoving } from "../base/roving.js";
import { toast } from "../base/toast.js";
import { PROBE_RESULTS } from "../base/tones-table.js";
import { firstMarkFrom, spanAt } from "../lanes/lane-search.js";
import { shortPod } from "../wire/record.js";
import { ownerOf, wholeName } from "./pins.js";
import { visibleRows } from "./rows.js";

const SPARE_PX = 200;

export class Labels {
  /**
   * @param {HTMLElement} content
   * @param {any} timeline
   */
  constructor(content, timeline) {
    this.timeline = timeline;
    this.holder = make("div", { class: "timeline__labels", "data-roving": "column" });
    this.pins = make("div", { class: "timeline__pins", hidden: true });
    this.holder.append(this.pins);
    content.append(this.holder);
    /** @type {Map<string, { element: HTMLElement, value: HTMLElement, row: any }>} */
    this.shown = new Map();
    this.focus = "";
    wireRoving(this.holder);
    this.holder.addEventListener("click", (event) => this.clicked(event));
  }

  width() {
    return this.holder.offsetWidth;
  }

  reset() {
    this.shown.clear();
    this.pins.replaceChildren();
    this.holder.replaceChildren(this.pins, ...this.gone());
  }

  /** The line above pods that are gone. @returns {HTMLElement[]} */
  gone() {
    const { fold, view } = this.timeline;
    if (!fold) return [];
    const line = make("button", { type: "button", class: "lane-gone", "data-fold": "gone", "data-pod": "", "aria-expanded": String(view.isGoneOpen), text: text("lane.gone", { n: fold.count }) });
    for (const [name, value] of [["top", fold.y], ["height", fold.h]]) line.style.setProperty(name, `${value}px`);
    return [line];
  }

  /** @param {string} lane */
  mark(lane) {
    this.focus = lane;
    for (const { element, row } of this.shown.values()) element.dataset.focus = String(row.lane.id === lane);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-fold], [data-unpin], [data-lane]") : null;
    if (!(target instanceof HTMLElement)) return;
    const { fold, pod, lane, unpin } = target.dataset;
    if (unpin) this.timeline.choices.pin(unpin);
    else if (fold) {
      this.timeline.choices.toggle(/** @type {"collapsed" | "open" | "logs" | "gone"} */ (fold), pod || "");
      this.refocus(fold, pod || "");
    } else {
      const known = this.timeline.run.store.lanes.byId.get(lane || "");
      if (known) this.timeline.run.select(known.subject, 0);
      else this.tellOld(this.timeline.rows.find((/** @type {any} */ row) => row.lane.id === lane)?.lane);
    }
  }

  /**
   * Fold or unfold; this rebuilds the labels, and the focus stays on the button that was pressed.
   * @param {string} fold
   * @param {string} pod
   */
  refocus(fold, pod) {
    // At once, not in the next frame: the button to focus has to exist.
    this.timeline.draw(false);
    const buttons = /** @type {HTMLElement[]} */ ([...this.holder.querySelectorAll("[data-fold]")]);
    buttons.find((button) => button.dataset.fold === fold && button.dataset.pod === pod)?.focus({ preventScroll: true });
  }

  /** Announce a lane that this run does not have. @param {any} lane */
  tellOld(lane) {
    if (lane) toast(text("futures.only", { lane: nameOf(lane), name: this.timeline.run.ghost?.names.old }));
  }

  /** @param {number} t_ms @param {{ top: number, height: number }} size  which part of the lanes is on screen, px */
  show(t_ms, { top, height }) {
    const { rows } = this.timeline;
    // A little more than is visible, so that scrolling shows no gaps.
    const wanted = visibleRows(rows, top - SPARE_PX, top + height + SPARE_PX);
    const ids = new Set(wanted.map(keyOf));
    this.showPins();
    for (const [id, { element }] of this.shown) {
      if (ids.has(id)) continue;
      element.remove();
      this.shown.delete(id);
    }
    const before = this.shown.size;
    for (const row of wanted) {
      let label = this.shown.get(keyOf(row));
      if (!label) {
        label = this.build(row);
        this.shown.set(keyOf(row), label);
      }
      const home = row.isStuck ? this.pins : this.holder;
      if (label.element.parentNode !== home) home.append(label.element);
      this.fill(label.value, row.lane, t_ms);
      if (row.old) this.fillOld(label.element, row.old, t_ms);
    }
    // Only then: the label with the tab stop is worked out from all of them.
    if (this.shown.size !== before) rove(this.timeline.element);
  }

  /** Position the labels of pinned lanes that stay in place. */
  showPins() {
    const { stuck } = this.timeline;
    setHidden(this.pins, !stuck);
    this.pins.style.setProperty("height", `${stuck}px`);
  }

  /** @param {any} row */
  build(row) {
    const { lane, depth } = row;
    const value = make("span", { class: "lane-label__value" });
    const name = make("button", { type: "button", class: "lane-label__name", "data-lane": lane.id, tabindex: "-1", "data-roving-skip": true, title: lane.subject }, nameParts(lane));
    const owner = row.isPinned ? ownerOf(lane) : "";
    const children = [...(row.isPinned ? unpin(lane) : this.fold(row)), name, ...(owner ? [make("span", { class: "lane-label__owner", text: owner })] : []), ...badge(lane), ...(row.isOld ? [make("span", { class: "lane-label__badge", text: `▽ ${this.timeline.run.ghost.names.old}` })] : []), value];
    const element = make("div", { class: "lane-label", "data-kind": lane.kind, "data-depth": String(depth), "data-focus": String(lane.id === this.focus) }, children);
    if (row.isPinned) element.dataset.pinned = owner ? "part" : "whole";
    if (row.isTwin) element.dataset.twin = "true";
    if (row.isOld) element.dataset.future = "old";
    if (row.old) {
      element.dataset.future = "both";
      element.style.setProperty("padding-bottom", `${row.old_h}px`);
      element.append(make("span", { class: "lane-label__old" }));
      /** @type {HTMLElement} */ (element.lastElementChild).style.setProperty("height", `${row.old_h}px`);
    }
    element.style.setProperty("top", `${row.rest_y}px`);
    element.style.setProperty("height", `${row.h}px`);
    return { element, value, row };
  }

  /** Show the value of the old future. @param {HTMLElement} element @param {any} lane @param {number} t_ms */
  fillOld(element, lane, t_ms) {
    const { ghost } = this.timeline.run;
    const { words } = t_ms < ghost.from_ms ? { words: "" } : valueAt(lane, t_ms);
    setText(/** @type {HTMLElement} */ (element.lastElementChild), `▽ ${ghost.names.old}${words ? `: ${words}` : ""}`);
  }

  /** @param {any} row @returns {HTMLElement[]} */
  fold({ lane, hidden, pod, depth, isOld }) {
    const { view, run } = this.timeline;
    if (lane.kind === "status" || lane.kind === "node" || (lane.kind === "requests" && depth === 1)) {
      const folded = view.isFolded(pod.key);
      return [folder("collapsed", pod.key, !folded, text(folded ? "lane.expand" : "lane.collapse", { pod: lane.kind === "status" ? shortPod(pod.key) : lane.name }))];
    }
    if (lane.kind === "container" && !isOld && run.panelBase) return [folder("logs", lane.subject, view.showsLogs(lane.subject), text("lane.logs"))];
    const expanded = view.open.has(pod.key);
    if (lane.kind !== "condition" || depth !== 2 || (hidden === 0 && !expanded)) return [];
    return [folder("open", pod.key, expanded, text(expanded ? "lane.conditions_less" : "lane.conditions"))];
  }

  /**
   * @param {HTMLElement} element
   * @param {any} lane
   * @param {number} t_ms
   */
  fill(element, lane, t_ms) {
    const { words, tone } = valueAt(lane, t_ms);
    setText(element, words);
    if (element.dataset.tone !== tone) element.dataset.tone = tone;
  }
}

/** The button that opens and folds lanes. @param {string} what @param {string} key  of a pod or container @param {boolean} isOpen @param {string} title */
function folder(what, key, isOpen, title) {
  return make("button", { type: "button", class: "lane-label__fold", "data-fold": what, "data-pod": key, "aria-expanded": String(isOpen), "aria-label": title, title });
}

/** @param {any} lane */
export function nameOf(lane) {
  if (lane.kind === "status") return shortPod(lane.pod);
  if (lane.kind === "phase") return text("lane.phase");
  if (lane.kind === "events") return text("lane.events");
  return lane.kind === "probe" ? text(`probe.${lane.name}`) : lane.name;
}

/** A lane may be shown both in its place and above all others. @param {any} row */
function keyOf({ lane, isTwin }) {
  return isTwin ? `twin:${lane.id}` : lane.id;
}

/** The pin marks a pinned lane and is the button to unpin it. @param {any} lane @returns {HTMLElement[]} */
function unpin(lane) {
  const title = text("pins.unpin_lane", { lane: wholeName(lane, nameOf(lane)) });
  return [make("button", { type: "button", class: "lane-label__pin", "data-unpin": lane.id, "aria-label": title, title })];
}

/** A truncated name keeps its end, which distinguishes the pods of one owner. @param {any} lane */
function nameParts(lane) {
  const name = nameOf(lane);
  const [tail] = lane.kind === "status" || lane.kind === "workload" ? /[-.][^-.]{1,6}$/.exec(name) ?? [""] : [""];
  const parts = [make("span", { class: "lane-label__head", text: name.slice(0, name.length - tail.length) })];
  return tail ? [...parts, make("span", { class: "lane-label__tail", text: tail })] : parts;
}

/** @param {any} lane @returns {HTMLElement[]} */
function badge(lane) {
  if (lane.kind === "workload" || (lane.kind === "requests" && lane.group === "Service")) return [make("span", { class: "lane-label__badge", text: lane.group })];
  if (lane.kind !== "container" || lane.group === "app") return [];
  return [make("span", { class: "lane-label__badge", text: text(`lane.${lane.group}`) })];
}

/**
 * The value of a lane at a moment.
 * @param {any} lane
 * @param {number} t_ms
 * @returns {{ words: string, tone: string }}
 */
export function valueAt(lane, t_ms) {
  if (lane.said) return lane.said(t_ms);
  if (lane.kind === "events") {
    const count = firstMarkFrom(lane.marks, t_ms + 1);
    return { words: count ? String(count) : "", tone: "" };
  }
  if (lane.kind === "probe") return attemptAt(lane, t_ms);
  const span = spanAt(lane.spans, t_ms);
  if (!span || span.tone === "absent") return { words: "–", tone: "absent" };
  if (lane.kind === "requests") return { words: text(`requests.${span.text}`), tone: span.tone };
  if (lane.kind === "part") return { words: span.text.replaceAll("_", " "), tone: span.tone };
  if (span.data.stale && lane.kind === "status") return { words: text("lane.stale", { word: span.text }), tone: span.tone };
  if (lane.kind !== "container") return { words: span.text, tone: span.tone };
  if (span.text === "Running") return { words: `#${span.data.instance ?? 0}`, tone: span.tone };
  return { words: span.data.exit_code === undefined ? span.text : `${span.text} ${span.data.exit_code}`, tone: span.tone };
}

/** @param {any} lane @param {number} t_ms */
function attemptAt(lane, t_ms) {
  const span = spanAt(lane.spans, t_ms);
  const mark = lane.marks[firstMarkFrom(lane.marks, t_ms + 1) - 1];
  if (!mark || (span && mark.t < span.t0 && !span.text)) return { words: "", tone: "" };
  const glyph = PROBE_RESULTS[mark.type] ?? PROBE_RESULTS.error;
  const { run, threshold } = mark.data;
  return { words: run && threshold ? `${glyph} ${Math.min(run, threshold)}/${threshold}` : glyph, tone: `probe-${mark.type}` };
}
