// @ts-check
/** From API words to tones (the colour tokens `--st-<tone>`), using the server's tables, and the order of severity used when spans are
 * merged. */

import { GLYPHS, MACHINES, PROBE_RESULTS, STATUS_WORDS, TRUE_IS_BAD, WAITING_REASONS } from "./tones-table.js";

/**
 * Each entry's rank in a table that is ordered from best to worst.
 * @param {Record<string, string>} table
 * @returns {Record<string, number>}
 */
const ranks = (table) => Object.fromEntries(Object.keys(table).map((name, index) => [name, index]));

const SEVERITY = ranks(GLYPHS);

/** Rank of a tone between absent and the worst. @param {string} tone */
export function severity(tone) {
  return SEVERITY[tone] ?? 0;
}

/**
 * The worse of two tones.
 * @param {string} a
 * @param {string} b
 */
export function worse(a, b) {
  return (SEVERITY[b] ?? 0) > (SEVERITY[a] ?? 0) ? b : a;
}

export const RESULT_SEVERITY = ranks(PROBE_RESULTS);

/**
 * Tone of a container as the API states it.
 * @param {string} state  waiting | running | terminated | absent
 * @param {Record<string, any>} data
 */
export function containerTone(state, data) {
  const reason = String(data.reason || "");
  if (state === "running") return data.ready ? "ready" : "notready";
  if (state === "terminated") return Number(data.exit_code) === 0 && reason !== "OOMKilled" ? "succeeded" : "failed";
  if (state !== "waiting") return state === "unknown" ? "unknown" : "absent";
  // kubectl would print an unknown waiting reason, and it means trouble more often than not.
  return WAITING_REASONS[reason] ?? "failed";
}

/**
 * Tone of a pod by its STATUS word and its record's other data. The server's `status_tone` does the same; tests/web/status-tones.json keeps
 * the two in step. Records of revisions before 7 carry their tone themselves.
 * @param {string} word
 * @param {Record<string, any>} data
 */
export function statusTone(word, data) {
  if (data.tone) return String(data.tone);
  if (!word) return "absent";
  if (data.deleting) return "terminating";
  if (word === "Running") return data.pod_ready ? "ready" : "notready";
  if ((word === "Pending" || word === "SchedulingGated") && !data.scheduled) return "waiting";
  if (/^Init:\d/.test(word)) return "starting";
  return STATUS_WORDS[word.replace(/^Init:/, "")] ?? "failed";
}

/** States in which a container has no process and nothing is being done to it: nothing is drawn. */
const IDLE = new Set(["waiting", "exited"]);

/**
 * Tone of a container on its node; `absent` means that nothing is drawn.
 * @param {string} state
 */
export function nodeTone(state) {
  return IDLE.has(state) ? "absent" : (MACHINES.container[state] ?? "absent");
}

/** @param {string} phase */
export function phaseTone(phase) {
  return MACHINES.phase[phase] ?? "absent";
}

/** @type {Record<string, string>} */
const OPPOSITE = { True: "False", False: "True" };

/**
 * Tone of a condition.
 * @param {string} name
 * @param {string} status
 */
export function conditionTone(name, status) {
  const known = TRUE_IS_BAD.includes(name) ? (OPPOSITE[status] ?? status) : status;
  return MACHINES.condition[known] ?? "absent";
}
