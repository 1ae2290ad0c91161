// @ts-check
/** Lanes that are folded at first: what a container printed. They are made when somebody opens them. */

import { keep } from "../kept.js";
import { LOGS } from "../timeline/view.js";
import { LogLane } from "./log-lane.js";
import { Printed } from "./printed.js";

export class LogLanes {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.printed = new Printed(timeline.run.panelBase.replace(/at\/$/, "printed/"), () => timeline.invalidate());
    /** @type {Map<string, LogLane>} by subject of the container */
    this.lanes = new Map();
  }

  /** There is more to show. @param {boolean} [isTurned]  the lanes of all containers are wanted, or none any more; the browser keeps which */
  show(isTurned) {
    const { view, choices } = this.timeline;
    if (isTurned) {
      const isAll = !view.open.has(LOGS);
      for (const key of view.open) if (key.startsWith("container/")) view.open.delete(key);
      if (isAll) view.open.add(LOGS);
      else view.open.delete(LOGS);
      keep(LOGS, isAll ? "1" : null);
    }
    view.version += 1;
    choices.changed();
  }

  /** The lane below a container's. @param {any} container  its lane */
  of(container) {
    const { store } = this.timeline.run;
    const lane = this.lanes.get(container.subject) ?? new LogLane(this.timeline, container, this.printed);
    this.lanes.set(container.subject, lane);
    store.lanes.byId.set(lane.id, lane);
    return lane;
  }
}
