// @ts-check
/** Lanes of endpoints: the state of a pod in the EndpointSlices of a Service, folded from the syncs of their controller. */

import { changesOf, ROUND } from "../../lanes/request-lanes.js";
import { open } from "../../lanes/spans.js";
import { FoldedLane } from "./folded-lane.js";

/** @typedef {import("../../lanes/lane-set.js").Rec} Rec */

/** How a lane shows conditions: as kubectl writes them. @param {string[] | null} has @returns {{ tone: string, words: string }} */
export function shownAs(has) {
  if (!has) return { tone: "absent", words: "" };
  if (has.includes("ready")) return { tone: "ready", words: "ready" };
  return { tone: has.includes("terminating") ? "terminating" : "notready", words: has.join(" ") || "ready: false" };
}

export class EndpointLane extends FoldedLane {
  /** @param {any} timeline @param {string} service  namespace and name @param {string} pod */
  constructor(timeline, service, pod) {
    const name = service.split("/")[1];
    super(timeline, { id: `endpoint:service/${service}/${pod}`, kind: "endpoint", subject: `pod/${pod}`, pod, name: `endpoint ${name}` });
    this.field = `EndpointSlice (${name}) endpoints[?targetRef.name=="${pod.split("/")[1]}"].conditions.ready`;
  }

  /** @param {any} item  a span, or its beginning */
  choose(item) {
    const { playhead } = this.timeline.run;
    const t_ms = item?.t0 ?? item?.t ?? 0;
    if (t_ms > playhead.t_ms) playhead.seek(t_ms);
    this.select(item?.seq ?? 0);
  }

  /** Go to where a condition changed. @param {{ t: number, seq: number }} item */
  go({ t, seq }) {
    this.timeline.run.playhead.seek(t);
    this.select(seq);
  }
}

export class EndpointLanes {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {Map<string, Map<string, EndpointLane>>} by pod and Service */
    this.pods = new Map();
    this.seq = 0;
  }

  /** Fold in what has been recorded since. @returns {boolean} whether there are new lanes */
  follow() {
    const { store } = this.timeline.run;
    const before = this.count;
    for (; this.seq < store.headSeq; this.seq += 1) this.add(store.get(this.seq + 1));
    return this.count > before;
  }

  get count() {
    return [...this.pods.values()].reduce((sum, lanes) => sum + lanes.size, 0);
  }

  /** @param {Rec | undefined} record */
  add(record) {
    if (record?.rule !== ROUND) return;
    const [, namespace, name] = record.subject.split("/");
    for (const [pod, has] of changesOf(record)) {
      const { tone, words } = shownAs(has);
      open(this.lane(`${namespace}/${name}`, `${namespace}/${pod}`).spans, record, tone, words);
    }
  }

  /** @param {string} service @param {string} pod */
  lane(service, pod) {
    const lanes = this.pods.get(pod) ?? new Map();
    const lane = lanes.get(service) ?? new EndpointLane(this.timeline, service, pod);
    this.pods.set(pod, lanes.set(service, lane));
    this.timeline.run.store.lanes.byId.set(lane.id, lane);
    return lane;
  }

  /** @param {string} pod @returns {EndpointLane[]} one for each Service that the pod belongs to, or has belonged to */
  of(pod) {
    return [...(this.pods.get(pod)?.values() ?? [])];
  }
}
