// @ts-check
/** Stand-in for the highlighting of causes until a record is chosen. */

import { later } from "./load.js";

/** The chain of the chosen record, highlighted, and records pointed at elsewhere: loaded when there first is either. */
export class LaterLight {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {any} the Light */
    this.made = null;
    this.seq = 0;
    this.spot = 0;
  }

  /** @param {number} seq  0 turns the highlighting off */
  show(seq) {
    this.seq = seq;
    this.want();
  }

  /** @param {number} seq */
  point(seq) {
    this.spot = seq;
    this.want();
  }

  want() {
    const { made, seq, spot, timeline } = this;
    made?.show(seq);
    made?.point(spot);
    if (made || !(seq || spot)) return;
    later().then(({ Light }) => {
      this.made ??= new Light(timeline);
      this.want();
      timeline.touch();
    }, () => {});
  }

  /** @param {any[]} about */
  paint(...about) {
    this.made?.paint(...about);
  }
}
