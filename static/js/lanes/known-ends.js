// @ts-check
/**
 * What is known in advance: when a back-off runs out, when KILL follows TERM, when a pod's grace or
 * the time it tolerates a taint is spent, and the next attempts of probes.
 *
 * Records say what has happened; some also say until when something lasts. Such an end stands from
 * the record that told of it until it comes true or is withdrawn, and of each kind and subject
 * there is one at a time: a new one takes the place of the old. An end that is over is kept, with
 * the moment at which it ended, because a page that looks at the past has to show what was known
 * then, not what is known now.
 *
 * Records name these ends themselves, with one exception: the sync that stops a container records a
 * back-off that the next sync, which writes no record, measures again from the newest end.
 * `backoff` does the same.
 */

/** @type {Record<string, number>} */
const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A span as Go prints it, 1m20s, in ms. @param {string} written */
function goSpan(written) {
  return [...written.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit], 0);
}

/** @typedef {"backoff" | "deadline" | "kill" | "taint" | "probe"} EndKind */

/**
 * A back-off that is over holds nothing back any more, yet the container starts only when the kubelet looks at its pod again, at a
 * moment that is not known.
 * @typedef {EndKind | "overdue"} StandingKind
 */

/**
 * @typedef {object} KnownEnd
 * @property {EndKind} kind
 * @property {string} subject
 * @property {number} from_ms
 * @property {number} until_ms
 * @property {number} seq  the record that told of it
 * @property {number} ended_ms  when it came true or was withdrawn; Infinity while it stands
 */

export class KnownEnds {
  constructor() {
    /** @type {KnownEnd[]} in order of from_ms */
    this.all = [];
    /** @type {Map<string, KnownEnd>} the newest of each kind and subject */
    this.newest = new Map();
    /** @type {Set<KnownEnd>} neither come true nor withdrawn by the last record */
    this.standing = new Set();
    this.last_ms = 0;
  }

  /**
   * Saying the same again changes nothing; a new end withdraws the old one.
   * @param {EndKind} kind
   * @param {{ subject: string, at_ms: number, seq: number }} record
   * @param {number} until_ms
   */
  make(kind, { subject, at_ms, seq }, until_ms) {
    const standing = this.newest.get(`${kind}:${subject}`);
    // Each sync of the kubelet names the same end again.
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
   * The kubelet holds no container of these pods back any more: it starts none, or has lost its memory.
   * @param {{ at_ms: number }} record
   * @param {{ key: string }[]} pods
   */
  forgotten({ at_ms }, pods) {
    for (const { key } of pods) {
      for (const { kind, subject } of [...this.standing]) if (kind === "backoff" && subject.startsWith(`container/${key}/`)) this.end(kind, { subject, at_ms });
    }
  }

  /**
   * A container's step on its node: it is held back until a moment, or not. The sync that stopped it still measures from the end of
   * the instance before, as it looked before the stop; the next one measures from the newest end and writes no record of that.
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
   * TERM was sent: KILL follows when the grace is spent.
   * @param {{ subject: string, at_ms: number, seq: number, target: string, data: Record<string, any> }} record
   */
  stop(record) {
    const left_s = Number(record.data.left_s || 0);
    if (record.target === "term" && left_s > 0) this.make("kill", record, record.at_ms + left_s * 1000);
    else this.end("kill", record);
  }

  /**
   * An attempt of a probe says when the next one comes. Only the newest is kept: those before it were made, and are marks.
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
   * What stands at a moment, the nearest end first; at last what has no known one.
   * @param {number} t_ms
   * @returns {(Omit<KnownEnd, "kind"> & { kind: StandingKind })[]}
   */
  at(t_ms) {
    // At the newest moment, which is asked for in every frame, only what stands has to be looked at.
    const some = (t_ms >= this.last_ms ? [...this.standing] : this.all).filter(({ from_ms, ended_ms }) => from_ms <= t_ms && t_ms < ended_ms);
    const ahead = some.filter(({ until_ms }) => until_ms > t_ms).sort((a, b) => a.until_ms - b.until_ms);
    const overdue = some.filter(({ kind, until_ms }) => kind === "backoff" && until_ms <= t_ms);
    return [...ahead, ...overdue.map((known) => ({ ...known, kind: /** @type {const} */ ("overdue") }))];
  }
}
