// @ts-check
/**
 * Ends that are known in advance: when a back-off runs out, when KILL follows TERM, when a pod's grace period or its toleration of a taint
 * ends, and when probes make their next attempts.
 *
 * Records say what has happened; some also say until when something lasts. Such an end stands from the record that announced it until it
 * comes true or is withdrawn. There is at most one of each kind and subject at a time: a new one replaces the old. An end that is over is
 * kept, with the moment at which it ended, because a page that looks at the past has to show what was known then, not what is known now.
 *
 * Records state these ends themselves, with one exception: the sync that stops a container records a back-off that the next sync, which
 * writes no record, measures again from the newest end. `backoff` does the same.
 */

/** @type {Record<string, number>} */
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration as Go prints it, 1m20s, in ms. @param {string} written */
function goSpan(written) {
  return [...written.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit], 0);
}

/** @typedef {"backoff" | "deadline" | "kill" | "taint" | "probe"} EndKind */

/**
 * A back-off that has run out no longer holds anything back, yet the container starts only when the kubelet next syncs its pod, and that
 * moment is not known.
 * @typedef {EndKind | "overdue"} StandingKind
 */

/**
 * @typedef {object} KnownEnd
 * @property {EndKind} kind
 * @property {string} subject
 * @property {number} from_ms
 * @property {number} until_ms
 * @property {number} seq  the record that announced it
 * @property {number} ended_ms  when it came true or was withdrawn; Infinity while it stands
 */

export class KnownEnds {
  constructor() {
    /** @type {KnownEnd[]} in order of from_ms */
    this.all = [];
    /** @type {Map<string, KnownEnd>} the newest of each kind and subject */
    this.newest = new Map();
    /** @type {Set<KnownEnd>} neither come true nor withdrawn as of the last record */
    this.standing = new Set();
    this.last_ms = 0;
  }

  /**
   * Announce an end; repeating it changes nothing, and a different one withdraws the old one.
   * @param {EndKind} kind
   * @param {{ subject: string, at_ms: number, seq: number }} record
   * @param {number} until_ms
   */
  make(kind, { subject, at_ms, seq }, until_ms) {
    const standing = this.newest.get(`${kind}:${subject}`);
    // Each sync of the kubelet announces the same end again.
    if (standing && standing.until_ms === until_ms && standing.ended_ms === Infinity) return;
    this.end(kind, { subject, at_ms });
    const known = { kind, subject, from_ms: at_ms, until_ms, seq, ended_ms: Infinity };
    this.all.push(known);
    this.standing.add(known);
    this.newest.set(`${kind}:${subject}`, known);
  }

  /**
   * @param {EndKind} kind
   * @param {{ subject: string, at_ms: number }} record
   */
  end(kind, { subject, at_ms }) {
    const known = this.newest.get(`${kind}:${subject}`);
    this.last_ms = Math.max(this.last_ms, at_ms);
    if (!known) return;
    // It may end twice: the container starts, then its pod is deleted.
    known.ended_ms = Math.min(known.ended_ms, at_ms);
    this.standing.delete(known);
  }

  /**
   * The kubelet no longer holds back any container of these pods: it will not start them, or it has lost its memory of them.
   * @param {{ at_ms: number }} record
   * @param {{ key: string }[]} pods
   */
  endBackoffsOf({ at_ms }, pods) {
    for (const { key } of pods) {
      for (const { kind, subject } of [...this.standing]) if (kind === "backoff" && subject.startsWith(`container/${key}/`)) this.end(kind, { subject, at_ms });
    }
  }

  /**
   * A step of a container on its node, which may be held back until some moment. The sync that stopped it still measures from the end of
   * the instance before, as things were before the stop; the next one measures from the newest end and records nothing.
   * @param {{ subject: string, at_ms: number, seq: number, rule: string, data: Record<string, any> }} record
   * @param {number} ended_ms  when the newest instance ended
   */
  backoff(record, ended_ms) {
    const told_ms = Number(record.data.until_ms || 0);
    const until_ms = record.rule === "BACKOFF-WAIT" ? Math.max(told_ms, ended_ms + goSpan(String(record.data.window || ""))) : told_ms;
    if (told_ms > record.at_ms) this.make("backoff", record, until_ms);
    else this.end("backoff", record);
  }

  /**
   * TERM was sent: KILL follows when the grace period ends.
   * @param {{ subject: string, at_ms: number, seq: number, target: string, data: Record<string, any> }} record
   */
  stop(record) {
    const left_s = Number(record.data.left_s || 0);
    if (record.target === "term" && left_s > 0) this.make("kill", record, record.at_ms + left_s * 1000);
    else this.end("kill", record);
  }

  /**
   * An attempt of a probe says when the next one is due. Only the newest is kept: earlier ones were made, and are marks.
   * @param {{ subject: string, at_ms: number, seq: number, data: Record<string, any> }} record
   */
  attempt({ subject, at_ms, seq, data }) {
    this.end("probe", { subject, at_ms });
    if (!data.next_ms) return;
    const known = { kind: /** @type {const} */ ("probe"), subject, from_ms: at_ms, until_ms: Number(data.next_ms), seq, ended_ms: Infinity };
    this.standing.add(known);
    this.newest.set(`probe:${subject}`, known);
  }

  /**
   * The ends that stand at a moment, the nearest first; back-offs that are overdue, whose end is unknown, come last.
   * @param {number} t_ms
   * @returns {(Omit<KnownEnd, "kind"> & { kind: StandingKind })[]}
   */
  at(t_ms) {
    // At the newest moment, which is queried in every frame, only the standing ends matter.
    const some = (t_ms >= this.last_ms ? [...this.standing] : this.all).filter(({ from_ms, ended_ms }) => from_ms <= t_ms && t_ms < ended_ms);
    const ahead = some.filter(({ until_ms }) => until_ms > t_ms).sort((a, b) => a.until_ms - b.until_ms);
    const overdue = some.filter(({ kind, until_ms }) => kind === "backoff" && until_ms <= t_ms);
    return [...ahead, ...overdue.map((known) => ({ ...known, kind: /** @type {const} */ ("overdue") }))];
  }
}
