// @ts-check
/** Lanes that are folded at first: the output of a container, and the endpoints of a pod. They are created when the first of them is
 * opened. */

import { setPreference } from "../../base/preferences.js";
import { LOGS } from "../view.js";
import { EndpointLanes } from "./endpoints.js";
import { LogLane } from "./log-lane.js";
import { Printed } from "./printed.js";

export class FoldedLanes {
  /** @param {any} timeline */
  constructor(timeline) {
    const { run } = timeline;
    this.timeline = timeline;
    this.printed = new Printed(run.panelBase.replace(/at\/$/, "printed/"), () => timeline.invalidate());
    this.endpoints = new EndpointLanes(timeline);
    /** @type {Map<string, LogLane>} by subject of the container */
    this.logs = new Map();
    run.playhead.onFrame(() => this.follow());
    this.endpoints.follow();
  }

  /** There is more to show. @param {boolean} [isTurned]  turn the log lines of all containers on or off; the browser remembers which */
  show(isTurned) {
    const { view, choices } = this.timeline;
    if (isTurned) {
      const isAll = !view.open.has(LOGS);
      for (const key of view.open) if (key.startsWith("container/")) view.open.delete(key);
      if (isAll) view.open.add(LOGS);
      else view.open.delete(LOGS);
      setPreference(LOGS, isAll ? "1" : null);
    }
    view.version += 1;
    choices.changed();
  }

  follow() {
    if (!this.endpoints.follow()) return;
    this.timeline.view.version += 1;
    this.timeline.invalidate();
  }

  /** The log lane of a container. @param {any} container  its lane */
  logOf(container) {
    const { store } = this.timeline.run;
    const lane = this.logs.get(container.subject) ?? new LogLane(this.timeline, container, this.printed);
    this.logs.set(container.subject, lane);
    store.lanes.byId.set(lane.id, lane);
    return lane;
  }

  /** The endpoint lanes of a pod, one for each of its Services. @param {string} pod */
  endpointsOf(pod) {
    return this.endpoints.of(pod);
  }
}
