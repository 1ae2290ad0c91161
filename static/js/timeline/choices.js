// @ts-check
/** What a visitor chooses of the lanes: what is folded, in which order they stand, by which clock they are told. */

import { showClock } from "./tools.js";

export class Choices {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
  }

  changed() {
    this.timeline.run.looked();
    this.timeline.invalidate();
  }

  /** @param {"collapsed" | "open"} what @param {string} pod */
  toggle(what, pod) {
    this.timeline.view.toggle(what, pod);
    this.changed();
  }

  foldAll() {
    this.timeline.view.toggleAll();
    this.changed();
  }

  /** By the trouble that pods are in at the moment shown, or as they were created. */
  sortLanes() {
    const { view, run, body } = this.timeline;
    view.sort(run.store.lanes, view.order ? null : run.playhead.t_ms);
    body.scrollTop = 0;
    this.changed();
  }

  /** Both futures of a branch, or the new one alone. */
  turnFutures() {
    const { view, run } = this.timeline;
    if (!run.ghost) return;
    view.showOld(!view.isOldShown);
    this.changed();
  }

  /** The next of the three clocks. */
  turnClock() {
    this.timeline.clock.next();
    this.showClock();
    this.changed();
  }

  /** @param {string} kind  as an address says */
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
