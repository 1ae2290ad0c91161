// @ts-check
/** Causes as light: the chain of the chosen record is highlighted across the lanes, joined by thin lines; everything else is dimmed. */

import { setAttributes } from "../base/dom.js";
import { causesOf, Effects } from "../lanes/cause-chain.js";
import { isCovered } from "./pins.js";
import { laneOf } from "./selection.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */
/** @typedef {import("../wire/record.js").Rec} Rec */

/**
 * @typedef {object} Place  where a record is drawn
 * @property {Rec} record
 * @property {number} x
 * @property {number} y
 * @property {{ x: number, y: number, w: number, h: number }} box
 * @property {boolean} effect  whether it is an effect of the chosen record
 */

const DIM = 0.35;
const HALF_PX = 9;
const BEND_MIN = 14;
const BEND_MAX = 72;

export class Light {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.seq = 0;
    /** A record that is pointed at elsewhere on the page; 0 for none. */
    this.spot = 0;
    /** @type {Effects | null} */
    this.effects = null;
    /** @type {any[] | null} the rows that the index was built from */
    this.rows = null;
    /** @type {Map<string, any>} row by lane */
    this.index = new Map();
  }

  /** @param {number} seq  0 turns the highlighting off */
  show(seq) {
    if (seq === this.seq) return;
    this.seq = seq;
    this.effects = seq ? new Effects(this.timeline.run.store, seq) : null;
  }

  /** @param {number} seq */
  point(seq) {
    if (seq === this.spot) return;
    this.spot = seq;
    this.timeline.touch();
  }

  /**
   * Paint onto the empty top layer.
   * @param {Pen} pen
   * @param {number} top     scroll position
   * @param {number} height  of the layer
   */
  paint(pen, top, height) {
    const places = this.places(pen);
    const { element, run } = this.timeline;
    setAttributes(element, { "data-lit": places.map(({ record }) => record.seq).join(" "), "data-spot": String(this.spot || "") });
    const { context } = pen;
    context.save();
    context.translate(0, -top);
    // While time moves, lanes that flash from dim to bright would distract from the chain.
    if (places.length > 1 && !run.playhead.moving) dim(pen, places, top, height);
    if (places.length > 1) this.join(pen, places);
    for (const place of places) dot(pen, place, place.record.seq === this.seq ? 4.5 : 3);
    const spot = this.spot ? this.place(pen, run.store.get(this.spot), false) : null;
    if (spot) ring(pen, spot, top, height);
    context.restore();
  }

  /** @param {Pen} pen @returns {Place[]} the causes from the chosen record back, then what followed */
  places(pen) {
    const { store } = this.timeline.run;
    if (!this.effects) return [];
    const causes = causesOf(store, this.seq).map((record) => this.place(pen, record, false));
    const effects = this.effects.upToDate().map((record) => this.place(pen, record, true));
    return /** @type {Place[]} */ ([...causes, ...effects].filter(Boolean));
  }

  /**
   * @param {Pen} pen
   * @param {Rec | undefined} record
   * @param {boolean} effect
   * @returns {Place | null} null if it is on no lane, or on one that is covered by pinned lanes
   */
  place({ viewport, end_ms }, record, effect) {
    const row = record && this.rowOf(record);
    if (!record || !row || isCovered(this.timeline.rows, row)) return null;
    const { lane, y, h } = row;
    const x = viewport.xOf(record.at_ms);
    const middle = y + h / 2;
    const span = lane.spans.find((/** @type {any} */ each) => each.seq === record.seq);
    if (!span || span.tone === "absent" || lane.kind === "probe") return { record, x, y: middle, effect, box: { x: x - HALF_PX, y: y + 1, w: 2 * HALF_PX, h: h - 2 } };
    const until = Math.max(x + 4, viewport.xOf(Math.min(span.t1, end_ms)));
    return { record, x, y: middle, effect, box: { x: x - 2, y: y + 1, w: until - x + 4, h: h - 2 } };
  }

  /** The row that shows a record; a record without one is shown on the first row of its pod, node or Service. @param {Rec} record */
  rowOf(record) {
    const { timeline } = this;
    if (this.rows !== timeline.rows) {
      this.rows = timeline.rows;
      this.index = new Map(timeline.rows.filter((/** @type {any} */ row) => !row.isTwin).map((/** @type {any} */ row) => [row.lane.id, row]));
    }
    const lane = laneOf(timeline.run.store, record.subject, record.seq);
    const [type, namespace, name] = record.subject.split("/");
    return this.index.get(lane?.id) ?? this.index.get(`status:pod/${lane?.pod || `${namespace}/${name}`}`) ?? (SERVED.has(type) ? this.service(namespace, name) : undefined);
  }

  /** The lane of a Service's requests, for the Service and for its endpoints. @param {string} namespace @param {string} name */
  service(namespace, name) {
    for (const { head } of this.timeline.run.store.lanes.services.values()) {
      const [, space, service] = head.subject.split("/");
      if (space === namespace && (name === service || name.startsWith(`${service}-`))) return this.index.get(head.id);
    }
    return undefined;
  }

  /** @param {Pen} pen @param {Place[]} places */
  join(pen, places) {
    const at = new Map(places.map((place) => [place.record.seq, place]));
    const { store } = this.timeline.run;
    for (const place of places) {
      let cause = store.get(place.record.cause);
      // A cause may be on no lane, as decisions are: the line goes to the next one that is.
      while (cause && !at.has(cause.seq)) cause = cause.cause < cause.seq ? store.get(cause.cause) : undefined;
      const from = cause && at.get(cause.seq);
      if (from) connect(pen, from, place);
    }
  }
}

const SERVED = new Set(["service", "endpoints", "endpointslice", "requests"]);

/** @param {Pen} pen @param {Place[]} places @param {number} top @param {number} height */
function dim({ context, palette, viewport }, places, top, height) {
  context.globalAlpha = DIM;
  context.fillStyle = palette.surface["tl-bg"];
  context.fillRect(0, top, viewport.width, height);
  context.globalAlpha = 1;
  // Holes in the dimming: the lanes below show through, as the layer has nothing else yet.
  for (const { box } of places) context.clearRect(box.x, box.y, box.w, box.h);
}

/** @param {Pen} pen @param {Place} from @param {Place} to */
function connect({ context, palette }, from, to) {
  const bend = Math.min(BEND_MAX, Math.max(BEND_MIN, (to.x - from.x) / 2));
  context.beginPath();
  context.moveTo(from.x, from.y);
  if (from.y === to.y) context.quadraticCurveTo((from.x + to.x) / 2, from.y - Math.min(16, (to.x - from.x) / 3), to.x, to.y);
  else context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
  context.setLineDash(to.effect ? [2, 3] : []);
  context.lineWidth = 3.5;
  context.strokeStyle = palette.surface["tl-bg"];
  context.stroke();
  context.lineWidth = 1.5;
  context.strokeStyle = palette.surface.accent;
  context.stroke();
  context.setLineDash([]);
}

/** @param {Pen} pen @param {Place} place @param {number} radius */
function dot({ context, palette }, { x, y, effect }, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = effect ? palette.surface["tl-bg"] : palette.surface.accent;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = effect ? palette.surface.accent : palette.surface["tl-bg"];
  context.stroke();
}

/** Mark what is pointed at elsewhere: a ring, and a line to the ruler. @param {Pen} pen @param {Place} place @param {number} top @param {number} height */
function ring({ context, palette }, { x, y }, top, height) {
  context.strokeStyle = palette.surface.accent;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, top + height);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 3;
  context.beginPath();
  context.arc(x, y, 8, 0, 2 * Math.PI);
  context.stroke();
}
