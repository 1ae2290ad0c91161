// @ts-check
/** A drawing context that writes SVG: the part of the canvas interface that the painters use, as elements. Pure except for reading colours. */

/** @typedef {{ transform: string, clip: string, fillStyle: any, strokeStyle: any, lineWidth: number, lineCap: string, lineJoin: string, globalAlpha: number, font: string, textAlign: string, dash: number[] }} State */

/** How far below the middle of a line of text its baseline is, as a fraction of the font size. */
const MIDDLE = 0.35;
/** Tiles of patterns are 8 px wide and high. */
const TILE = 8;
/** @type {Record<string, string>} */
const ANCHORS = { left: "start", center: "middle", right: "end" };

export class SvgContext {
  /** @param {(colour: string) => string} colourOf  any CSS colour as `#rrggbb` or `rgba(r, g, b, a)` */
  constructor(colourOf) {
    this.colourOf = colourOf;
    /** @type {string[]} */
    this.parts = [];
    /** @type {Map<string, string>} markup by id */
    this.defs = new Map();
    /** @type {State[]} */
    this.kept = [];
    this.path = "";
    this.textBaseline = "middle";
    this.transform = "";
    this.clipId = "";
    /** @type {any} */
    this.fillStyle = "#000000";
    /** @type {any} */
    this.strokeStyle = "#000000";
    this.lineWidth = 1;
    this.lineCap = "butt";
    this.lineJoin = "miter";
    this.globalAlpha = 1;
    this.font = "10px sans-serif";
    this.textAlign = "left";
    /** @type {number[]} */
    this.dash = [];
  }

  save() {
    const { transform, clipId: clip, fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, dash } = this;
    this.kept.push({ transform, clip, fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, dash });
  }

  restore() {
    const state = this.kept.pop();
    if (!state) return;
    const { clip, ...rest } = state;
    Object.assign(this, rest, { clipId: clip });
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.transform += `translate(${n(x)} ${n(y)})`;
  }

  /** @param {number} x @param {number} y */
  scale(x, y) {
    this.transform += `scale(${n(x)} ${n(y)})`;
  }

  beginPath() {
    this.path = "";
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${n(x)} ${n(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `L${n(x)} ${n(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.path += `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}Z`;
  }

  /** Whole circles only: the painters draw no other arcs. @param {number} x @param {number} y @param {number} r */
  arc(x, y, r) {
    this.path += `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0Z`;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {number | number[]} radii  one, or one per corner, clockwise from the upper left */
  roundRect(x, y, width, height, radii) {
    const [a, b, c, d] = (Array.isArray(radii) ? radii : [radii, radii, radii, radii]).map((r) => Math.max(0, Math.min(r, width / 2, height / 2)));
    const corner = (/** @type {number} */ r, /** @type {number} */ dx, /** @type {number} */ dy) => (r ? `a${n(r)} ${n(r)} 0 0 1 ${n(dx * r)} ${n(dy * r)}` : "");
    this.path += `M${n(x + a)} ${n(y)}h${n(width - a - b)}${corner(b, 1, 1)}v${n(height - b - c)}${corner(c, -1, 1)}h${n(-(width - c - d))}${corner(d, -1, -1)}v${n(-(height - d - a))}${corner(a, 1, -1)}Z`;
  }

  /** Clip what is drawn from now on to the path, and to any existing clip. */
  clip() {
    const within = this.clipId ? ` clip-path="url(#${this.clipId})"` : "";
    const id = this.define(`c`, `<clipPath${within}><path d="${this.path}"${this.moved()}/></clipPath>`);
    this.clipId = id;
  }

  fill() {
    if (this.path) this.put(`path d="${this.path}"`, this.painted("fill", this.fillStyle));
  }

  stroke() {
    if (this.path) this.put(`path d="${this.path}" fill="none"`, this.lined());
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.put(`rect x="${n(Math.min(x, x + width))}" y="${n(Math.min(y, y + height))}" width="${n(Math.abs(width))}" height="${n(Math.abs(height))}"`, this.painted("fill", this.fillStyle));
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.put(`rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="none"`, this.lined());
  }

  /** @param {string} words @param {number} x @param {number} y */
  fillText(words, x, y) {
    const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.+)$/.exec(this.font) ?? [];
    const font = `font-size="${size}" font-weight="${weight ?? 400}" font-family="${escaped(family ?? "sans-serif")}"`;
    this.put(`text x="${n(x)}" y="${n(y + MIDDLE * Number(size))}" text-anchor="${ANCHORS[this.textAlign] ?? "start"}" ${font}`, this.painted("fill", this.fillStyle), escaped(words));
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  /**
   * The pattern of a tone, to fill with.
   * @param {string} tone
   * @param {number} x
   * @param {number} y
   * @param {((pen: any) => void) | undefined} draw
   * @param {string} colour
   */
  patternOf(tone, x, y, draw, colour) {
    if (!draw) return null;
    const tile = new SvgContext(this.colourOf);
    tile.fillStyle = tile.strokeStyle = colour;
    draw(tile);
    const at = `translate(${n(Math.round(x) % TILE)} ${n(Math.round(y) % TILE)})`;
    return { url: this.define(`p-${tone}-`, `<pattern width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse" patternTransform="${at}">${tile.parts.join("")}</pattern>`) };
  }

  /** @param {string} prefix @param {string} markup @returns {string} id; equal markup has the same id */
  define(prefix, markup) {
    // Bars in a picture share a handful of patterns and clips.
    for (const [id, known] of this.defs) if (known === markup) return id;
    const id = `${prefix}${this.defs.size}`;
    this.defs.set(id, markup);
    return id;
  }

  moved() {
    return this.transform ? ` transform="${this.transform}"` : "";
  }

  /** @param {"fill" | "stroke"} what @param {any} style */
  painted(what, style) {
    if (style && style.url) return `${what}="url(#${style.url})"${this.opacity(1, "opacity")}`;
    const [, r, g, b, a] = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(this.colourOf(String(style))) ?? [];
    if (r === undefined) return `${what}="${this.colourOf(String(style))}"${this.opacity(1, `${what}-opacity`)}`;
    return `${what}="rgb(${r},${g},${b})"${this.opacity(Number(a), `${what}-opacity`)}`;
  }

  /** @param {number} own @param {string} name */
  opacity(own, name) {
    const value = own * this.globalAlpha;
    return value < 1 ? ` ${name}="${n(value)}"` : "";
  }

  lined() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return `${this.painted("stroke", this.strokeStyle)} stroke-width="${n(this.lineWidth)}" stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"${dash}`;
  }

  /** @param {string} opening @param {string} look @param {string} [inside] */
  put(opening, look, inside = "") {
    // A clip path applies where it was made, not where it is used: it needs an element of its own.
    const element = `<${opening} ${look}${this.moved()}${inside ? `>${inside}</${opening.split(" ")[0]}>` : "/>"}`;
    this.parts.push(this.clipId ? `<g clip-path="url(#${this.clipId})">${element}</g>` : element);
  }

  /**
   * The whole drawing as a document.
   * @param {{ width: number, height: number, title: string, desc: string, lang: string }} about
   */
  document({ width, height, title, desc, lang }) {
    const defs = [...this.defs].map(([id, markup]) => markup.replace(/^<(\w+)/, `<$1 id="${id}"`)).join("");
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" role="img" xml:lang="${escaped(lang)}" aria-labelledby="t d"><title id="t">${escaped(title)}</title><desc id="d">${escaped(desc)}</desc><defs>${defs}</defs>${this.parts.join("")}</svg>\n`;
  }
}

/** @param {number} value */
function n(value) {
  return String(Math.round(value * 100) / 100);
}

/** @param {string} words */
export function escaped(words) {
  // Control characters are not allowed in XML at all.
  return words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "�").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
