// @ts-check
/** One of the two runs of a comparison: its records, its clock, its lanes, and the page's playhead in the run's own time. */

import { find } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { RecordStore } from "../lanes/record-store.js";
import { ServerClock } from "../playback/clock.js";
import { Clocks } from "../timeline/clocks.js";
import { Timeline } from "../timeline/timeline.js";
import { RunSocket } from "../wire/run-socket.js";

/**
 * @typedef {object} SideFacts
 * @property {string} id
 * @property {string} name
 * @property {number} zero_ms  the moment that is aligned with that of the other run
 * @property {string} records
 * @property {string} socket
 * @property {any} clock
 * @property {{ at_ms: number, max_ms: number, words: string, line: string, url: string } | null} move
 */

/** The page's playhead as seen by a run, whose own time lags behind the page's by a fixed length. */
class SidePlayhead {
  /** @param {any} shared @param {Side} side */
  constructor(shared, side) {
    this.shared = shared;
    this.side = side;
    this.recorded = true;
  }

  get t_ms() {
    return this.shared.t_ms - this.side.lag_ms;
  }

  /** The newest moment of this run. */
  get end_ms() {
    return Math.max(this.side.clock.now(), this.side.store.head_ms);
  }

  get seq() {
    return this.side.store.seqAt(this.t_ms);
  }

  get live() {
    return this.shared.live;
  }

  get replaying() {
    return this.shared.replaying;
  }

  get moving() {
    return this.shared.moving;
  }

  /** @param {() => number} grain */
  set grain(grain) {
    this.shared.grain = grain;
  }

  /** @param {(t_ms: number) => void} listener */
  onFrame(listener) {
    this.shared.onFrame(() => listener(this.t_ms));
  }

  /** @param {number} t_ms */
  seek(t_ms) {
    this.shared.seek(t_ms + this.side.lag_ms);
  }

  /** The other run may have come further: dragging beyond the end of this one goes on. @param {number} [t_ms] */
  goLive(t_ms) {
    if (t_ms === undefined) this.shared.goLive();
    else this.seek(t_ms);
  }
}

/** Shows moments relative to the one at which the runs are aligned. */
class AlignedClock extends Clocks {
  /** @param {number} zero_ms  in the run's own time */
  constructor(zero_ms) {
    super(0);
    this.zero_ms = zero_ms;
  }

  get origin_ms() {
    return this.zero_ms;
  }

  get sign() {
    return "Δ";
  }

  /** @param {number} at_ms @param {number} digits */
  text(at_ms, digits) {
    const since_ms = at_ms - this.zero_ms;
    return `${since_ms < 0 ? "−" : "+"}${clockText(Math.abs(since_ms), digits)}`;
  }
}

export class Side {
  /**
   * @param {HTMLElement} element
   * @param {SideFacts} facts
   * @param {{ playhead: any, facts: any, lagOf: (facts: SideFacts) => number, looked: (side: Side) => void, selected: (side: Side, sel: string, rec: number) => void, received: () => void }} page
   */
  constructor(element, facts, page) {
    this.element = element;
    this.facts = facts;
    this.page = page;
    this.name = element.dataset.side || "left";
    this.lag_ms = page.lagOf(facts);
    /** The moment that is aligned with that of the other run. */
    this.zero_ms = facts.zero_ms;
    this.lanesHeight = { fit: () => {} };
    this.panelBase = "";
    this.ghost = null;
    /** Nothing is veiled: both runs are looked at as wholes, before and after the playhead alike. */
    this.isCompared = true;
    this.rec = 0;
    this.store = new RecordStore();
    this.clock = new ServerClock();
    this.clock.set(facts.clock);
    this.playhead = new SidePlayhead(page.playhead, this);
    this.timeline = new Timeline(/** @type {HTMLElement} */ (find("[data-timeline]", element)), this);
    if (page.facts.is_aligned) this.timeline.clock = new AlignedClock(this.zero_ms);
    this.timeline.viewport.auto = this.timeline.viewport.follow = false;
    this.socket = new RunSocket({ socketPath: facts.socket, recordsUrl: facts.records, handlers: this.handlers() });
  }

  start() {
    this.socket.start();
    if (this.facts.socket) return;
    this.clock.atLeast(this.facts.clock.now_ms);
  }

  handlers() {
    return {
      headSeq: () => this.store.headSeq,
      onRecords: (/** @type {any[][]} */ rows, /** @type {number} */ now_ms) => {
        this.store.append(rows);
        this.clock.atLeast(Math.max(now_ms || 0, this.store.head_ms));
        this.page.received();
      },
      onClock: (/** @type {any} */ clock) => this.clockSet(clock),
      onHello: (/** @type {any} */ hello) => {
        this.clock.connected = true;
        if (hello.clock) this.clockSet(hello.clock);
      },
      onPresence: () => {},
      onState: (/** @type {string} */ state) => {
        if (state === "closed") this.clock.lost();
      },
      onRefused: () => {},
    };
  }

  /** @param {any} clock */
  clockSet(clock) {
    this.clock.set(clock);
    this.page.playhead.changed();
  }

  /** @param {string} sel @param {number} rec */
  select(sel, rec) {
    this.page.selected(this, sel, rec);
  }

  /** No acts here: a run is acted on from its own page. */
  actOn() {}

  /** @param {number} seq */
  seekTo(seq) {
    const record = this.store.get(seq);
    if (!record) return;
    this.playhead.seek(record.at_ms);
    this.select(record.subject, seq);
    this.timeline.reveal(record.at_ms);
  }

  looked() {
    this.page.looked(this);
  }

  /**
   * Show a selection that was made on either side.
   * @param {string} sel
   * @param {number} rec  record of this run, 0 for none
   */
  show(sel, rec) {
    this.rec = rec;
    this.timeline.showSelection(sel, rec);
  }

  /** Take over the stretch of time that the other side shows. @param {Side} from */
  follow(from) {
    const { viewport } = this.timeline;
    const { start_ms, msPerPx } = from.timeline.viewport.aim ?? from.timeline.viewport;
    const there = { start_ms: start_ms + from.lag_ms - this.lag_ms, msPerPx };
    viewport.auto = viewport.follow = false;
    viewport.aim = from.timeline.viewport.aim ? there : null;
    if (!viewport.aim) Object.assign(viewport, there);
    this.timeline.range = viewport.range();
    this.timeline.invalidate();
  }
}
