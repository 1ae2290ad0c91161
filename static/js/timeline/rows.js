// @ts-check
/** Which lanes are shown, in which order and how high. */

import { stuckCount, stuckEnd } from "./pins.js";

/**
 * @typedef {object} Row
 * @property {any} lane
 * @property {any} pod       lanes of the pod it belongs to
 * @property {number} y
 * @property {number} h
 * @property {number} depth  1 pod, 2 its parts, 3 parts of parts
 * @property {number} hidden number of conditions folded away, on the Ready row
 * @property {any} old       the lane's old continuation, if it differs from the branch's; else null
 * @property {number} old_h  px of `h` that belong to `old`, at the lower edge
 * @property {boolean} isPinned  whether it is above all others
 * @property {boolean} isTwin    whether the lane is also shown above all others
 * @property {number} rest_y     its position when nothing is scrolled
 * @property {boolean} isStuck   whether it stays there while the others scroll
 * @property {boolean} isOld whether only the old future has this lane
 */

/** @type {Record<string, number>} */
const HEIGHTS = { status: 34, phase: 20, condition: 20, container: 36, probe: 24, events: 26, node: 28, part: 20, workload: 26, requests: 24, logs: 22, endpoint: 20 };
/** For readers who want more lanes on screen, or larger ones. @type {Record<string, Record<string, number>>} */
const BY_DENSITY = {
  close: { status: 33, phase: 17, condition: 17, container: 35, probe: 19, events: 22, node: 26, part: 17, workload: 22, requests: 20, logs: 19, endpoint: 17 },
  wide: { status: 46, phase: 28, condition: 28, container: 50, probe: 34, events: 36, node: 38, part: 28, workload: 36, requests: 34, logs: 32, endpoint: 28 },
};
/** No row on a small screen is lower than a finger needs. */
const TOUCH_PX = 24;
/** The lower half of a lane that is split. */
const OLD_PX = 18;
/** A pinned lane has a line for the name of its pod. */
const PIN_PX = 34;
const POD_GAP = 10;
/** The line above the pods that are gone is a button. */
const FOLD_PX = 6;
const CLOSE_GAP = 3;
/** Below the last lane, the names of the two futures have a line of their own. */
const NAMES_PX = 20;
const CONDITIONS = ["PodScheduled", "PodHasNetwork", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"];
const PROBES = ["startup", "liveness", "readiness"];
/** @type {Record<string, number>} */
const GROUPS = { init: 0, sidecar: 0, app: 1, ephemeral: 2 };

/** @param {string} kind @param {View} view */
function heightOf(kind, { compact, density, scale = 1 }) {
  const wanted = (BY_DENSITY[density] ?? HEIGHTS)[kind] * scale;
  return compact ? Math.max(TOUCH_PX, wanted) : wanted;
}

/**
 * @typedef {object} View
 * @property {(key: string) => boolean} isFolded  pods, Services and nodes
 * @property {Set<string>} open       pods with all conditions shown
 * @property {(container: any) => any} [logsOf]  the lane of a container's output, if it is shown
 * @property {any} [more]  the FoldedLanes, once there are any
 * @property {boolean} compact    for a small screen
 * @property {string} density     `close` or `wide`; anything else is the default
 * @property {number} [scale]  how many times as large as the default the reader's text is
 * @property {string[]} pins  lanes shown above all others
 * @property {{ pods: Set<string>, others: Set<string> } | null} only  what a search leaves; null: everything
 * @property {any} futures  the Futures of a branch, if its old one is shown; else null
 * @property {Set<string>} [gone]  keys of pods that are listed below the others
 * @property {boolean} [isGoneOpen]  whether their lanes are shown
 * @property {string[] | null} order  keys of pods in the order wanted; null: in order of creation
 */

/**
 * @param {any} lanes  the LaneSet
 * @param {View} view
 * @returns {{ rows: Row[], height: number, fold: { y: number, h: number, count: number } | null }} `fold` is the line above the pods that are gone
 */
export function buildRows(lanes, view) {
  /** @type {Row[]} */
  const rows = [];
  const scale = view.scale ?? 1;
  let y = 4;
  const gap = view.density === "close" ? CLOSE_GAP : POD_GAP;
  const put = (/** @type {any} */ pod, /** @type {{ lane: any, depth: number, hidden?: number, isPinned?: boolean }} */ { lane, depth, hidden = 0, isPinned = false }) => {
    const old = view.futures?.oldOf(lane) ?? null;
    const old_h = old ? (view.compact ? TOUCH_PX : OLD_PX) * scale : 0;
    const h = Math.max(isPinned ? PIN_PX * scale : 0, heightOf(lane.kind, view)) + old_h;
    // A pinned lane also stays in its place: its pod would have a gap otherwise.
    const isTwin = !isPinned && view.pins.includes(lane.id);
    rows.push({ lane, pod, y, rest_y: y, h, depth, hidden, old, old_h, isPinned, isTwin, isStuck: false, isOld: view.futures?.isOld(lane) ?? false });
    y += h;
  };
  for (const lane of lanesPinned(lanes, view)) put({ key: lane.pod || lane.subject }, { lane, depth: 1, isPinned: true });
  if (rows.length) y += gap;
  const pinned = rows.length;
  const shows = (/** @type {string} */ key) => !view.only || view.only.others.has(key);
  for (const lane of lanes.workloads.values()) if (shows(lane.subject)) put({ key: lane.subject }, { lane, depth: 1 });
  for (const service of lanes.services.values()) {
    if (!shows(service.key)) continue;
    const members = view.isFolded(service.key) ? [] : service.members();
    for (const lane of [service.head, ...members]) put(service, { lane, depth: lane === service.head ? 1 : 2 });
  }
  if (rows.length > pinned) y += gap;
  const putPod = (/** @type {any} */ pod) => {
    for (const row of lanesOf(pod, view)) put(pod, row);
    y += view.isFolded(pod.key) ? 0 : gap;
  };
  const { gone = new Set(), isGoneOpen } = view;
  const pods = podsShown(lanes, view);
  for (const pod of pods) if (!gone.has(pod.key)) putPod(pod);
  const fold = gone.size ? { y, h: heightOf("phase", view) + FOLD_PX, count: gone.size } : null;
  if (fold) y += fold.h;
  if (isGoneOpen) for (const pod of pods) if (gone.has(pod.key)) putPod(pod);
  if (fold) y += gap;
  for (const node of lanes.nodes.values()) if (shows(node.key)) for (const row of lanesOfNode(node, view)) put(node, row);
  return { rows, height: y + (view.futures ? NAMES_PX : 0), fold };
}

/** The pinned lanes, including those that a search or a fold hides. @param {any} lanes @param {View} view @returns {any[]} */
function lanesPinned(lanes, { pins, futures }) {
  return pins.map((id) => lanes.byId.get(id) ?? futures?.lane(id)).filter(Boolean);
}

/** @param {any} lanes @param {View} view @returns {any[]} */
function podsShown(lanes, { only, order, futures }) {
  const pods = futures?.podsOf(lanes) ?? lanes.pods;
  // Pods that came after the lanes were sorted go at the end, where they move no other row.
  const keys = order ? [...new Set([...order, ...pods.keys()])] : [...pods.keys()];
  return keys.filter((key) => !only || only.pods.has(key)).map((key) => pods.get(key)).filter(Boolean);
}

/**
 * @param {any} pod
 * @param {View} view
 * @returns {{ lane: any, depth: number, hidden?: number }[]}
 */
function lanesOf(pod, view) {
  const head = [{ lane: pod.status, depth: 1 }];
  if (view.isFolded(pod.key)) return head;
  const phase = [{ lane: pod.phase, depth: 2 }];
  const events = [{ lane: pod.events, depth: 2 }];
  const isOpen = view.open.has(pod.key);
  const endpoints = isOpen && view.more ? view.more.endpointsOf(pod.key) : [];
  return [...head, ...phase, ...conditionLanes(pod, isOpen), ...endpoints.map((/** @type {any} */ lane) => ({ lane, depth: 3 })), ...containerLanes(pod, view), ...events];
}

/**
 * The lanes of a node; none if nothing has happened to it.
 * @param {any} node
 * @param {{ isFolded: (key: string) => boolean }} view
 * @returns {{ lane: any, depth: number }[]}
 */
function lanesOfNode(node, view) {
  if (!node.noteworthy) return [];
  const head = [{ lane: node.status, depth: 1 }];
  if (view.isFolded(node.key)) return head;
  return [...head, ...[...node.parts.values()].map((lane) => ({ lane, depth: 2 })), { lane: node.events, depth: 2 }];
}

/**
 * @param {any} pod
 * @param {boolean} all
 */
function conditionLanes(pod, all) {
  const lanes = [...pod.conditions.values()].sort((a, b) => conditionPlace(a) - conditionPlace(b));
  if (all) return lanes.map((lane) => ({ lane, depth: lane.name === "Ready" ? 2 : 3 })).sort((a, b) => a.depth - b.depth);
  const ready = lanes.find((lane) => lane.name === "Ready");
  return ready ? [{ lane: ready, depth: 2, hidden: lanes.length - 1 }] : [];
}

/** @param {any} lane */
function conditionPlace(lane) {
  const place = CONDITIONS.indexOf(lane.name);
  return place < 0 ? CONDITIONS.length : place;
}

/** @param {any} pod @param {View} view */
function containerLanes(pod, view) {
  const containers = [...pod.containers.values()].sort((a, b) => (GROUPS[a.group] ?? 1) - (GROUPS[b.group] ?? 1));
  return containers.flatMap((lane) => {
    const prefix = `probe/${lane.subject.slice("container/".length)}/`;
    const probes = [...pod.probes.values()].filter((probe) => probe.subject.startsWith(prefix));
    probes.sort((a, b) => PROBES.indexOf(a.name) - PROBES.indexOf(b.name));
    const logs = view.logsOf?.(lane);
    return [{ lane, depth: 2 }, ...(logs ? [{ lane: logs, depth: 3 }] : []), ...probes.map((probe) => ({ lane: probe, depth: 3 }))];
  });
}

/**
 * Rows that overlap the stretch from `top` to `bottom`, after those that stay at its top.
 * @param {Row[]} rows
 * @param {number} top
 * @param {number} bottom
 */
export function visibleRows(rows, top, bottom) {
  // Rows that stay are out of the order of y, so they are excluded from the search and put in front.
  const stuck = stuckCount(rows);
  let low = stuck;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].y + rows[middle].h <= top) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rows.length && rows[end].y < bottom) end += 1;
  return stuck ? [...rows.slice(0, stuck), ...rows.slice(low, end)] : rows.slice(low, end);
}

/**
 * @param {Row[]} rows
 * @param {number} y
 * @returns {Row | null}
 */
export function rowAt(rows, y) {
  const found = visibleRows(rows, y, y + 1).find((row) => row.y <= y && y < row.y + row.h) ?? null;
  return found && !found.isStuck && y < (stuckEnd(rows) ?? y) ? null : found;
}
