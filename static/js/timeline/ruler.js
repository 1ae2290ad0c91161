// @ts-check
/** The time ruler: labelled ticks, the visitor's own acts as flags, and the handle of the playhead. */

import { firstMarkFrom } from "../lanes/lane-search.js";
import { Slot } from "./slots.js";
import { paintStretch } from "./stretch-paint.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */
/** @typedef {{ words: string, x0: number, x1: number, fill: string, ink: string }} Chip */

/**
 * @param {Pen} pen
 * @param {number} height
 * @param {{ t_ms: number, live: boolean, hover_ms: number | null, commands: any[], clock: any, stretch: { from_ms: number, to_ms: number } | null }} state
 */
export function paintRuler(pen, height, state) {
  const { context, palette, viewport } = pen;
  const slot = new Slot();
  const chips = chipsOf(pen, state).filter(({ x0, x1 }) => slot.claim(x0, x1));
  paintStretch(pen, state.stretch, height);
  paintTicks(pen, height, slot, state.clock);
  paintCommands(pen, height, state.commands);
  for (const chip of chips) drawChip(pen, chip, height);
  const x = viewport.xOf(state.t_ms);
  context.fillStyle = palette.surface.accent;
  context.fillRect(x - 1, height - 7, 2, 7);
}

/**
 * The moment shown, and the one under the pointer if there is room for both.
 * @param {Pen} pen
 * @param {{ t_ms: number, hover_ms: number | null, clock: any }} state
 * @returns {Chip[]} the more important first
 */
function chipsOf({ palette, viewport }, { t_ms, hover_ms, clock }) {
  const { surface } = palette;
  const chip = (/** @type {number} */ at_ms, /** @type {number} */ decimals, /** @type {string} */ fill, /** @type {string} */ ink) => {
    const words = clock.text(at_ms, decimals);
    const width = palette.measure(11, 650, words.replace(/\d/g, "0")) + 14;
    const x0 = Math.min(Math.max(2, viewport.xOf(at_ms) - width / 2), viewport.width - width - 2);
    return { words, x0, x1: x0 + width, fill, ink };
  };
  const x = viewport.xOf(t_ms);
  const shown = x < -40 || x > viewport.width + 40 ? [] : [chip(t_ms, Math.max(1, digits(viewport)), surface.accent, surface["accent-ink"])];
  return hover_ms === null ? shown : [...shown, chip(hover_ms, digits(viewport), surface["tl-grid-strong"], surface.text)];
}

/** @param {any} viewport */
function digits(viewport) {
  if (viewport.msPerPx < 2) return 3;
  return viewport.msPerPx < 200 ? 1 : 0;
}

/** @param {Pen} pen @param {number} height @param {Slot} slot  what is on the ruler already: labels keep clear of it @param {any} clock */
function paintTicks({ context, palette, viewport }, height, slot, clock) {
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
    const words = clock.text(t_ms, decimals);
    const end = x + 5 + palette.measure(11, 500, words);
    if (end <= viewport.width && slot.claim(x + 5, end)) context.fillText(words, x + 5, height / 2 + 1);
  }
}

/** @param {Pen} pen @param {number} height @param {any[]} commands */
function paintCommands({ context, palette, viewport }, height, commands) {
  for (let index = firstMarkFrom(commands, viewport.start_ms); index < commands.length; index += 1) {
    const x = viewport.xOf(commands[index].t);
    if (x > viewport.width) break;
    if (commands[index].isPart) continue;
    context.fillStyle = commands[index].type === "refused" ? palette.surface["tone-bad"] : palette.surface.accent;
    context.beginPath();
    context.moveTo(x - 5, height - 9);
    context.lineTo(x + 5, height - 9);
    context.lineTo(x, height - 1);
    context.closePath();
    context.fill();
  }
}

/** @param {Pen} pen @param {Chip} chip @param {number} height */
function drawChip({ context, palette }, { words, x0, x1, fill, ink }, height) {
  context.beginPath();
  context.roundRect(x0, 4, x1 - x0, height - 12, 5);
  context.fillStyle = fill;
  context.fill();
  context.fillStyle = ink;
  context.font = palette.font(11, 650);
  context.textAlign = "center";
  context.fillText(words, (x0 + x1) / 2, (height - 4) / 2 + 0.5);
}
