// @ts-check
/** Lanes that are folded at first: what a container printed, and the endpoints of a pod. They are made when the first of them is opened. */

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

  /** There is more to show. @param {boolean} [isTurned]  the log lines of all containers are wanted, or none any more; the browser keeps which */
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

  /** The lane below a container's. @param {any} container  its lane */
  logOf(container) {
    const { store } = this.timeline.run;
    const lane = this.logs.get(container.subject) ?? new LogLane(this.timeline, container, this.printed);
    this.logs.set(container.subject, lane);
    store.lanes.byId.set(lane.id, lane);
    return lane;
  }

  /** Below the conditions of a pod, one for each of its Services. @param {string} pod */
  endpointsOf(pod) {
    return this.endpoints.of(pod);
  }
}
