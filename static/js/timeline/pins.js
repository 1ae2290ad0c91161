// @ts-check
/** Pinned lanes: they are above all others and stay there while the others scroll, as long as enough room is left. Pure. */

import { addTexts, text } from "../base/i18n.js";
import { parseSubject, shortPod } from "../wire/record.js";
import { LANE_MESSAGES } from "./messages.js";

addTexts(LANE_MESSAGES);

/** The share of the visible height that lanes may take and stay; further pinned ones scroll away with the others. */
const SHARE = 0.6;
/** Gap below the last lane that stays. */
const EDGE_PX = 4;

/**
 * Move the rows that stay to where they are visible now.
 * @param {any[]} rows  pinned ones first
 * @param {number} top   scroll position
 * @param {number} room  visible height
 * @returns {number} how much of it is taken by the lanes that stay, px
 */
export function stick(rows, top, room) {
  let taken = 0;
  for (const row of rows) {
    if (!row.isPinned) break;
    const end = row.rest_y + row.h + EDGE_PX;
    row.isStuck = end <= room * SHARE;
    // Written into the row, so that whatever asks for its position (pointer, painter, keys) is right without knowing about pins.
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

/** Lower edge of the lanes that stay, in px from the top of all lanes; null if none stays. @param {any[]} rows */
export function stuckEnd(rows) {
  const last = rows[stuckCount(rows) - 1];
  return last ? last.y + last.h + EDGE_PX : null;
}

/** Whether lanes that stay cover a row now. @param {any[]} rows  all of them @param {any} row */
export function isCovered(rows, row) {
  const end = stuckEnd(rows);
  return end !== null && !row.isStuck && row.y + row.h / 2 < end;
}

/**
 * Draw the rows that scroll, then those that stay, clipped against each other.
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

/** The owner of a lane, if its name alone does not say so. @param {any} lane */
export function ownerOf(lane) {
  const { container } = parseSubject(lane.subject);
  if (lane.kind === "status" || lane.kind === "node" || lane.kind === "workload") return "";
  if (lane.pod) return lane.kind === "probe" ? `${shortPod(lane.pod)} ▸ ${container}` : shortPod(lane.pod);
  if (lane.subject.startsWith("node/")) return lane.subject.slice(5);
  return lane.kind === "requests" && lane.group !== "Service" ? (lane.subject.split("/")[2] ?? "") : "";
}

/** The name of a lane when it is shown on its own. @param {any} lane @param {string} name  its own */
export function wholeName(lane, name) {
  const owner = ownerOf(lane);
  return owner ? `${owner} ▸ ${name}` : name;
}

/** @param {string} words @param {{ isPinned?: boolean }} row */
export function saidOf(words, { isPinned }) {
  return isPinned ? text("pins.said", { lane: words }) : words;
}
