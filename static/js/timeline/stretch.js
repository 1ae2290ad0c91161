// @ts-check
/** A selected stretch of time: drawn over the lanes, with its numbers in a panel below them. */

import { make, throttle } from "../base/dom.js";
import { lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { later } from "../later/load.js";

const LEAST_MS = 10;
const REFRESH_MS = 500;

export class Stretch {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {{ from_ms: number, to_ms: number } | null} */
    this.chosen = null;
    this.title = make("h3", { class: "stretch__title", "aria-live": "polite" });
    this.body = make("div", { class: "stretch__body", tabindex: "0", role: "region", "aria-label": text("stretch.label") });
    const buttons = [["stretchZoom", "stretch.zoom"], ["stretchClear", "stretch.close"]].map(([action, key]) => make("button", { type: "button", class: "button button--small button--quiet", "data-do": action, text: text(key) }));
    this.element = make("section", { class: "stretch", "aria-label": text("stretch.label"), hidden: true }, [make("div", { class: "stretch__head" }, [this.title, ...buttons]), this.body]);
    const slowly = throttle(REFRESH_MS, () => this.show());
    // The future part of a stretch belongs to it as soon as it happens.
    timeline.run.playhead.onFrame(() => this.chosen && this.shown_ms < this.chosen.to_ms && slowly());
    this.shown_ms = 0;
  }

  /** @param {number} one @param {number} other */
  set(one, other) {
    const [from_ms, to_ms] = [Math.max(0, Math.min(one, other)), Math.max(one, other)].map(Math.round);
    this.chosen = to_ms - from_ms < LEAST_MS ? null : { from_ms, to_ms };
    this.changed();
  }

  /** @returns {boolean} whether there was one */
  clear() {
    if (!this.chosen) return false;
    this.chosen = null;
    this.changed();
    return true;
  }

  changed() {
    this.show();
    this.timeline.run.looked();
    this.timeline.invalidate();
  }

  /** Select the stretch of the selected span; without one, a stretch that begins at the playhead. */
  fromSelection() {
    const { selected, run } = this.timeline;
    if (selected && selected.t1 > selected.t0) this.set(selected.t0, Math.min(selected.t1, run.playhead.end_ms));
    else this.edge("from");
  }

  /** Set its beginning or end to the playhead. @param {"from" | "to"} side */
  edge(side) {
    const { t_ms, end_ms } = this.timeline.run.playhead;
    const { from_ms = 0, to_ms = end_ms } = this.chosen ?? {};
    if (side === "from") this.set(t_ms, to_ms > t_ms ? to_ms : end_ms);
    else this.set(from_ms < t_ms ? from_ms : 0, t_ms);
  }

  zoom() {
    if (!this.chosen) return;
    const { viewport } = this.timeline;
    viewport.auto = viewport.follow = false;
    viewport.fit(this.chosen.from_ms, this.chosen.to_ms);
    this.timeline.invalidate();
  }

  /** As addresses carry it. */
  get word() {
    return this.chosen ? `${this.chosen.from_ms}_${this.chosen.to_ms}` : "";
  }

  /** @param {string} word */
  read(word) {
    const [, from, to] = /^(\d{1,12})_(\d{1,12})$/.exec(word) ?? [];
    if (to) this.set(Number(from), Number(to));
  }

  show() {
    this.element.hidden = !this.chosen;
    this.timeline.element.closest(".run")?.toggleAttribute("data-stretched", this.chosen !== null);
    if (!this.chosen) return;
    const { from_ms } = this.chosen;
    const { playhead } = this.timeline.run;
    const to_ms = Math.min(this.chosen.to_ms, playhead.end_ms);
    this.shown_ms = to_ms;
    const words = `${this.timeline.clock.text(from_ms, 1)} – ${this.timeline.clock.text(this.chosen.to_ms, 1)} · ${lengthText(this.chosen.to_ms - from_ms)}`;
    if (this.title.textContent !== words) this.title.textContent = words;
    later().then(({ fillStretch }) => {
      if (this.chosen?.from_ms === from_ms && this.shown_ms === to_ms) fillStretch(this.timeline, { from_ms, to_ms });
    }, () => {});
  }
}
