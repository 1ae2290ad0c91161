// @ts-check
/** Nodes that are cut off: the API server shows the last state it was told of their pods, and the lanes say so. */

import { open, turnStale } from "./spans.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

/** The lanes of a pod that show the API server's view. @param {any} pod @returns {any[]} */
export function apiLanes(pod) {
  return [pod.status, pod.phase, ...pod.conditions.values(), ...pod.containers.values()];
}

/** Whether the pod's node cannot report to the API server. @param {any} set  the LaneSet @param {any} pod */
export function isCut({ cut }, pod) {
  // Called for each record of each pod, and the answer is nearly always no.
  return cut.size > 0 && cut.has(pod.nodes.at(-1)?.text ?? "");
}

/** A node is cut off, or its kubelet has caught up again. @param {any} set  the LaneSet @param {Rec} record @param {string} name */
export function turnNode(set, record, name) {
  if (record.target === "connected") set.cut.delete(name);
  else set.cut.add(name);
  for (const pod of set.pods.values()) {
    if (pod.nodes.at(-1)?.text === name) for (const lane of apiLanes(pod)) turnStale(lane.spans, record, set.cut.has(name));
  }
}

/** A pod was bound to a node, which may be cut off. @param {any} set  the LaneSet @param {any} pod @param {Rec} record */
export function bound(set, pod, record) {
  open(pod.nodes, record, "absent", record.target);
  if (isCut(set, pod)) for (const lane of apiLanes(pod)) turnStale(lane.spans, record, true);
}
