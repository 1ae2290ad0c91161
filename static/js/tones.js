// @ts-check
/** From API words to tones (the colour tokens `--st-<tone>`), with the order of severity used when spans are merged. */

/** @type {Record<string, string>} */
export const TONE_GLYPH = {
  waiting: "○",
  starting: "◔",
  notready: "◑",
  ready: "●",
  succeeded: "✓",
  failed: "✕",
  backoff: "↻",
  terminating: "▾",
  unknown: "?",
  absent: "–",
};

/** Worst last. */
const ORDER = ["absent", "ready", "succeeded", "waiting", "starting", "notready", "terminating", "unknown", "backoff", "failed"];

/** @type {Record<string, number>} */
export const SEVERITY = Object.fromEntries(ORDER.map((tone, index) => [tone, index]));

/**
 * The worse of two tones.
 * @param {string} a
 * @param {string} b
 */
export function worse(a, b) {
  return (SEVERITY[b] ?? 0) > (SEVERITY[a] ?? 0) ? b : a;
}

/** @type {Record<string, number>} worst last */
export const RESULT_SEVERITY = { suppressed: 0, success: 1, error: 2, timeout: 3, failure: 4 };

const STARTING = new Set(["ContainerCreating", "Pulling", "Created"]);
const PATIENT = new Set(["", "PodInitializing", "Pending", "SchedulingGated"]);

/**
 * Tone of a container as the API states it.
 * @param {string} state  waiting | running | terminated | absent
 * @param {Record<string, any>} data
 */
export function containerTone(state, data) {
  if (data.tone) return String(data.tone);
  const reason = String(data.reason || "");
  if (state === "running") return data.ready ? "ready" : "notready";
  if (state === "terminated") return Number(data.exit_code) === 0 && reason !== "OOMKilled" ? "succeeded" : "failed";
  if (state !== "waiting") return state === "unknown" ? "unknown" : "absent";
  if (reason.endsWith("BackOff")) return "backoff";
  if (STARTING.has(reason)) return "starting";
  return PATIENT.has(reason) ? "waiting" : "failed";
}

/** @type {Record<string, string>} */
const NODE_TONES = {
  pulling: "starting",
  creating: "starting",
  created: "starting",
  starting: "starting",
  running: "ready",
  stopping: "terminating",
  terminating: "terminating",
  backoff: "backoff",
  hung: "notready",
};

/**
 * Tone of a container on its node; `absent` means that nothing is drawn.
 * @param {string} state
 */
export function nodeTone(state) {
  return NODE_TONES[state] || (state.includes("backoff") ? "backoff" : "absent");
}

/** @type {Record<string, string>} */
const PHASE_TONES = { Pending: "waiting", Running: "ready", Succeeded: "succeeded", Failed: "failed", Unknown: "unknown" };

/** @param {string} phase */
export function phaseTone(phase) {
  return PHASE_TONES[phase] || "absent";
}

/**
 * Tone of a condition. DisruptionTarget is the one condition whose True is bad news.
 * @param {string} name
 * @param {string} status
 */
export function conditionTone(name, status) {
  if (status === "Unknown") return "unknown";
  if (status === "") return "absent";
  const good = name === "DisruptionTarget" ? "False" : "True";
  return status === good ? "ready" : "notready";
}
