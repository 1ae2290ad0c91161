// @ts-check
/** The most useful acts on a lane, as icons at its right end, where they cover no mark under the pointer: for the lane under the pointer,
 * else for the selected one. */

import { setHidden, make } from "../base/dom.js";
import { Panel } from "../panels/panel.js";
import { isCovered } from "./pins.js";

const KINDS = new Set(["status", "container", "probe", "node"]);

export class ActBar {
  /**
   * @param {any} timeline
   * @param {string} base  address of the panels
   */
  constructor(timeline, base) {
    this.timeline = timeline;
    this.subject = "";
    this.hovered = "";
    this.element = make("div", { class: "fault-bar", role: "group", hidden: true });
    timeline.content.append(this.element);
    const { playhead } = timeline.run;
    this.panel = new Panel(this.element, "faultbar", { base, concerns: timeline.run.store.concerns, tracks: timeline.run.tracks, isPast: () => !playhead.live, moment: () => ({ seq: playhead.seq, t_ms: playhead.t_ms, sel: this.subject, rec: 0 }) });
    timeline.content.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.moved(event));
    timeline.content.addEventListener("pointerleave", () => this.hover(""));
  }

  /** @param {PointerEvent} event */
  moved(event) {
    if (event.pointerType === "touch" || this.element.contains(/** @type {Node} */ (event.target))) return;
    const row = this.timeline.rowAtClient(event.clientY);
    this.hover(row && KINDS.has(row.lane.kind) ? row.lane.id : "");
  }

  /** @param {string} lane */
  hover(lane) {
    if (lane === this.hovered) return;
    this.hovered = lane;
    this.timeline.touch();
  }

  /** Move to the current lane. Called with every frame drawn. */
  place() {
    const { rows, focus } = this.timeline;
    const row = rows.find((/** @type {any} */ each) => each.lane.id === (this.hovered || focus)) ?? null;
    const isOut = !row || row.isOld || !KINDS.has(row.lane.kind) || isCovered(rows, row);
    setHidden(this.element, isOut);
    if (isOut) return;
    this.element.style.setProperty("top", `${row.y + Math.round((row.h - row.old_h - 26) / 2)}px`);
    if (row.lane.subject !== this.subject) {
      this.subject = row.lane.subject;
      this.element.replaceChildren();
      this.panel.key = "";
    }
    this.panel.refresh(this.timeline.run.playhead.moving);
  }
}
