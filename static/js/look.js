// @ts-check
/** How the lanes are looked at, as addresses carry it: the stretch of time, which pods are folded, whose conditions are open. */

/** @typedef {{ v: string, fold: string, open: string }} Look */

/**
 * @param {any} timeline
 * @returns {Look}
 */
export function lookOf(timeline) {
  if (!timeline) return { v: "", fold: "", open: "" };
  const { viewport, view } = timeline;
  return { v: viewport.range().replace(":", "_"), fold: [...view.collapsed].join(","), open: [...view.open].join(",") };
}

/**
 * Look as the address says. False where it says nothing about the stretch of time.
 * @param {any} timeline
 * @param {string} search  of the address
 */
export function applyLook(timeline, search) {
  const query = new URLSearchParams(search);
  for (const pod of words(query.get("fold"))) timeline.view.collapsed.add(pod);
  for (const pod of words(query.get("open"))) timeline.view.open.add(pod);
  const [, from, to] = /^(-?\d{1,12})_(\d{1,12})$/.exec(query.get("v") || "") ?? [];
  if (!to || Number(to) <= Number(from)) return false;
  timeline.viewport.show(Number(from), Number(to));
  timeline.invalidate();
  return true;
}

/** @param {string | null} list */
function words(list) {
  return (list || "").split(",").filter(Boolean);
}
