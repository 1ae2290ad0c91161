// @ts-check
/** A canvas scaled to the device's pixels. */

export class Layer {
  /**
   * @param {HTMLElement} parent
   * @param {string} name
   */
  constructor(parent, name) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = `timeline__canvas timeline__canvas--${name}`;
    this.canvas.setAttribute("aria-hidden", "true");
    parent.append(this.canvas);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.width = 0;
    this.height = 0;
    this.ratio = 0;
  }

  /**
   * Resize the canvas to fit; does nothing if it already does.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.canvas.style.setProperty("width", `${width}px`);
    this.canvas.style.setProperty("height", `${height}px`);
  }

  /** Clear it. Sizes are in CSS pixels. */
  begin() {
    const { context, ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.textBaseline = "middle";
    return context;
  }
}
