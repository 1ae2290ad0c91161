// @ts-check
/**
 * Acts that came from a single client command, such as `kubectl drain` with its cordon and its evictions, share one mark on the ruler, at
 * the first. Only the site knows which belong together; it is asked when acts are close to each other, after a pause.
 */

/** Acts further apart than this are not asked about. */
const CLOSE_MS = 60_000;
const PAUSE_MS = 500;

export class GroupedActs {
  /** @param {any} run @param {() => void} changed  called when the ruler must be redrawn */
  constructor(run, changed) {
    this.run = run;
    this.changed = changed;
    this.url = (run.panelBase ?? "").replace(/at\/$/, "typed/");
    this.seen = 0; // how many acts have been asked about
    this.timer = 0;
    if (this.url && !run.playhead.recorded) document.addEventListener("run:frame", () => this.look());
  }

  look() {
    const { commands } = this.run.store.lanes;
    const isAsked = commands.some((/** @type {any} */ mark, /** @type {number} */ at) => at >= Math.max(1, this.seen) && mark.t - commands[at - 1].t <= CLOSE_MS);
    if (!isAsked) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(), PAUSE_MS);
  }

  async ask() {
    const { commands } = this.run.store.lanes;
    const seen = commands.length;
    const answer = await fetch(this.url, { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok) return;
    /** @type {Record<string, [string, string, number]>} */
    const lines = await answer.json();
    this.seen = seen;
    for (const mark of commands) mark.isPart = (lines[mark.seq]?.[2] ?? mark.seq) !== mark.seq;
    this.changed();
  }
}
