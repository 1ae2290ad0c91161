// @ts-check
/** Pinned lanes: they stand above all others and stay there while the others scroll, as far as they leave those room. Pure. */

import { addTexts, text } from "../base/i18n.js";
import { parseSubject, shortPod } from "../wire/record.js";
import { LANE_MESSAGES } from "./messages.js";

addTexts(LANE_MESSAGES);

/** So much of what can be seen may be taken by lanes that stay; the rest of the pinned ones scroll away with the others. */
const SHARE = 0.6;
/** Below the last lane that stays. */
const EDGE_PX = 4;

/**
 * Put the rows that stay where they are seen now.
 * @param {any[]} rows  pinned ones first
 * @param {number} top   scroll position
 * @param {number} room  height of what can be seen
 * @returns {number} how much of it the lanes take that stay, px
 */
export function stick(rows, top, room) {
  let taken = 0;
  for (const row of rows) {
    if (!row.isPinned) break;
    const end = row.rest_y + row.h + EDGE_PX;
    row.isStuck = end <= room * SHARE;
    // Written into the row, so that everything that asks where it is (pointer, painter, keys) is right without knowing of pins.
    row.y = row.rest_y + (row.isStuck ? top : 0);
    if (row.isStuck) taken = end;
  }
  return taken;
}

/** How many rows stay: they are the first ones. @param {any[]} rows */
export function stuckCount(rows) {
  let count = 0;
  while (rows[count]?.isStuck) count += 1;
  return count;
}

/** Where the lanes that stay end, in px from the beginning of all lanes; null where none does. @param {any[]} rows */
export function stuckEnd(rows) {
  const last = rows[stuckCount(rows) - 1];
  return last ? last.y + last.h + EDGE_PX : null;
}

/** Whether lanes that stay lie over a row now. @param {any[]} rows  all of them @param {any} row */
export function isCovered(rows, row) {
  const end = stuckEnd(rows);
  return end !== null && !row.isStuck && row.y + row.h / 2 < end;
}

/**
 * Draw the rows that scroll, then those that stay; neither reaches into the other.
 * @param {CanvasRenderingContext2D} context
 * @param {any[]} rows  on screen
 * @param {{ top: number, width: number, height: number }} area
 * @param {(rows: any[], top: number, height: number) => void} draw
 */
export function inParts(context, rows, { top, width, height }, draw) {
  const end = stuckEnd(rows);
  if (end === null) {
    draw(rows, top, height);
    return;
  }
  const count = stuckCount(rows);
  for (const part of [{ rows: rows.slice(count), top: end, height: Math.max(0, top + height - end) }, { rows: rows.slice(0, count), top, height: end - top }]) {
    context.save();
    context.beginPath();
    context.rect(0, part.top, width, part.height);
    context.clip();
    draw(part.rows, part.top, part.height);
    context.restore();
  }
}

/** Whose lane it is, where its name alone does not say so. @param {any} lane */
export function ownerOf(lane) {
  const { container } = parseSubject(lane.subject);
  if (lane.kind === "status" || lane.kind === "node" || lane.kind === "workload") return "";
  if (lane.pod) return lane.kind === "probe" ? `${shortPod(lane.pod)} ▸ ${container}` : shortPod(lane.pod);
  if (lane.subject.startsWith("node/")) return lane.subject.slice(5);
  return lane.kind === "requests" && lane.group !== "Service" ? (lane.subject.split("/")[2] ?? "") : "";
}

/** The name of a lane where it stands alone. @param {any} lane @param {string} name  its own */
export function wholeName(lane, name) {
  const owner = ownerOf(lane);
  return owner ? `${owner} ▸ ${name}` : name;
}

/** @param {string} words @param {{ isPinned?: boolean }} row */
export function saidOf(words, { isPinned }) {
  return isPinned ? text("pins.said", { lane: words }) : words;
}
