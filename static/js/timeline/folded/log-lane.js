// @ts-check
/** The lane of a container's output: its marks stand for lines of its log, not for records. */

import { make } from "../../base/dom.js";
import { clockText } from "../../base/format.js";
import { text } from "../../base/i18n.js";
import { facts } from "../hover-card.js";
import { layoutMarks } from "../mark-layout.js";
import { drawBeside, drawPill } from "../marks.js";
import { FoldedLane } from "./folded-lane.js";

/** @typedef {import("./printed.js").PrintedMark} PrintedMark */
/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/** A lone mark is drawn as lines of text, each this wide. */
const STROKES_PX = [9, 9, 5];
/** A card lists this many lines of a group, the newest. */
const LISTED_MAX = 6;

export class LogLane extends FoldedLane {
  /**
   * @param {any} timeline
   * @param {any} container  its lane
   * @param {import("./printed.js").Printed} printed
   */
  constructor(timeline, { subject, pod }, printed) {
    super(timeline, { id: `logs:${subject}`, kind: "logs", subject, pod, name: text("lane.logs") });
    this.printed = printed;
    this.glyphs = { Normal: "≡", Warning: "!" };
    this.marks = printed.of(subject);
  }

  /** Nothing lasts on this lane, so there is no value at a moment. */
  said() {
    return { words: "", tone: "" };
  }

  /**
   * @param {Pen} pen
   * @param {{ y: number, h: number }} row
   * @param {any} room
   */
  paint(pen, { y, h }, room) {
    const { viewport, end_ms, palette: { surface } } = pen;
    this.printed.want(this.pod, Math.max(0, viewport.start_ms), Math.min(viewport.end_ms, end_ms));
    const items = layoutMarks(this, room);
    for (const item of items) {
      const isError = item.worst.type === "Warning";
      const colour = isError ? surface["tone-bad"] : surface.muted;
      if (item.marks.length > 1) drawPill(pen, item, y + h / 2, colour, !isError);
      else {
        drawLines(pen, item.x0, y + h / 2, colour, isError);
        drawBeside(pen, item, y + h / 2, colour);
      }
    }
    return items;
  }

  /** Go to the moment at which a line was printed. @param {PrintedMark | undefined} mark */
  go(mark) {
    if (!mark) return;
    this.timeline.run.playhead.seek(mark.t);
    this.select(0);
  }

  /** Open the Logs tab at the moment of a line, which is then its last line. @param {PrintedMark | undefined} mark */
  choose(mark) {
    if (!mark) return;
    this.go(mark);
    const { run } = this.timeline;
    run.openTab?.("logs");
    run.drawer?.panel.follow(true);
  }

  /** The rows of the card: which line was printed when, the newest of a group. @param {PrintedMark[]} marks @returns {HTMLElement[]} */
  card(marks) {
    const count = marks.reduce((sum, { data }) => sum + data.count, 0);
    const errors = marks.reduce((sum, { data }) => sum + data.errors, 0);
    const instances = [...new Set(marks.map(({ data }) => `#${data.instance}`))].join(", ");
    const title = make("div", { class: "hover-card__title", text: `${this.subject.split("/")[3]} ${instances}` });
    const lines = marks.slice(-LISTED_MAX).map(({ t, data }) => [clockText(t, marks.length > 1 ? 1 : 3), data.line]);
    const summary = [[text("lane.logs"), errors ? text("logs.errors", { n: count, errors }) : String(count)]];
    return [title, ...lines.map((line) => facts([line])), ...(count > 1 || errors ? [facts(summary)] : []), make("p", { class: "hover-card__hint", text: text("logs.open") })];
  }
}

/** Draw lines of text; lines to stderr have a box around them. @param {Pen} pen @param {number} x @param {number} y @param {string} colour @param {boolean} isError */
function drawLines({ context, palette }, x, y, colour, isError) {
  context.fillStyle = palette.surface["tl-bg"];
  context.fillRect(x - 7, y - 7, 14, 14);
  context.fillStyle = colour;
  STROKES_PX.forEach((width, at) => context.fillRect(x - 4.5, y - 4 + at * 3.25, width, 1.5));
  if (!isError) return;
  context.lineWidth = 1.2;
  context.strokeStyle = colour;
  context.strokeRect(x - 7, y - 6.5, 14, 13);
}
