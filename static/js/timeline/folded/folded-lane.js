// @ts-check
/** A lane that is folded at first. The page's own lanes are made from records; a selection made on this one does not lead back to it by
 * itself. */

export class FoldedLane {
  /**
   * @param {any} timeline
   * @param {{ id: string, kind: string, subject: string, pod: string, name: string }} about
   */
  constructor(timeline, { id, kind, subject, pod, name }) {
    this.timeline = timeline;
    this.id = id;
    this.kind = kind;
    this.subject = subject;
    this.pod = pod;
    this.name = name;
    this.group = "";
    /** @type {any[]} */
    this.spans = [];
    /** @type {any[]} */
    this.node = [];
    /** @type {any[]} */
    this.marks = [];
    /** @type {any[]} */
    this.hooks = [];
    /** @type {any[]} */
    this.flags = [];
    this.endings = new Map();
  }

  /**
   * Select the object of the lane, and stay on the lane, so that the keys move along it.
   * @param {number} rec  0 for none
   */
  select(rec) {
    const { run, labels } = this.timeline;
    run.select(this.subject, rec);
    this.timeline.focus = this.id;
    labels.mark(this.id);
  }
}
