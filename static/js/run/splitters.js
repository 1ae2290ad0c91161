// @ts-check
/**
 * The edges between the parts of a run page, which can be moved by pointer and by keyboard. The browser keeps a chosen size as
 * `podscope.size.<name>`; boot.js sets it on the root element as `--set-<name>` before the first paint, and layout.css reads it.
 */

import { find, findAll } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { setPreference } from "../base/preferences.js";

const STEP_PX = 16;

/**
 * @typedef {object} Part
 * @property {string} of  selector of the element that is resized
 * @property {"x" | "y"} axis
 * @property {1 | -1} grows  the direction in which moving the edge makes the part grow
 * @property {number} min  px
 * @property {number} share  largest share of the window
 */

/** @type {Record<string, Part>} */
const PARTS = {
  labels: { of: ".timeline__corner", axis: "x", grows: 1, min: 132, share: 0.4 },
  inspector: { of: "#inspector", axis: "x", grows: -1, min: 280, share: 0.5 },
  drawer: { of: "#drawer", axis: "y", grows: -1, min: 96, share: 0.62 },
};

class Splitter {
  /**
   * @param {HTMLElement} edge
   * @param {HTMLElement} main
   * @param {() => void} onResize
   */
  constructor(edge, main, onResize) {
    this.edge = edge;
    this.name = edge.dataset.splitter || "";
    this.part = PARTS[this.name];
    this.main = main;
    this.onResize = onResize;
    this.from = { at: 0, size: 0 };
    for (const type of ["pointerdown", "keydown", "dblclick"]) edge.addEventListener(type, (event) => this.use(event));
    edge.addEventListener("pointermove", (event) => this.dragged(event));
    edge.addEventListener("lostpointercapture", () => delete edge.dataset.dragging);
    // The part also changes size with the window, or when its neighbour is closed.
    const element = find(this.part.of, main);
    if (element) new ResizeObserver(() => this.updateAria()).observe(element);
  }

  /** @param {any} event  possibly one from before this script was loaded */
  use(event) {
    if (event.type === "pointerdown") this.grabbed(event);
    else if (event.type === "keydown") this.pressed(event);
    else if (event.type === "dblclick") this.set(null);
  }

  /** Size of the part, px. */
  get size() {
    const box = find(this.part.of, this.main)?.getBoundingClientRect();
    return Math.round((this.part.axis === "x" ? box?.width : box?.height) ?? 0);
  }

  get max() {
    return Math.round((this.part.axis === "x" ? innerWidth : innerHeight) * this.part.share);
  }

  /** @param {number | null} size  px, null for the style sheet's size */
  set(size) {
    const { min } = this.part;
    const value = size === null ? null : `${Math.round(Math.min(Math.max(size, min), this.max))}px`;
    const root = document.documentElement;
    if (value === null) root.style.removeProperty(`--set-${this.name}`);
    else root.style.setProperty(`--set-${this.name}`, value);
    const others = (root.dataset.sized || "").split(" ").filter((name) => name && name !== this.name);
    root.dataset.sized = [...others, ...(value === null ? [] : [this.name])].join(" ");
    setPreference(`size.${this.name}`, value);
    this.updateAria();
    this.onResize();
  }

  /** Report the position of the edge to assistive technology. */
  updateAria() {
    const { edge, size } = this;
    const values = { now: size, min: Math.min(this.part.min, size), max: Math.max(this.max, size), text: text("splitter.value", { size }) };
    for (const [name, value] of Object.entries(values)) edge.setAttribute(`aria-value${name}`, String(value));
  }

  /** @param {PointerEvent} event */
  at(event) {
    return this.part.axis === "x" ? event.clientX : event.clientY;
  }

  /** @param {PointerEvent} event */
  grabbed(event) {
    if (event.button !== 0) return;
    try {
      this.edge.setPointerCapture(event.pointerId);
    } catch {
      return; // it was released before this script arrived
    }
    this.edge.dataset.dragging = "";
    this.from = { at: this.at(event), size: this.size };
  }

  /** @param {PointerEvent} event */
  dragged(event) {
    const by = (this.at(event) - this.from.at) * this.part.grows;
    if (this.edge.hasPointerCapture(event.pointerId) && by) this.set(this.from.size + by);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [more, less] = this.part.axis === "x" ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
    const step = { [more]: STEP_PX, [less]: -STEP_PX }[event.key];
    /** @type {Record<string, () => void>} */
    const moves = { Home: () => this.set(this.part.min), End: () => this.set(this.max), Enter: () => this.set(null) };
    const move = step ? () => this.set(this.size + step * this.part.grows) : moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }
}

/**
 * @param {HTMLElement} main
 * @param {() => void} onResize
 * @returns {Map<HTMLElement, Splitter>} by edge
 */
export function wireSplitters(main, onResize) {
  return new Map(findAll("[data-splitter]", main).map((edge) => [edge, new Splitter(edge, main, onResize)]));
}
