import { SvgContext } from "../../static/js/timeline/svg-context.js";
import { Viewport } from "../../static/js/timeline/viewport.js";

const named = (look) => new Proxy({}, { get: (_, name) => look(String(name)) });

/** A pen for painters: one ms per pixel from 0 on, six pixels per letter, and colours named after their purpose. */
export function pen({ end_ms = 1000, width = 1000, ...more } = {}) {
  const viewport = new Viewport();
  viewport.width = width;
  viewport.show(0, width);
  const measure = (_size, _weight, words) => words.length * 6;
  const palette = {
    surface: named((name) => name),
    tones: named((tone) => ({ fill: tone, ink: `${tone}-ink` })),
    results: { success: "success", failure: "failure", error: "error", timeout: "timeout", suppressed: "suppressed" },
    edge: "edge",
    outlined: false,
    scale: 1,
    font: (size, weight) => `${weight} ${size}px sans-serif`,
    measure,
    width: (_context, words) => words.length * 6,
    pattern: (_context, tone) => (tone === "inferred" || tone === "unknown" ? `${tone}-pattern` : null),
  };
  return { context: new SvgContext((colour) => colour), palette, viewport, end_ms, ...more };
}

/** The screen's properties for the layout, as for the pen. @param {object} [more] */
export function room(more) {
  const { viewport, end_ms, palette } = pen(more);
  return { viewport, end_ms, measure: palette.measure };
}

/**
 * What has been drawn, as one string each: `rect x y width height colour`, `fill path colour`, `line path colour`, `words x colour`;
 * followed by the opacity and the dashes, if there are any.
 */
export function drawn({ context }) {
  return context.parts.map((part) => {
    const of = (name) => new RegExp(` ${name}="([^"]*)"`).exec(part)?.[1];
    const isLine = part.includes(' fill="none"');
    const colour = isLine ? of("stroke") : of("fill");
    const opacity = of("fill-opacity") ?? of("stroke-opacity");
    const tail = `${opacity ? ` @${opacity}` : ""}${of("stroke-dasharray") ? ` ~${of("stroke-dasharray")}` : ""}`;
    if (part.includes("<text")) return `${/>([^<>]*)<\/text>/.exec(part)[1]} ${of("x")} ${colour}${tail}`;
    if (part.includes("<rect")) return `${isLine ? "frame" : "rect"} ${of("x")} ${of("y")} ${of("width")} ${of("height")} ${colour}${tail}`;
    return `${isLine ? "line" : "fill"} ${of("d")} ${colour}${tail}`;
  });
}
