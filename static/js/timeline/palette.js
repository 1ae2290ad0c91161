// @ts-check
/** Colours, fonts and patterns of the canvas, read from the CSS tokens so that the two always agree. */

import { textScale } from "../base/dom.js";
import { GLYPHS, PROBE_RESULTS } from "../base/tones-table.js";

const SURFACE = ["text", "muted", "faint", "accent", "accent-ink", "border", "border-strong", "panel", "veil", "tl-bg", "tl-row", "tl-grid", "tl-grid-strong", "tl-future", "raised", "tone-warn", "tone-bad"];
const TILE = 8;

export class Palette {
  constructor() {
    /** @type {Record<string, string>} */
    this.surface = {};
    /** @type {Record<string, { fill: string, ink: string }>} */
    this.tones = {};
    /** @type {Record<string, string>} */
    this.results = {};
    /** @type {Map<string, CanvasPattern | null>} */
    this.patterns = new Map();
    /** @type {Map<string, number>} */
    this.widths = new Map();
    /** Measures texts; nothing is drawn on it. */
    this.ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    this.edge = "";
    this.outlined = false;
    this.family = "sans-serif";
    /** How many times as large as the default the reader's text is. */
    this.scale = 1;
    this.isRead = false;
  }

  /** Read the tokens unless they are known. Forces a style computation, so call it where nothing has changed since the last one. */
  need() {
    if (!this.isRead) this.read();
  }

  /** Read the tokens again, after a change of theme. */
  read() {
    this.isRead = true;
    const style = getComputedStyle(document.documentElement);
    const token = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    for (const name of SURFACE) this.surface[name] = token(name);
    for (const tone of Object.keys(GLYPHS)) this.tones[tone] = { fill: token(`st-${tone}`), ink: token(`st-${tone}-ink`) };
    for (const result of Object.keys(PROBE_RESULTS)) this.results[result] = token(`probe-${result}`);
    this.edge = token("st-notready-edge");
    // In forced-colours mode, fills can't be told from the background: outlines mark the bars.
    this.outlined = matchMedia("(forced-colors: active)").matches;
    this.family = style.fontFamily || "sans-serif";
    this.scale = textScale();
    this.patterns.clear();
    this.widths.clear();
  }

  /** @param {number} size @param {number} [weight] */
  font(size, weight = 600) {
    return `${weight} ${size * this.scale}px ${this.family}`;
  }

  /**
   * Width of a text in px, independent of the context; cached.
   * @param {number} size
   * @param {number} weight
   * @param {string} words
   */
  measure(size, weight, words) {
    const key = `${weight} ${size}|${words}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      this.ruler.font = this.font(size, weight);
      width = this.ruler.measureText(words).width;
      // There is no end of labels with clock times in them; measuring the rest again costs little.
      if (this.widths.size > 4000) this.widths.clear();
      this.widths.set(key, width);
    }
    return width;
  }

  /**
   * Width of a text in the context's font; cached.
   * @param {CanvasRenderingContext2D} context
   * @param {string} words
   */
  width(context, words) {
    const key = `${context.font}|${words}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      width = context.measureText(words).width;
      if (this.widths.size > 4000) this.widths.clear();
      this.widths.set(key, width);
    }
    return width;
  }

  /**
   * The pattern laid over a tone's fill, fixed to the point (x, y) so that it travels with its span.
   * @param {CanvasRenderingContext2D} context
   * @param {string} tone  a tone, or `future`
   * @param {number} x
   * @param {number} y
   */
  pattern(context, tone, x, y) {
    // A drawing that is not made of pixels has patterns of its own.
    if ("patternOf" in context) return /** @type {any} */ (context).patternOf(tone, x, y, PATTERNS[tone], this.patternColour(tone));
    let pattern = this.patterns.get(tone);
    if (pattern === undefined) {
      pattern = this.makePattern(context, tone);
      this.patterns.set(tone, pattern);
    }
    // Half size: tiles are drawn at twice their size, to be sharp on dense screens.
    pattern?.setTransform(new DOMMatrix([0.5, 0, 0, 0.5, Math.round(x), Math.round(y)]));
    return pattern;
  }

  /** @param {string} tone */
  patternColour(tone) {
    return tone === "future" ? this.surface["tl-future"] : tone === "inferred" ? this.surface["tl-bg"] : this.tones[tone].ink;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} tone
   */
  makePattern(context, tone) {
    const draw = PATTERNS[tone];
    if (!draw) return null;
    const tile = document.createElement("canvas");
    tile.width = TILE * 2;
    tile.height = TILE * 2;
    const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
    pen.scale(2, 2);
    const colour = this.patternColour(tone);
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    draw(pen);
    return context.createPattern(tile, "repeat");
  }
}

/** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} alpha */
function diagonal(pen, width, alpha) {
  pen.globalAlpha = alpha;
  pen.lineWidth = width;
  pen.beginPath();
  for (const shift of [-TILE, 0, TILE]) {
    pen.moveTo(shift - 2, TILE + 2);
    pen.lineTo(shift + TILE + 2, -2);
  }
  pen.stroke();
}

/** Against the direction of the others, so that it shows on top of them. */
function counterDiagonal(/** @type {CanvasRenderingContext2D} */ pen) {
  pen.save();
  pen.translate(TILE, 0);
  pen.scale(-1, 1);
  diagonal(pen, 1.2, 0.55);
  pen.restore();
}

/** @type {Record<string, (pen: CanvasRenderingContext2D) => void>} one tile of 8 × 8 each */
const PATTERNS = {
  waiting: (pen) => {
    pen.globalAlpha = 0.42;
    for (const [x, y] of [[2, 2], [6, 6]]) {
      pen.beginPath();
      pen.arc(x, y, 0.9, 0, 7);
      pen.fill();
    }
  },
  starting: (pen) => diagonal(pen, 1, 0.3),
  backoff: (pen) => diagonal(pen, 2.4, 0.26),
  unknown: (pen) => {
    pen.globalAlpha = 0.16;
    pen.fillRect(0, 0, TILE / 2, TILE / 2);
    pen.fillRect(TILE / 2, TILE / 2, TILE / 2, TILE / 2);
  },
  future: (pen) => diagonal(pen, 1, 1),
  inferred: (pen) => counterDiagonal(pen),
};
