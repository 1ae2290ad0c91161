// @ts-check
/** Which field of which API object a lane, a span or a mark shows: what `kubectl get -o jsonpath` would be asked for. Pure. */

import { MACHINES } from "../base/tones-table.js";
import { parseSubject } from "../wire/record.js";

/** @type {Record<string, [string, string]>} group of containers → where their status and their spec are */
const LISTS = {
  init: ["initContainerStatuses", "initContainers"],
  sidecar: ["initContainerStatuses", "initContainers"],
  ephemeral: ["ephemeralContainerStatuses", "ephemeralContainers"],
  app: ["containerStatuses", "containers"],
};
/** @type {Record<string, string>} what of a state says most */
const TOLD = { waiting: "waiting.reason", running: "running.startedAt", terminated: "terminated.reason" };
/** The column STATUS of kubectl is no field: by the rule that gave the word, what kubectl works it out of. @type {Record<string, string>} */
const DERIVED = {
  "PRINT-REASON": "status.reason",
  "PRINT-GATED": 'status.conditions[?type=="PodScheduled"].reason',
  "PRINT-INIT": "status.initContainerStatuses[*].state",
  "PRINT-WAITING": "status.containerStatuses[*].state.waiting.reason",
  "PRINT-TERMINATED": "status.containerStatuses[*].state.terminated.reason",
  "PRINT-STILL-RUNNING": 'status.containerStatuses[*].state, status.conditions[?type=="Ready"].status',
  "PRINT-NOT-READY": 'status.containerStatuses[*].state, status.conditions[?type=="Ready"].status',
  "PRINT-NODE-LOST": "metadata.deletionTimestamp, status.reason",
  "PRINT-TERMINATING": "metadata.deletionTimestamp",
};

/**
 * @param {any} lane
 * @param {any} span  or a mark
 * @param {any} record  the record behind it, if there is one
 * @param {string} [group]  of the container that a probe is of
 * @returns {string} empty where no field says it
 */
export function fieldOf(lane, span, record, group = "app") {
  switch (lane.kind) {
    case "phase": return "status.phase";
    case "condition": return condition(lane.name);
    case "status": return DERIVED[record?.rule] ?? "status.phase";
    case "container": return containerField(lane, span, record);
    case "probe": return `${specOf(group, parseSubject(lane.subject).container)}.${lane.name}Probe`;
    case "events": return `kind: Event, reason: ${span.text}`;
    case "node": return `${condition("Ready")}${span.text.includes("SchedulingDisabled") ? ", spec.unschedulable" : ""}`;
    // What else a node has parts of - kubelet, runtime, network - no field of the API tells.
    case "part": return MACHINES[lane.name] ? "" : condition(lane.name);
    default: return "";
  }
}

/** @param {string} type */
function condition(type) {
  return `status.conditions[?type=="${type}"].status`;
}

/** @param {string} group @param {string} name */
function specOf(group, name) {
  return `spec.${(LISTS[group] ?? LISTS.app)[1]}[?name=="${name}"]`;
}

/** @param {any} lane @param {any} span @param {any} record */
function containerField({ group, name, hooks, endings, flags }, span, record) {
  if (hooks.includes(span)) return `${specOf(group, name)}.lifecycle.${span.text}`;
  if (flags.includes(span)) return "";
  const status = `status.${(LISTS[group] ?? LISTS.app)[0]}[?name=="${name}"]`;
  if ([...endings.values()].includes(span)) return `${status}.state.terminated.exitCode`;
  return `${status}.state.${TOLD[record?.target] ?? ""}`.replace(/\.$/, "");
}
