// @ts-check
/** Records as sentences: who did what to whom. API words stay as they are. */

import { hasText, text } from "./i18n.js";
import { parseSubject, shortPod } from "./record.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

/**
 * One sentence for a record.
 * @param {Rec} record
 * @returns {string}
 */
export function story(record) {
  const { data, target } = record;
  const subject = parseSubject(record.subject);
  const hook_name = { post_start: "postStart", pre_stop: "preStop" }[/** @type {"pre_stop"} */ (data.hook)] || "";
  const values = { ...data, hook_name, machine: record.machine, target, subject: record.subject, pod: shortPod(subject.pod), container: subject.container, name: subject.name };
  switch (record.kind) {
    case "attempt":
      return attemptStory(record, values);
    case "event":
      return text("story.event", { ...values, reason: data.reason ?? target, message: data.message ?? "" });
    case "command":
      return commandStory(record);
    case "note":
      if (target === "exec") return text("story.exec", values);
      if (record.machine === "import") return text("timeline.imported");
      return data.text ? String(data.text) : text("story.other", values);
    default:
      return text(transitionKey(record), values);
  }
}

/**
 * @param {Rec} record
 * @returns {string} the key of the text
 */
function transitionKey({ machine, target, data }) {
  switch (machine) {
    case "object":
      return hasText(`story.object.${target}`) ? `story.object.${target}` : "story.other";
    case "status_word":
      return target ? "story.status" : "story.other";
    case "phase":
      return "story.phase";
    case "condition":
      return data.reason ? "story.condition_reason" : "story.condition";
    case "container_status":
      if (target === "running") return data.ready ? "story.running_ready" : "story.running";
      return target === "terminated" ? "story.terminated" : "story.waiting";
    case "container":
      return hasText(`story.node.${target}`) ? `story.node.${target}` : "story.node.other";
    case "hook":
    case "stop":
    case "taint":
      return hasText(`story.${machine}.${target}`) ? `story.${machine}.${target}` : "story.other";
    case "node_condition":
      return "story.node_condition";
    case "kubelet":
    case "runtime":
    case "network":
    case "shutdown":
      return "story.part";
    case "uplink":
    case "status_report":
      return `story.${machine}.${target || "over"}`;
    default:
      return "story.other";
  }
}

/**
 * @param {Rec} record
 * @param {Record<string, any>} values
 */
function attemptStory({ data, target }, values) {
  const filled = { ...values, probe: text(`probe.${values.name}`), result: text(`result.${target}`) };
  const sentence = text(data.run && data.threshold && target !== "suppressed" ? "story.attempt_count" : "story.attempt", filled);
  return data.output ? `${sentence} (${String(data.output).slice(0, 120)})` : sentence;
}

/** @param {Rec} record */
function commandStory({ data, target, subject }) {
  const words = String(data.do || "").replaceAll("_", " ");
  const extra = ["container", "exit_code", "signal", "probe", "outcome", "image", "kubelet", "runtime", "network_plugin"].filter((name) => data[name] !== undefined && data[name] !== null && data[name] !== "");
  const object = parseSubject(subject);
  const who = object.container || (object.pod ? shortPod(object.pod) : object.type === "node" ? object.name : "");
  const named = who ? ` ${who}` : "";
  const what = `${words}${named}${extra.length ? ` (${extra.map((name) => `${name} ${data[name]}`).join(", ")})` : ""}`;
  return text(target === "refused" ? "story.refused" : "story.accepted", { do: what, message: data.message ?? data.reason ?? "" });
}

/**
 * How important a record is to somebody listening: 0 is not said at all.
 * @param {Rec} record
 */
export function weight(record) {
  if (record.machine === "note" && record.target === "exec") return 6;
  // What an act sets going is worth more than the act: whoever did it knows that.
  if (record.kind === "command") return record.target === "refused" ? 5 : 2;
  if (record.kind === "event") return record.data.type === "Warning" ? 4 : 1;
  if (record.kind === "attempt") return record.target === "failure" || record.target === "timeout" ? 3 : 0;
  if (record.kind === "note") return 2;
  if (record.machine === "status_word") return record.source === record.target ? 0 : 3;
  if (record.machine === "object") return 4;
  if (record.machine === "container_status") return record.target === "terminated" ? 4 : 2;
  if (record.machine === "hook" || record.machine === "stop") return ["failed", "term", "killed"].includes(record.target) ? 4 : 2;
  if (["kubelet", "runtime", "network", "uplink", "shutdown", "taint"].includes(record.machine)) return 4;
  if (record.machine === "status_report") return 3;
  if (record.machine === "node_condition") return record.source ? 4 : 0;
  if (record.machine === "container") return ["pulling", "stopping", "exited"].includes(record.target) ? 2 : 0;
  return record.machine === "condition" && record.subject.endsWith("/Ready") ? 2 : 0;
}
