// @ts-check
/** The old future of a branch as thin lanes below the new one, and the point where they part. */

import { text } from "../i18n.js";
import { firstEndingAfter } from "../lane-search.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

const KINDS = new Set(["status", "container", "phase"]);
const HEIGHT = 4;

/**
 * @param {Pen} pen
 * @param {any[]} rows  on screen
 * @param {{ store: any, from_ms: number }} ghost
 */
export function paintGhosts({ context, palette, viewport }, rows, { store, from_ms }) {
  const begin = viewport.xOf(from_ms);
  context.save();
  context.globalAlpha = 0.6;
  for (const row of rows) {
    const lane = KINDS.has(row.lane.kind) ? store.lanes.byId.get(row.lane.id) : null;
    if (!lane) continue;
    for (let index = firstEndingAfter(lane.spans, Math.max(from_ms, viewport.start_ms)); index < lane.spans.length; index += 1) {
      const span = lane.spans[index];
      if (span.t0 > viewport.end_ms) break;
      const x0 = Math.max(begin, viewport.xOf(span.t0), -4);
      const x1 = Math.min(viewport.xOf(Math.min(span.t1, store.head_ms)), viewport.width + 4);
      if (span.tone === "absent" || x1 - x0 < 1) continue;
      context.fillStyle = palette.tones[span.tone].fill;
      context.fillRect(x0, row.y + row.h - HEIGHT, x1 - x0 - 0.5, HEIGHT - 1);
    }
  }
  context.restore();
}

/**
 * The line at which the branch begins, with its name.
 * @param {Pen} pen
 * @param {number} from_ms
 * @param {number} height
 */
export function paintBranchPoint({ context, palette, viewport }, from_ms, height) {
  const x = Math.round(viewport.xOf(from_ms));
  if (x < -2 || x > viewport.width + 2) return;
  context.save();
  context.setLineDash([2, 3]);
  context.lineWidth = 1.5;
  context.strokeStyle = palette.surface.accent;
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, height);
  context.stroke();
  context.restore();
  const words = text("branch.point");
  context.font = palette.font(10.5, 600);
  const width = palette.width(context, words) + 10;
  context.fillStyle = palette.surface.accent;
  context.fillRect(x, height - 18, width, 16);
  context.fillStyle = palette.surface["accent-ink"];
  context.textAlign = "left";
  context.fillText(words, x + 5, height - 9.5);
}
