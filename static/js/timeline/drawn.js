// @ts-check
/** What a frame of the timeline needs: sizes measured once, what the layers show, and whether what is drawn is still right. */

/** How far the newest moment has to move before the lanes are redrawn for it alone: far enough to be visible, or to show on bars (tenths of
 * a second). */
const STEP_PX = 0.5;
const STEP_MS = 100;
/** How often the strip of the whole run is redrawn while time moves by itself. */
const MAP_MS = 125;

/** @typedef {{ width: number, height: number, labels: number, top: number, map: { width: number, height: number } }} Sizes  px; top: scroll position */

/** Sizes as of the last layout: asking in the middle of a frame that has already changed something would force another one. */
export class Measured {
  /** @param {any} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.known = /** @type {Sizes | null} */ (null);
    const { labels, body, minimap } = timeline;
    const again = () => {
      this.known = this.ask();
      timeline.invalidate();
    };
    const observer = new ResizeObserver(again);
    for (const element of [labels.holder, body, minimap.element]) observer.observe(element);
    body.addEventListener("scroll", again, { passive: true });
  }

  /** @returns {Sizes} */
  sizes() {
    this.known ??= this.ask();
    return this.known;
  }

  /** Something has just changed the sizes. */
  forget() {
    this.known = null;
  }

  /** @returns {Sizes} */
  ask() {
    const { labels, body, minimap: { element } } = this.timeline;
    const taken = labels.width();
    return { width: body.clientWidth - taken, height: body.clientHeight, labels: taken, top: body.scrollTop, map: { width: element.clientWidth, height: element.clientHeight } };
  }
}

/** The state of the top layer, apart from the lanes. @param {any} timeline */
export function overlayState({ run, hover_ms, focus, selected, groups, targets, stretch, gestures, view, rows, size }) {
  const { playhead, store, ghost } = run;
  const { t_ms, live } = playhead;
  const last = rows.at(-1);
  const foot = last ? last.y + last.h - size.top : 0;
  // The hollow lanes of a gesture replace the ends that are known without it.
  const pending = live && !gestures.made?.isActive ? store.pending(t_ms) : [];
  return { t_ms, live, isClear: run.isCompared, imported_ms: store.lanes.imported_ms, futures: ghost, isOldShown: view.isOldShown, foot, hover_ms, focus, selected, groups, targets, pending, stretch: stretch.chosen };
}

/** @param {any} timeline */
export function rulerState({ run, hover_ms, clock, stretch }) {
  const { t_ms, live } = run.playhead;
  return { t_ms, live, hover_ms, commands: run.store.lanes.commands, clock, stretch: stretch.chosen };
}

export class Drawn {
  constructor() {
    this.lanes = "";
    this.mapAt = -Infinity;
  }

  /** Whether the lanes look different from how they were last drawn: records have come, the view or the newest moment has moved. @param {any} timeline */
  isBehind({ run, viewport, size, rowsKey }) {
    const { end_ms } = run.playhead;
    // Everything that the base layer depends on, as one string to compare.
    const now = [Math.round(viewport.xOf(end_ms) / STEP_PX), Math.floor(end_ms / STEP_MS), rowsKey, run.store.headSeq, run.clock.running, viewport.start_ms, viewport.msPerPx, size.width, size.height, size.top].join();
    const isBehind = now !== this.lanes;
    this.lanes = now;
    return isBehind;
  }

  /** @param {number} now @param {boolean} isMoving  whether time moves by itself */
  mapIsDue(now, isMoving) {
    if (isMoving && now - this.mapAt < MAP_MS) return false;
    this.mapAt = now;
    return true;
  }
}
