// @ts-check
/** Pods that are gone at a given moment: no longer in the API, and nothing of theirs runs on a node. Pure. */

import { spanAt } from "./lane-search.js";

const ALIVE = new Set(["running", "stopping"]);

/** @param {any} pod  PodLanes @param {number} t_ms */
export function isGone(pod, t_ms) {
  if (spanAt(pod.status.spans, t_ms)?.tone !== "absent") return false;
  return [...pod.containers.values()].every(({ node }) => !ALIVE.has(spanAt(node, t_ms)?.text ?? ""));
}

/** How many of ascending moments have passed; this changes only when a pod goes, comes back, or ends on its node. @param {number[]} moments
 * @param {number} t_ms */
export function passed(moments, t_ms) {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle] <= t_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
