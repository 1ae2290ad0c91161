// @ts-check
/** The field of the API object that a lane, a span or a mark shows, as a path for `kubectl get -o jsonpath`. Pure. */

import { MACHINES } from "../base/tones-table.js";
import { parseSubject } from "../wire/record.js";

/** @type {Record<string, [string, string]>} group of containers → the fields with their status and their spec */
const LISTS = {
  init: ["initContainerStatuses", "initContainers"],
  sidecar: ["initContainerStatuses", "initContainers"],
  ephemeral: ["ephemeralContainerStatuses", "ephemeralContainers"],
  app: ["containerStatuses", "containers"],
};
/** @type {Record<string, string>} the most telling field of a state */
const TOLD = { waiting: "waiting.reason", running: "running.startedAt", terminated: "terminated.reason" };
/** kubectl's column STATUS is not a field: by the rule that gave the word, the field that kubectl derives it from. @type {Record<string, string>} */
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
 * @param {string} [group]  group of the container that a probe belongs to
 * @returns {string} empty if no field shows it
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
    // A node's other parts (kubelet, runtime, network) have no field in the API.
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
