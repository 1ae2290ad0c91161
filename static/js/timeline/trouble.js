// @ts-check
/** How much trouble a pod is in, for sorting lanes by it. Pure. */

import { severity } from "../base/tones.js";
import { firstMarkFrom, spanAt } from "../lanes/lane-search.js";

/**
 * Higher is worse: first the worst state of the pod and its containers, then how often its containers failed, then its warnings.
 * @param {any} pod  PodLanes
 * @param {number} t_ms
 * @returns {number[]}
 */
export function troubleOf(pod, t_ms) {
  const status = spanAt(pod.status.spans, t_ms);
  if (!status || status.tone === "absent") return [-1, 0, 0];
  const containers = [...pod.containers.values()];
  const worst = Math.max(severity(status.tone), ...containers.map((lane) => severity(spanAt(lane.spans, t_ms)?.tone ?? "absent")));
  const exits = containers.flatMap((lane) => [...lane.endings.values()].filter((ending) => ending.t <= t_ms && ending.text !== "0")).length;
  const warnings = pod.events.marks.slice(0, firstMarkFrom(pod.events.marks, t_ms + 1)).filter((/** @type {any} */ mark) => mark.type === "Warning").length;
  return [worst, exits, warnings];
}

/**
 * Keys of pods, the most troubled first; equal ones stay in order of creation.
 * @param {any} lanes
 * @param {number} t_ms
 * @returns {string[]}
 */
export function orderByTrouble(lanes, t_ms) {
  const scored = [...lanes.pods.values()].map((pod) => ({ key: pod.key, score: troubleOf(pod, t_ms) }));
  scored.sort((a, b) => b.score[0] - a.score[0] || b.score[1] - a.score[1] || b.score[2] - a.score[2]);
  return scored.map(({ key }) => key);
}
