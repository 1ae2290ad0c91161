// @ts-check
/** The time ruler: ticks with words, the visitor's own acts as flags, and the handle of the playhead. */

import { clockText } from "../format.js";
import { firstMarkFrom } from "../lane-search.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/**
 * @param {Pen} pen
 * @param {number} height
 * @param {{ t_ms: number, live: boolean, hover_ms: number | null, commands: any[] }} state
 */
export function paintRuler(pen, height, state) {
  paintTicks(pen, height);
  paintCommands(pen, height, state.commands);
  const { context, palette, viewport } = pen;
  if (state.hover_ms !== null && Math.abs(viewport.xOf(state.hover_ms) - viewport.xOf(state.t_ms)) > 60) {
    chip(pen, viewport.xOf(state.hover_ms), height, clockText(state.hover_ms, digits(viewport)), palette.surface["tl-grid-strong"], palette.surface.text);
  }
  const x = viewport.xOf(state.t_ms);
  if (x < -40 || x > viewport.width + 40) return;
  chip(pen, x, height, clockText(state.t_ms, Math.max(1, digits(viewport))), palette.surface.accent, palette.surface["accent-ink"]);
  context.fillStyle = palette.surface.accent;
  context.fillRect(x - 1, height - 7, 2, 7);
}

/** @param {any} viewport */
function digits(viewport) {
  if (viewport.msPerPx < 2) return 3;
  return viewport.msPerPx < 200 ? 1 : 0;
}

/** @param {Pen} pen @param {number} height */
function paintTicks({ context, palette, viewport }, height) {
  const { step_ms, major, minor } = viewport.ticks(92);
  context.fillStyle = palette.surface["tl-grid-strong"];
  for (const t_ms of minor) context.fillRect(Math.round(viewport.xOf(t_ms)), height - 5, 1, 5);
  context.font = palette.font(11, 500);
  context.textAlign = "left";
  const decimals = step_ms >= 1000 ? 0 : step_ms >= 100 ? 1 : step_ms >= 10 ? 2 : 3;
  for (const t_ms of major) {
    const x = Math.round(viewport.xOf(t_ms));
    context.fillStyle = palette.surface["border-strong"];
    context.fillRect(x, height - 10, 1, 10);
    context.fillStyle = palette.surface.muted;
    context.fillText(clockText(t_ms, decimals), x + 5, height / 2 + 1);
  }
}

/** @param {Pen} pen @param {number} height @param {any[]} commands */
function paintCommands({ context, palette, viewport }, height, commands) {
  for (let index = firstMarkFrom(commands, viewport.start_ms); index < commands.length; index += 1) {
    const x = viewport.xOf(commands[index].t);
    if (x > viewport.width) break;
    context.fillStyle = commands[index].type === "refused" ? palette.surface["tone-bad"] : palette.surface.accent;
    context.beginPath();
    context.moveTo(x - 5, height - 9);
    context.lineTo(x + 5, height - 9);
    context.lineTo(x, height - 1);
    context.closePath();
    context.fill();
  }
}

/** @param {Pen} pen @param {number} x @param {number} height @param {string} words @param {string} fill @param {string} ink */
function chip({ context, palette, viewport }, x, height, words, fill, ink) {
  context.font = palette.font(11, 650);
  const width = palette.width(context, words.replace(/\d/g, "0")) + 14;
  const left = Math.min(Math.max(2, x - width / 2), viewport.width - width - 2);
  context.beginPath();
  context.roundRect(left, 4, width, height - 12, 5);
  context.fillStyle = fill;
  context.fill();
  context.fillStyle = ink;
  context.textAlign = "center";
  context.fillText(words, left + width / 2, (height - 4) / 2 + 0.5);
}
