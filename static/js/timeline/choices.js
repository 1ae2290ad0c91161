// @ts-check
/** A visitor's choices about the lanes: what is folded, their order, the clock of the ruler. */

import { text } from "../base/i18n.js";
import { setPreference } from "../base/preferences.js";
import { toast } from "../base/toast.js";
import { later } from "../later/load.js";
import { nameOf } from "./labels.js";
import { wholeName } from "./pins.js";
import { showClock } from "./tools.js";
import { DENSITIES } from "./view.js";

export class Choices {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
  }

  changed() {
    this.timeline.run.looked();
    this.timeline.invalidate();
  }

  /** @param {"collapsed" | "open" | "logs" | "gone"} what @param {string} pod  or container */
  toggle(what, pod) {
    this.timeline.view.toggle(what, pod);
    this.changed();
  }

  foldAll() {
    this.timeline.view.toggleAll();
    this.changed();
  }

  /** Sort by the trouble that pods are in at the moment shown, or by creation. */
  async sortLanes() {
    const { view, body } = this.timeline;
    if (view.order) view.sort(null);
    else await this.sortByTrouble();
    body.scrollTop = 0;
    this.changed();
  }

  /** Sorted once, for the moment shown: an order that followed the run would move rows under the pointer. */
  async sortByTrouble() {
    const { view, run } = this.timeline;
    const order = await later().then(({ orderByTrouble }) => orderByTrouble(run.store.lanes, run.playhead.t_ms), () => null);
    view.sort(order);
    this.changed();
  }

  /** Pin a lane above all others, or unpin it; by default the one that has the focus. @param {string} [id] */
  pin(id) {
    const { timeline } = this;
    const { view, run, focus, spoken } = timeline;
    const wanted = id || focus;
    const lane = run.store.lanes.byId.get(wanted) ?? view.futures?.lane(wanted);
    if (!lane) {
      toast(text("pins.none"), "info");
      return;
    }
    // Labels are rebuilt: if one of them had the focus, the lanes take it.
    if (timeline.labels.holder.contains(document.activeElement)) timeline.element.focus({ preventScroll: true });
    const done = view.togglePin(lane.id);
    const words = text(`pins.${done}`, { lane: wholeName(lane, nameOf(lane)) });
    if (done === "full") toast(words, "warn");
    else spoken.say(words);
    this.changed();
  }

  /** Cycle the density of the lanes: closer together, further apart, normal; the browser remembers it. */
  turnDensity() {
    const { view, spoken } = this.timeline;
    view.turnDensity();
    setPreference("density", view.density === DENSITIES[0] ? null : view.density);
    spoken.say(text(`density.is_${view.density}`));
    this.changed();
  }

  unpinAll() {
    this.timeline.view.readPins("");
    this.changed();
  }

  /** Show both futures of a branch, or only the new one. */
  turnFutures() {
    const { view, run } = this.timeline;
    if (!run.ghost) return;
    view.showOld(!view.isOldShown);
    this.changed();
  }

  /** Switch to the next of the three clocks. */
  turnClock() {
    this.timeline.clock.next();
    this.showClock();
    this.changed();
  }

  /** @param {string} kind  from an address */
  readClock(kind) {
    this.timeline.clock.read(kind);
    this.showClock();
  }

  showClock() {
    const { clock, selected, run, corner, stretch } = this.timeline;
    clock.zero_ms = selected?.t0 ?? run.playhead.t_ms;
    showClock(corner, clock.sign);
    stretch.show();
  }
}
