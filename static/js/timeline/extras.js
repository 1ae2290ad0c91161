// @ts-check
/** What lies over a container's bar: hooks as inner bars, signals as flags. */

import { firstEndingAfter, firstMarkFrom } from "../lane-search.js";
import { GLYPHS } from "../tones-table.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */
/** @typedef {{ y: number, h: number, size: number }} Box */

/**
 * Hooks that are on screen.
 * @param {Pen} pen
 * @param {any[]} hooks
 * @param {Box} box  of the container's bar
 */
export function drawHooks({ context, palette, viewport, end_ms }, hooks, { y, h, size }) {
  for (let index = firstEndingAfter(hooks, viewport.start_ms); index < hooks.length; index += 1) {
    const hook = hooks[index];
    if (hook.t0 > viewport.end_ms || hook.t0 > end_ms) break;
    const left = Math.max(-8, viewport.xOf(hook.t0)) + 1;
    const right = Math.min(viewport.width + 8, viewport.xOf(Math.min(hook.t1, end_ms))) - 1;
    const width = Math.max(3, right - left);
    const failed = hook.tone === "failed";
    context.beginPath();
    context.roundRect(left, y + 3, width, h - 6, Math.min(4, width / 2));
    context.fillStyle = palette.surface["tl-bg"];
    context.globalAlpha = 0.92;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.strokeStyle = failed ? palette.surface["tone-bad"] : palette.tones.starting.fill;
    context.stroke();
    context.font = palette.font(size, 600);
    const words = [failed ? `${GLYPHS.failed} ${hook.text}` : hook.text, hook.text].find((word) => palette.width(context, word) <= width - 8);
    if (!words) continue;
    context.fillStyle = palette.surface.text;
    context.textAlign = "left";
    context.fillText(words, Math.max(left, 0) + 5, y + h / 2 + 0.5);
  }
}

/**
 * Signals and acts: a pole at the instant, and its word where there is room before the next one.
 * @param {Pen} pen
 * @param {any[]} flags
 * @param {Box} box  of the container's bar
 * @returns {{ x0: number, x1: number, marks: any[] }[]} where each stands
 */
export function drawFlags({ context, palette, viewport, end_ms }, flags, { y, h, size }) {
  /** @type {{ x0: number, x1: number, marks: any[] }[]} */
  const drawn = [];
  for (let index = firstMarkFrom(flags, viewport.tOf(-80)); index < flags.length; index += 1) {
    const flag = flags[index];
    if (flag.t > viewport.end_ms || flag.t > end_ms) break;
    const x = Math.round(viewport.xOf(flag.t));
    const next = flags[index + 1] ? viewport.xOf(flags[index + 1].t) : Infinity;
    const { fill, ink } = flag.type === "Warning" ? palette.tones.failed : flag.type === "accepted" ? { fill: palette.surface.accent, ink: palette.surface["accent-ink"] } : palette.tones.terminating;
    context.fillStyle = fill;
    context.fillRect(x - 1, y - 3, 2, h + 5);
    context.font = palette.font(size, 700);
    const width = palette.width(context, flag.text) + 7;
    drawn.push({ x0: x - 4, x1: x + width > next ? x + 4 : x + width, marks: [flag] });
    if (x + width > next) continue;
    context.beginPath();
    context.roundRect(x - 1, y - 4, width, 11, [0, 3, 3, 0]);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = palette.surface["tl-bg"];
    context.stroke();
    context.fillStyle = ink;
    context.textAlign = "left";
    context.fillText(flag.text, x + 2.5, y + 2);
  }
  return drawn;
}
