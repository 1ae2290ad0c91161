// @ts-check
/**
 * The timeline as a picture file: what is on screen, drawn by the same painters, as SVG or PNG.
 *
 * The painters know only a context with the methods of a canvas. Given an SvgContext they write SVG, given a canvas they paint, so that a
 * picture cannot differ from the page. Only the names of lanes, which are elements on the page, are drawn here.
 */

import { find } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { overlayState, rulerState } from "./drawn.js";
import { nameOf, valueAt } from "./labels.js";
import { paintOverlay } from "./overlay.js";
import { paintBase } from "./painter.js";
import { inParts, wholeName } from "./pins.js";
import { paintRuler } from "./ruler.js";
import { SvgContext } from "./svg-context.js";
import { Viewport } from "./viewport.js";

const RULER_H = 32;
const SCALE = 2;
/** The source is named below the picture. */
const FOOT_H = 22;
const PAD = 12;
/** @type {Record<number, number>} */
const INDENT = { 1: 12, 2: 28, 3: 42 };

/**
 * The part of the timeline that a picture shows.
 * @param {any} timeline
 */
function frameOf(timeline) {
  const labels = timeline.labels.width();
  const lanes = Math.min(timeline.top.height, Math.max(...timeline.visible.map((/** @type {any} */ row) => row.y + row.h), 60) - timeline.body.scrollTop + 6);
  return { labels, lanes, width: labels + timeline.viewport.width, height: RULER_H + lanes + FOOT_H };
}

/**
 * Title and description, for readers who cannot see the picture.
 * @param {any} timeline
 */
function aboutOf(timeline) {
  const { viewport, run, visible } = timeline;
  const { t_ms } = run.playhead;
  const from = clockText(Math.max(0, viewport.start_ms), 0);
  const title = text("export.title", { title: find(".topbar__title")?.textContent ?? document.title, from, to: clockText(viewport.end_ms, 0) });
  const lanes = visible.filter((/** @type {any} */ row) => row.lane.kind !== "events" && !row.isTwin).map((/** @type {any} */ { lane, isPinned }) => `${isPinned ? wholeName(lane, nameOf(lane)) : lane.kind === "status" ? lane.pod : lane.name}: ${valueAt(lane, t_ms).words}`);
  const desc = text("export.desc", { pods: run.store.lanes.pods.size, time: clockText(t_ms), lanes: lanes.join("; ") });
  return { title, desc, lang: document.documentElement.lang };
}

/**
 * @param {any} timeline
 * @param {any} context  a canvas' or an SVG's
 * @param {string} title
 */
function paint(timeline, context, title) {
  const { palette, viewport, run } = timeline;
  const { labels, lanes, width, height } = frameOf(timeline);
  const pen = { context, palette, viewport, end_ms: run.playhead.end_ms, imported_ms: run.store.lanes.imported_ms };
  const rows = timeline.visible;
  const top = timeline.body.scrollTop;
  // As Layer sets it on the page's own canvases; the painters rely on it.
  context.textBaseline = "middle";
  context.fillStyle = palette.surface["tl-bg"];
  context.fillRect(0, 0, width, height);
  framed(context, labels, RULER_H, viewport.width, lanes, () => {
    const { finished, ghost } = { finished: !run.clock.running, ghost: run.ghost };
    paintBase(pen, rows, top, lanes, { finished, ghost });
    paintOverlay(pen, rows, top, lanes, { ...overlayState(timeline), hover_ms: null });
  });
  framed(context, labels, 0, viewport.width, RULER_H, () => paintRuler(pen, RULER_H, { ...rulerState(timeline), hover_ms: null }));
  framed(context, 0, RULER_H, labels, lanes, () => paintColumn(pen, rows, { top, width: labels, height: lanes }, run.playhead.t_ms));
  context.fillStyle = palette.surface.border;
  context.fillRect(labels, 0, 1, RULER_H + lanes);
  context.fillRect(0, RULER_H, width, 1);
  context.fillRect(0, RULER_H + lanes, width, 1);
  context.fillStyle = palette.surface.muted;
  context.font = palette.font(11, 500);
  context.textAlign = "left";
  context.fillText(fitting(palette, 11, 500, title, width - 2 * PAD), PAD, height - FOOT_H / 2);
}

/** Draw within a box. @param {any} context @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
function framed(context, x, y, width, height, draw) {
  context.save();
  context.translate(x, y);
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  draw();
  context.restore();
}

/** @param {any} pen @param {any[]} rows @param {{ top: number, width: number, height: number }} area @param {number} t_ms */
function paintColumn(pen, rows, area, t_ms) {
  const { context } = pen;
  context.translate(0, -area.top);
  inParts(context, rows, area, (part) => paintLabels(pen, part, area.width, t_ms));
}

/** @param {any} pen @param {any[]} rows @param {number} width @param {number} t_ms */
function paintLabels({ context, palette }, rows, width, t_ms) {
  for (const { lane, y, h, depth, isPinned } of rows) {
    const middle = y + h / 2;
    const { words, tone } = valueAt(lane, t_ms);
    const bold = depth === 1 || lane.kind === "container";
    const said = fitting(palette, 11, 560, words, width * 0.55);
    const taken = palette.measure(11, 560, said);
    context.textAlign = "right";
    context.font = palette.font(11, 560);
    context.fillStyle = depth === 1 ? palette.surface.text : palette.surface.muted;
    context.fillText(said, width - PAD, middle);
    if (palette.tones[tone] && tone !== "absent") {
      context.fillStyle = palette.tones[tone].fill;
      context.beginPath();
      context.arc(width - PAD - taken - 9, middle, 3.5, 0, 7);
      context.fill();
    }
    context.textAlign = "left";
    context.font = palette.font(bold ? 13 : 12, bold ? 640 : 450);
    context.fillStyle = bold ? palette.surface.text : palette.surface.muted;
    context.fillText(fitting(palette, bold ? 13 : 12, bold ? 640 : 450, isPinned ? `⌃ ${wholeName(lane, nameOf(lane))}` : nameOf(lane), width - PAD - taken - 18 - INDENT[depth]), INDENT[depth], middle);
  }
}

/** @param {any} palette @param {number} size @param {number} weight @param {string} words @param {number} room */
function fitting(palette, size, weight, words, room) {
  let shown = words;
  while (shown.length > 1 && palette.measure(size, weight, shown) > room) shown = `${shown.slice(0, -2)}…`;
  return shown;
}

/**
 * The timeline cut to a stretch of time, as wide as it is on screen.
 * @param {any} timeline
 * @param {{ from_ms: number, to_ms: number }} stretch
 */
export function cutTo(timeline, { from_ms, to_ms }) {
  const viewport = new Viewport();
  viewport.width = timeline.viewport.width;
  viewport.origin_ms = timeline.viewport.origin_ms;
  viewport.show(from_ms, to_ms);
  // A timeline that overrides only these two; everything else comes from the real one.
  return Object.create(timeline, { viewport: { value: viewport }, stretch: { value: { chosen: null } } });
}

/** @param {any} timeline */
export function saveSvg(timeline) {
  const reader = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  const context = new SvgContext((colour) => {
    // A canvas turns any CSS colour into one that SVG editors understand; an unknown colour leaves it black.
    reader.fillStyle = "#000000";
    reader.fillStyle = colour;
    return String(reader.fillStyle);
  });
  const about = aboutOf(timeline);
  paint(timeline, context, about.title);
  const { width, height } = frameOf(timeline);
  download(new Blob([context.document({ width, height, ...about })], { type: "image/svg+xml" }), "svg", timeline);
}

/** @param {any} timeline */
export function savePng(timeline) {
  const { width, height } = frameOf(timeline);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const context = canvas.getContext("2d");
  if (!context) {
    toast(text("export.failed"), "bad");
    return;
  }
  context.scale(SCALE, SCALE);
  paint(timeline, context, aboutOf(timeline).title);
  canvas.toBlob((blob) => (blob ? download(blob, "png", timeline) : toast(text("export.failed"), "bad")), "image/png");
}

/** @param {Blob} blob @param {string} kind @param {any} timeline */
function download(blob, kind, timeline) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `timeline-${clockText(timeline.run.playhead.t_ms).replaceAll(":", "-")}.${kind}`;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers start the download after this task.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
