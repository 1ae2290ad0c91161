// @ts-check
/** The steps of a story next to its run: they are ticked off when the records show them, or by hand. */

import { find, findAll } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { later } from "../later/load.js";
import { keepProgress, readProgress } from "./progress.js";
import { CheckProgress } from "./story-checks.js";

/**
 * @typedef {object} Step
 * @property {HTMLElement} item
 * @property {string} name
 * @property {CheckProgress | null} check
 */

export class StorySteps {
  /**
   * @param {HTMLElement} rail
   * @param {{ store: import("../lanes/record-store.js").RecordStore, clock: { frame: any } }} page
   */
  constructor(rail, page) {
    this.page = page;
    this.rail = rail;
    this.story = find("[data-steps]", rail)?.dataset.steps || "";
    /** @type {Step[]} */
    this.steps = findAll("[data-step]", rail).map((item) => ({ item, name: item.dataset.step || "", check: item.dataset.check ? new CheckProgress(JSON.parse(item.dataset.check)) : null }));
    this.done = new Set(readProgress()[this.story] ?? []);
    this.seen = 0;
    this.live = find("[data-steps-told]", rail);
    this.last = "";
    this.wasComplete = false;
    this.debrief = /** @type {HTMLDetailsElement | null} */ (find("[data-debrief]", rail));
    this.debrief?.addEventListener("toggle", () => this.showDebrief());
    rail.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("run:frame", () => this.read());
    document.addEventListener("run:clock", () => this.read());
    this.read();
    this.show();
  }

  /** Take in the run's new records. */
  read() {
    const { store } = this.page;
    const before = this.done.size;
    // Each record is looked at once, however often this is called.
    for (; this.seen < store.headSeq; this.seen += 1) {
      const record = store.get(this.seen + 1);
      if (record) for (const { check } of this.steps) check?.add(record);
    }
    for (const step of this.steps) {
      // "Nothing by 90 s" comes true through time alone, without a record.
      step.check?.reach(store.head_ms);
      if (step.check?.verdict === "done" && !this.done.has(step.name)) {
        this.done.add((this.last = step.name));
        this.announceStep(step);
      }
    }
    if (this.done.size !== before) keepProgress(this.story, this.done);
    this.show();
  }

  /** @param {Step} step */
  announceStep(step) {
    if (this.live) this.live.textContent = this.isComplete() ? text("steps.all") : text("steps.told", { step: find(`#step-${step.name}`, step.item)?.textContent?.trim() ?? "" });
  }

  isComplete() {
    return this.steps.every((step) => this.done.has(step.name));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const hint = event.target instanceof Element ? event.target.closest("button[data-hint]") : null;
    if (hint) later().then(({ openHint }) => openHint(hint, this.page.store), () => {});
    const button = event.target instanceof Element ? event.target.closest("button[data-step-tick]") : null;
    const name = button?.closest("[data-step]")?.getAttribute("data-step");
    if (!name) return;
    if (!this.done.delete(name)) this.done.add((this.last = name));
    keepProgress(this.story, this.done);
    this.show();
  }

  show() {
    const next = this.steps.find(({ name }) => !this.done.has(name))?.item;
    for (const { item, name, check } of this.steps) {
      item.toggleAttribute("data-is-next", item === next);
      const state = this.done.has(name) ? "done" : check?.verdict ?? "open";
      if (item.dataset.state === state) continue;
      item.dataset.state = state;
      // What has been seen gives no answer away, and what can no longer happen need not be withheld.
      if (state !== "open") find(".veil", item)?.setAttribute("open", "");
      const tick = find("[data-step-tick]", item);
      if (tick?.matches("button")) tick.setAttribute("aria-checked", String(state === "done"));
      else tick?.setAttribute("aria-label", text(`steps.${state}`));
    }
    for (const list of findAll("[data-steps]", this.rail)) {
      const count = list.closest("details")?.querySelector("[data-steps-count]");
      const all = findAll("[data-step]", list);
      if (count) count.textContent = text("steps.count", { done: all.filter((item) => item.dataset.state === "done").length, all: all.length });
    }
    const isComplete = this.isComplete();
    for (const card of findAll("[data-story-next]", this.rail)) card.toggleAttribute("data-ready", isComplete);
    if (isComplete && !this.wasComplete) this.showDebrief();
    this.wasComplete = isComplete;
  }

  /**
   * Fill the debrief once it is open and everything is done, whichever happens last. If fetching it fails, opening the card again retries;
   * frames, of which there are many a second, do not.
   */
  showDebrief() {
    const { debrief } = this;
    if (!debrief?.open || !this.isComplete()) return;
    this.debrief = null;
    later().then(({ fillDebrief }) => fillDebrief(debrief, this.last || this.steps[this.steps.length - 1].name)).catch(() => (this.debrief = debrief));
  }
}

/** @param {any} page  the RunPage */
export function wireSteps(page) {
  const rail = find("#rail");
  if (rail && find("[data-steps]", rail)) new StorySteps(rail, page);
}
