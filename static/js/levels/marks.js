// @ts-check
/**
 * What a level shows on the lanes: deadlines as flags, the instant at which a check failed, and for the check that is pointed at, the
 * stretch in which it forbids something. They are elements over the canvas: there are few of them, and the lanes need not know about them.
 */

import { setHidden, make } from "../base/dom.js";

/** @typedef {{ kind: "deadline" | "failed" | "near" | "stretch" | "veil" | "flag", at_ms: number, until_ms?: number, text?: string }} Mark */

export class LevelMarks {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.element = make("div", { class: "level-marks", "aria-hidden": "true" });
    timeline.stage.append(this.element);
    /** @type {Mark[]} */
    this.marks = [];
    this.drawn = "";
    timeline.overlays.push(() => this.draw());
  }

  /** @param {Mark[]} marks */
  show(marks) {
    this.marks = marks;
    this.draw();
  }

  draw() {
    const { viewport } = this.timeline;
    // Not viewport.range(): while the view moves, that is its target, and the marks would be in the wrong place.
    const state = `${viewport.start_ms}|${viewport.msPerPx}|${viewport.width}|${JSON.stringify(this.marks)}`;
    if (state === this.drawn) return;
    this.drawn = state;
    this.element.replaceChildren(...this.marks.map((mark) => this.made(mark)));
  }

  /** @param {Mark} mark */
  made({ kind, at_ms, until_ms, text }) {
    const { viewport } = this.timeline;
    const x = Math.round(viewport.xOf(at_ms));
    const element = make("div", { class: `level-mark level-mark--${kind}` }, text ? [make("span", { text })] : []);
    element.style.setProperty("left", `${Math.max(-4, x)}px`);
    if (until_ms !== undefined) element.style.setProperty("width", `${Math.max(2, Math.round(Math.min(viewport.xOf(until_ms), viewport.width + 4)) - Math.max(-4, x))}px`);
    setHidden(element, x > viewport.width || (until_ms === undefined && x < 0));
    return element;
  }
}

/**
 * The marks of a check: its deadline and its failure, and when it is pointed at, everything it looks at.
 * @param {import("../learn/checks/grader.js").CheckGrader} grader
 * @param {boolean} isPointed
 * @param {any} store
 * @param {number} horizon_ms
 * @returns {Mark[]}
 */
export function marksOf(grader, isPointed, store, horizon_ms) {
  const { verdict, at_ms, windows } = grader;
  const { near_seq, stretches } = grader.result();
  const near = store.get(near_seq);
  const words = (grader.check.text || grader.check.id).replaceAll("`", "");
  /** @type {Mark[]} */
  const marks = [];
  if (verdict === "open" && windows.length && windows[0].until_ms < Infinity) marks.push({ kind: "deadline", at_ms: windows[0].until_ms, text: words });
  if (["broken", "lost"].includes(verdict) && at_ms !== null) marks.push({ kind: "failed", at_ms, text: words });
  if (!isPointed) return marks;
  if (near) marks.push({ kind: "near", at_ms: near.at_ms });
  for (const [from_ms, until_ms] of stretches) marks.push({ kind: "stretch", at_ms: from_ms, until_ms });
  for (const { from_ms, until_ms } of windows) marks.push({ kind: "stretch", at_ms: from_ms, until_ms: Math.min(until_ms, horizon_ms) });
  return marks;
}
