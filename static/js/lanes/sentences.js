// @ts-check
/** Records as sentences: who did what to whom. API words stay as they are. */

import { actText, hasText, stepText, text } from "../base/i18n.js";
import { parseSubject, shortPod } from "../wire/record.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

/** The machines whose steps have sentences of their own here, by target state. The others use their headline or rule. */
const BY_STATE = ["hook", "stop", "taint", "uplink"];

/**
 * One sentence for a record.
 * @param {Rec} record
 * @returns {string}
 */
export function sentenceOf(record) {
  const { data, target } = record;
  const values = valuesOf(record);
  switch (record.kind) {
    case "attempt":
      return attemptStory(record, values);
    case "event":
      return text("story.event", { ...values, reason: data.reason ?? target, message: data.message ?? "" });
    case "command":
      return commandStory(record, values);
    case "note":
      if (target === "exec" && data.text) return text("story.exec", values);
      if (record.machine === "import") return text("timeline.imported");
      return data.text ? String(data.text) : otherStory(record, values);
    default: {
      const key = transitionKey(record);
      return key ? text(key, values) : otherStory(record, values);
    }
  }
}

/** Whether a record can be described better once the texts of rules and acts are there. @param {Rec} record */
export function needsRuleTexts(record) {
  if (record.kind === "command") return true;
  if (record.kind === "note") return record.machine !== "import" && !record.data.text;
  return !["attempt", "event"].includes(record.kind) && !transitionKey(record);
}

/** What a sentence may mention: the record's data, and the names in its subject. @param {Rec} record @returns {Record<string, any>} */
function valuesOf({ subject, target, source, data }) {
  const { type, pod, container, name } = parseSubject(subject);
  const hook_name = { post_start: "postStart", pre_stop: "preStop" }[/** @type {"pre_stop"} */ (data.hook)] || "";
  const names = { pod: shortPod(pod) || data.pod || data.pods || "", container: container || data.container || "", node: type === "node" ? name : (data.node ?? "") };
  return { ...data, ...names, hook_name, target, source, name, about: shortNames(subject) };
}

/** `web · app` for `container/default/web/app`. @param {string} subject */
function shortNames(subject) {
  return shortPod(subject.slice(subject.indexOf("/") + 1)).replaceAll("/", " · ");
}

/** @param {Rec} record @param {Record<string, any>} values */
function otherStory(record, values) {
  const { name = values.name } = record.data;
  return stepText(record, { ...values, name }) || text("story.changed", values);
}

/**
 * @param {Rec} record
 * @returns {string} the key of the text; empty where there is none
 */
function transitionKey({ machine, target, data, subject }) {
  switch (machine) {
    case "object":
      return subject.startsWith("pod/") ? `story.object.${target}` : "";
    case "status_word":
      return target && "story.status";
    case "phase":
      return "story.phase";
    case "condition":
      return target && (data.reason ? "story.condition_reason" : "story.condition");
    case "container_status":
      if (target === "running") return data.ready ? "story.running_ready" : "story.running";
      if (target === "waiting") return data.reason && "story.waiting";
      return target === "terminated" ? "story.terminated" : "";
    case "container":
      return `story.node.${target}`;
    case "node_condition":
      return "story.node_condition";
    case "status_report":
      return `story.${machine}.${target || "over"}`;
    default: {
      const key = `story.${machine}.${target}`;
      // The sentence would end in a colon with nothing after it.
      const lacks = machine === "hook" && target === "failed" && !data.message;
      return BY_STATE.includes(machine) && hasText(key) && !lacks ? key : "";
    }
  }
}

/**
 * @param {Rec} record
 * @param {Record<string, any>} values
 */
function attemptStory({ data, target }, values) {
  const filled = { ...values, probe: text(`probe.${values.name}`), result: text(`result.${target}`) };
  const sentence = text(attemptKey(data, target), filled);
  return data.output ? `${sentence} (${String(data.output).slice(0, 120)})` : sentence;
}

/** How an attempt is counted: against the threshold, or as the number in a row. @param {Record<string, any>} data @param {string} target */
function attemptKey({ run, threshold }, target) {
  if (!run || !threshold || target === "suppressed" || target === "error") return "story.attempt";
  if (run <= threshold) return "story.attempt_count";
  return target === "success" ? "story.attempt" : "story.attempt_again";
}

/** @param {Rec} record @param {Record<string, any>} values */
function commandStory(record, values) {
  const { data, target } = record;
  if (target !== "refused") return actText(data.do, { ...values, name: data.name ?? values.name }) || text("story.accepted");
  const owner = shortNames(data.owner ?? "");
  // By its rule alone: headlines say what was done, and this was not done.
  const message = stepText({ ...record, machine: "", data: { ...data, owner } }, values) || data.message;
  return [text("story.refused"), message].filter(Boolean).join(": ");
}

/**
 * How important a record is to a listener; 0 is never read out.
 * @param {Rec} record
 */
export function weight(record) {
  if (record.machine === "note" && record.target === "exec") return 6;
  // What an act sets off is worth more than the act itself, which its author knows about.
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
