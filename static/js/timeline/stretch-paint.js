// @ts-check
/** The selected stretch of time, drawn over the lanes and the ruler. */

/**
 * Draw the stretch over the lanes.
 * @param {{ context: CanvasRenderingContext2D, palette: any, viewport: any }} pen
 * @param {{ from_ms: number, to_ms: number } | null} chosen
 * @param {number} height
 */
export function paintStretch({ context, palette, viewport }, chosen, height) {
  if (!chosen) return;
  const x0 = Math.max(-2, viewport.xOf(chosen.from_ms));
  const x1 = Math.min(viewport.width + 2, viewport.xOf(chosen.to_ms));
  if (x1 < 0 || x0 > viewport.width) return;
  context.fillStyle = palette.surface.accent;
  context.globalAlpha = 0.1;
  context.fillRect(x0, 0, x1 - x0, height);
  context.globalAlpha = 1;
  for (const x of [x0, x1]) context.fillRect(Math.round(x) - 0.5, 0, 1, height);
}
