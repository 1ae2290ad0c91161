// @ts-check
/** Moving through lanes and spans by keyboard. */

import { spanAt } from "../lanes/lane-search.js";
import { marksOf } from "./hits.js";

export class Navigator {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.centred = -Infinity;
  }

  get row() {
    const { rows, focus } = this.timeline;
    return rows.find((/** @type {any} */ row) => row.lane.id === focus) ?? null;
  }

  /** @param {1 | -1} step */
  lane(step) {
    // Each lane is visited once.
    const rows = this.timeline.rows.filter((/** @type {any} */ row) => !row.isTwin);
    if (!rows.length) return;
    const at = this.row ? rows.indexOf(this.row) : step > 0 ? -1 : rows.length;
    const row = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    this.timeline.focus = row.lane.id;
    this.timeline.labels.mark(row.lane.id);
    this.reveal();
    this.timeline.spoken.announceLane(row.lane);
    this.timeline.touch();
  }

  /** Scroll until the focused lane is on screen; for a lane that is folded away, its pod. */
  reveal() {
    const { body, rows, stuck } = this.timeline;
    const lane = this.timeline.run.store.lanes.byId.get(this.timeline.focus);
    const row = this.row ?? rows.find((/** @type {any} */ each) => each.depth === 1 && !each.isPinned && each.pod.key === lane?.pod);
    if (!row || row.isStuck) return;
    if (row.y < body.scrollTop + stuck) body.scrollTop = row.y - stuck - 6;
    else if (row.y + row.h > body.scrollTop + body.clientHeight) body.scrollTop = row.y + row.h - body.clientHeight + 6;
  }

  /** Select what the focused lane shows at the playhead. */
  select() {
    const { lane, isOld } = this.row ?? {};
    if (!lane) return;
    if (isOld) {
      this.timeline.labels.tellOld(lane);
      return;
    }
    const { run } = this.timeline;
    const item = this.items(lane).filter((each) => each.t <= run.playhead.t_ms).pop();
    if (lane.choose) lane.choose(item);
    else run.select(lane.subject, item ? item.seq : 0);
  }

  /** @param {1 | -1} step go to the next or previous span or mark of the lane */
  span(step) {
    const { lane } = this.row ?? this.timeline.rows[0] ?? {};
    if (!lane) return;
    const { run } = this.timeline;
    const t_ms = run.playhead.t_ms;
    const items = this.items(lane);
    // Several items may share a moment; then the selected one says where we are among them.
    const at = items.findIndex((item) => item.seq === run.rec && Math.abs(item.t - t_ms) < 1);
    const beside = step > 0 ? items.find((item) => item.t > t_ms + 0.5) : items.filter((item) => item.t < t_ms - 0.5).pop();
    const next = at >= 0 ? items[at + step] : beside;
    if (!next) return;
    if (lane.go) lane.go(next);
    else run.playhead.seek(next.t);
    // What only the old future has is not a record of this run.
    if (!this.row?.isOld && !lane.go) run.select(lane.subject, next.seq);
    this.timeline.reveal(next.t);
  }

  /** A record that begins a span and is also a mark counts as one step. @param {any} lane @returns {{ t: number, seq: number }[]} */
  items(lane) {
    const marks = marksOf(lane);
    if (lane.marks.length) return marks;
    const spans = lane.spans.map((/** @type {any} */ span) => ({ t: span.t0, seq: span.seq }));
    const all = [...spans, ...marks].sort((a, b) => a.t - b.t || a.seq - b.seq);
    return all.filter(({ seq }, index) => seq !== all[index - 1]?.seq);
  }

  /** Centre the selection; a second press within a moment fits it to the view. */
  centre() {
    const { selected, viewport, run } = this.timeline;
    const again = performance.now() - this.centred < 900;
    this.centred = performance.now();
    const from = selected ? selected.t0 : run.playhead.t_ms;
    const to = selected ? Math.min(selected.t1, run.playhead.end_ms) : run.playhead.t_ms;
    if (again && to > from) {
      viewport.auto = false;
      viewport.follow = false;
      viewport.fit(from, to);
    } else viewport.centre((from + to) / 2);
    this.timeline.invalidate();
  }

  /** The record behind the selection, or behind the focused lane at the playhead; 0 if there is none. */
  recordAtPlayhead() {
    const { lane } = this.row ?? {};
    const span = lane ? spanAt(lane.spans, this.timeline.run.playhead.t_ms) : null;
    return span ? span.seq : 0;
  }
}
