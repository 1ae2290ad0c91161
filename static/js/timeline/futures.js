// @ts-check
/**
 * Both futures of a branch in one set of lanes: which lanes differ, and the old one drawn below the
 * new one, hollow and hatched.
 *
 * A branch has the records of its run up to a moment and its own from there. The rest of the old run is in a store of its own, and its
 * lanes have the same ids, so that the old continuation of a lane is found by id. Lanes that are equal from the branch point on, as far as
 * both are known, are drawn once; the others are split (`split`), and those that only the old run has are shown as old lanes (`alone`).
 *
 * The new future is still being made while the old one is known in full. The comparison therefore ends a little before the newest moment: a
 * record that is still on its way is not a difference.
 */

import { text } from "../base/i18n.js";
import { firstEndingAfter, firstMarkFrom, spanAt } from "../lanes/lane-search.js";
import { layoutBars } from "./bar-layout.js";
import { nearSpan } from "./hits.js";
import { layoutMarks } from "./mark-layout.js";
import { drawAttempts, drawEvents, groupAt } from "./marks.js";
import { BARS, within } from "./painter.js";

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */

/** While the run goes on, records of its last moments may still be on their way; ms at 1×. */
const ON_THE_WAY_MS = 2000;
/** How often all lanes are compared; ms at 1×. */
const STEP_MS = 500;
const WORD_PX = 10;
/** Height of the two futures' names at the bottom of the lanes. */
const CHIP_PX = 16;
/** Opacity of marks of the old future. */
const PALE = 0.75;
const HATCH_PX = 6;

export class Futures {
  /**
   * @param {any} run  the RunPage
   * @param {{ store: any, from_ms: number, until_ms: number }} old  the records of the run that this one was branched from, where they part,
   *   and how far that one has come, however long ago its last record is
   * @param {{ old: string, now: string }} names
   */
  constructor(run, { store, from_ms, until_ms }, names) {
    this.run = run;
    this.store = store;
    this.from_ms = from_ms;
    this.until_ms = until_ms;
    this.names = names;
    this.version = 0;
    this.known_ms = -1;
    this.heldSeq = -1;
    /** @type {Set<string>} ids of lanes that differ, and of those that only the old future has */
    this.split = new Set();
    /** @type {Set<any>} */
    this.alone = new Set();
  }

  /** Compare as far as the new future is known, at most once per step of its progress. @returns {number} raised whenever the set of differing lanes changes */
  follow() {
    const { playhead, clock, store } = this.run;
    const pace = clock.running ? Math.max(1, clock.frame.rate / 1000) : 0;
    const known_ms = Math.max(store.head_ms, playhead.end_ms - ON_THE_WAY_MS * pace);
    // All lanes are compared, which is too much for every frame.
    if (clock.running && Math.abs(known_ms - this.known_ms) < STEP_MS * pace) return this.version;
    if (!clock.running && this.heldSeq === store.headSeq && known_ms === this.known_ms) return this.version;
    this.known_ms = known_ms;
    this.heldSeq = store.headSeq;
    const [split, alone] = [new Set(), new Set()];
    for (const [id, old] of this.store.lanes.byId) {
      const lane = store.lanes.byId.get(id);
      if (lane && this.differs(lane, old)) split.add(id);
      if (!lane && Math.min(old.spans[0]?.t0 ?? Infinity, old.marks[0]?.t ?? Infinity) < known_ms) alone.add(old);
    }
    // Rows are rebuilt only if the set of differing lanes has changed, not after every comparison.
    if (split.size !== this.split.size || alone.size !== this.alone.size || [...split].some((id) => !this.split.has(id))) this.version += 1;
    this.split = split;
    this.alone = alone;
    return this.version;
  }

  /** @param {any} lane @param {any} old */
  differs(lane, old) {
    return this.contentOf(lane) !== this.contentOf(old);
  }

  /** The content of a lane from the branch point to where both futures are known. @param {any} lane */
  contentOf({ spans, marks, flags, hooks }) {
    const from = this.from_ms;
    const lasting = (/** @type {any[]} */ all) => all.slice(firstEndingAfter(all, from)).filter((span) => span.t0 < this.known_ms).map((span) => [Math.max(span.t0, from), span.tone, span.text, span.data.instance, span.data.exit_code]);
    const instant = (/** @type {any[]} */ all) => all.slice(firstMarkFrom(all, from)).filter((mark) => mark.t < this.known_ms).map((mark) => [mark.t, mark.type, mark.text]);
    return JSON.stringify([lasting(spans), lasting(hooks), instant(marks), instant(flags)]);
  }

  /** The old continuation of a lane, if it differs. @param {any} lane */
  oldOf(lane) {
    return this.split.has(lane.id) && this.run.store.lanes.byId.get(lane.id) === lane ? this.store.lanes.byId.get(lane.id) : null;
  }

  /** A lane that only the old future has. @param {string} id */
  lane(id) {
    const lane = this.store.lanes.byId.get(id);
    return this.alone.has(lane) ? lane : null;
  }

  /** @param {any} lane */
  isOld(lane) {
    return this.alone.has(lane);
  }

  /** Pods of both futures, each with the lanes of both. @param {any} lanes */
  podsOf(lanes) {
    const pods = new Map(lanes.pods);
    for (const [key, old] of this.store.lanes.pods) {
      const pod = pods.get(key);
      if (!pod && this.alone.has(old.status)) pods.set(key, this.within(old, {}));
      else if (pod) pods.set(key, this.within(old, pod));
    }
    return pods;
  }

  /** @param {any} old @param {any} pod  the pod of the new future, or nothing */
  within(old, pod) {
    /** @type {Record<string, PropertyDescriptor>} */
    const both = {};
    for (const part of ["conditions", "containers", "probes"]) {
      const members = new Map(pod[part] ?? []);
      for (const [subject, lane] of old[part]) if (!members.has(subject) && this.alone.has(lane)) members.set(subject, lane);
      if (members.size !== (pod[part]?.size ?? -1)) both[part] = { value: members };
    }
    const base = pod.status ? pod : old;
    // The pod itself, except for the members with extra lanes; nothing is copied.
    return Object.keys(both).length ? Object.create(base, both) : base;
  }

  /** How far the old future is known. */
  get end_ms() {
    return Math.max(this.store.head_ms, this.from_ms, this.until_ms);
  }

  /**
   * @param {Pen} pen
   * @param {any} row
   * @param {Map<string, any[]>} groups
   * @param {Map<string, any[]>} targets
   */
  paintOld(pen, row, groups, targets) {
    const lane = row.old ?? row.lane;
    const h = row.old ? row.old_h : row.h;
    const y = row.y + row.h - h;
    const bars = BARS[lane.kind];
    const key = `old:${lane.id}`;
    const measure = (/** @type {number} */ size, /** @type {number} */ weight, /** @type {string} */ words) => pen.palette.measure(size, weight, words);
    const x = within({ ...pen, end_ms: this.end_ms }, this.from_ms, true, !bars, (part) => {
      const room = { viewport: part.viewport, end_ms: this.end_ms, measure };
      if (bars) {
        const layout = layoutBars({ ...lane, flags: lane.flags.slice(firstMarkFrom(lane.flags, this.from_ms)) }, room, WORD_PX);
        this.drawOld(part, layout, { y: y + (row.old ? 0 : 3), h: h - (row.old ? 4 : 6) });
        targets.set(key, layout.targets);
        return;
      }
      const items = layoutMarks({ ...lane, marks: lane.marks.slice(firstMarkFrom(lane.marks, this.from_ms)) }, room);
      part.context.setLineDash([2, 2]);
      part.context.globalAlpha = PALE;
      (lane.kind === "probe" ? drawAttempts : drawEvents)(part, items, y + h / 2);
      groups.set(key, items);
    });
    for (const found of [groups, targets]) if (found.has(key)) found.set(key, (found.get(key) ?? []).map((item) => ({ ...item, x0: item.x0 + x, x1: item.x1 + x })));
  }

  /** @param {Pen} pen @param {any} layout @param {{ y: number, h: number }} box */
  drawOld({ context, palette, viewport }, layout, { y, h }) {
    for (const { x0, x1, tone } of layout.slivers) {
      context.fillStyle = palette.tones[tone].fill;
      context.fillRect(Math.round(x0), y, Math.max(2, x1 - x0), h);
    }
    for (const { span, x0, x1 } of layout.bars) {
      if (span.tone === "absent") continue;
      const left = Math.max(-1, x0) + 0.75;
      const width = Math.max(1.5, Math.min(viewport.width + 8, x1) - 0.75 - left);
      hollow(context, palette.tones[span.tone].fill, { x: left, y: y + 0.75, width, height: h - 1.5 });
    }
    for (const word of layout.words) write({ context, palette }, word, y + h / 2);
  }

  /** @param {any} timeline @param {any} row @param {number} x */
  hitAt(timeline, row, x) {
    const lane = row.old ?? row.lane;
    const { viewport } = timeline;
    const t_ms = viewport.tOf(x);
    const hit = { row, lane, span: null, marks: null, isOld: true };
    const group = groupAt(timeline.groups.get(`old:${lane.id}`), x);
    if (group) return { ...hit, marks: group.marks };
    const target = (timeline.targets.get(`old:${lane.id}`) ?? []).find((/** @type {any} */ item) => item.x0 <= x && x <= item.x1);
    if (target) return { ...hit, marks: target.marks };
    if (t_ms < this.from_ms || t_ms > this.end_ms) return hit;
    const hook = spanAt(lane.hooks, t_ms);
    const span = hook ?? nearSpan(viewport, lane, t_ms);
    return { ...hit, span: span && span.tone !== "absent" ? span : null };
  }

  /**
   * Draw the line at which the futures part, with both names below the last lane: the new one above, the old one below.
   * @param {Pen} pen
   * @param {number} height
   * @param {{ isOldShown: boolean, foot: number }} lanes  foot: lower edge of the last lane, px
   */
  paintPoint({ context, palette, viewport }, height, { isOldShown, foot }) {
    const x = Math.round(viewport.xOf(this.from_ms));
    if (x < -2 || x > viewport.width + 2) return;
    context.save();
    context.setLineDash([2, 3]);
    context.lineWidth = 1.5;
    context.strokeStyle = palette.surface.accent;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
    context.restore();
    const { surface } = palette;
    const old = `▽ ${this.names.old}`;
    const [whole, short] = [`▲ ${this.names.now}`, "▲"];
    const wide = (/** @type {string} */ word) => palette.measure(10.5, 600, word) + 10;
    // If there is no room for both names, the head of the page has the new one.
    const now = x + wide(whole) + wide(old) <= viewport.width ? whole : short;
    const y = isOldShown ? foot + 2 : height - CHIP_PX - 2;
    chip({ context, palette }, now, x, y, { ground: surface.accent, ink: surface["accent-ink"], edge: surface.accent });
    if (isOldShown) chip({ context, palette }, old, x + wide(now), y, { ground: surface["tl-bg"], ink: surface.text, edge: surface.muted });
  }

  /** The page of the old future at a moment. @param {number} t_ms */
  address(t_ms) {
    return `${(this.run.main.dataset.parentRecords || "").replace(/records\/?$/, "")}?t=${(t_ms / 1000).toFixed(3)}`;
  }

  /** Which future something belongs to, as text. */
  get words() {
    return text("futures.old", { name: this.names.old });
  }
}

/** @param {{ context: CanvasRenderingContext2D, palette: any }} pen @param {any} word @param {number} y */
function write({ context, palette }, { kind, words, x0, x1, size, weight, tone }, y) {
  if (kind === "ghost") return;
  context.font = palette.font(size, weight);
  context.fillStyle = palette.surface["tl-bg"];
  context.fillRect(x0, y - 6, x1 - x0, 12);
  context.fillStyle = kind === "exit" && tone === "failed" ? palette.surface["tone-bad"] : palette.surface.text;
  context.textAlign = "center";
  context.fillText(words, (x0 + x1) / 2, y + 0.5);
}

/** @param {CanvasRenderingContext2D} context @param {string} colour @param {{ x: number, y: number, width: number, height: number }} box */
function hollow(context, colour, { x, y, width, height }) {
  context.save();
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(4, width / 2));
  context.fillStyle = colour;
  context.globalAlpha = 0.14;
  context.fill();
  context.clip();
  context.globalAlpha = 0.5;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = x - height - (x % HATCH_PX); at < x + width; at += HATCH_PX) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([4, 2]);
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(4, width / 2));
  context.stroke();
  context.restore();
}

/** @param {{ context: CanvasRenderingContext2D, palette: any }} pen @param {string} words @param {number} x @param {number} y @param {{ ground: string, ink: string, edge: string }} colours */
function chip({ context, palette }, words, x, y, { ground, ink, edge }) {
  context.font = palette.font(10.5, 600);
  const width = palette.width(context, words) + 10;
  context.fillStyle = ground;
  context.fillRect(x, y, width, CHIP_PX);
  context.lineWidth = 1;
  context.strokeStyle = edge;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, CHIP_PX - 1);
  context.fillStyle = ink;
  context.textAlign = "left";
  context.fillText(words, x + 5, y + 8.5);
}
