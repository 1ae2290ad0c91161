// @ts-check
/** The lanes for screen readers: a sentence about all of them, and the lane that has the focus. */

import { make, setAttributes, throttle } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { nameOf, valueAt } from "./labels.js";
import { saidOf, wholeName } from "./pins.js";

const REFRESH_MS = 2000;

export class Spoken {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.element = make("p", { class: "visually-hidden", role: "status" });
    /** The sentence follows what happens, slowly. */
    this.refresh = throttle(REFRESH_MS, () => this.describe());
    timeline.run.playhead.onFrame(() => this.refresh());
  }

  describe() {
    const { element, run } = this.timeline;
    setAttributes(element, { "aria-description": text("timeline.summary", { pods: run.store.lanes.pods.size, time: clockText(run.playhead.end_ms) }) });
  }

  /** @param {string} words */
  say(words) {
    this.element.textContent = words;
  }

  /** @param {any} lane */
  announceLane(lane) {
    const { run, view } = this.timeline;
    const { ghost, playhead } = run;
    const { words } = valueAt(lane, playhead.t_ms);
    const old = view.futures?.oldOf(lane);
    const was = old && playhead.t_ms >= ghost.from_ms ? `; ${ghost.words}: ${valueAt(old, playhead.t_ms).words}` : ghost?.isOld(lane) ? `; ${ghost.words}` : "";
    const isPinned = view.pins.includes(lane.id);
    const name = isPinned ? wholeName(lane, nameOf(lane)) : lane.kind === "status" ? lane.pod : lane.name;
    this.say(`${saidOf(name, { isPinned })}: ${words}${was}`);
  }
}
