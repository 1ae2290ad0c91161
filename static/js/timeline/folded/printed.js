// @ts-check
/** The output of containers, sent by the server piece by piece: log lines are not records, so the browser fetches those on screen. */

import { throttle } from "../../base/dom.js";
import { answerTimeout } from "../../base/retry.js";

/** @typedef {[at_ms: number, instance: number, count: number, errors: number, text: string]} PrintedAt */
/** @typedef {{ from_ms: number, until_ms: number, containers: Record<string, PrintedAt[]> }} Told */
/** @typedef {{ t: number, seq: number, type: string, text: string, data: { instance: number, count: number, errors: number, line: string } }} PrintedMark */

/** Length of a piece, which the server sends in one answer. */
export const PIECE_MS = 300_000;
/** At most this many pieces of a pod are fetched, those nearest the end of what is on screen: a longer stretch has no room for single
 * lines. */
const PIECES_MAX = 12;
/** How often the piece that is still growing is fetched, and the delay after a failed request. */
const AGAIN_MS = 1000;
const FAILED_MS = 5000;
/** This much of a line is shown next to its mark. */
const BESIDE_CHARS = 60;

/** @param {PrintedAt} told @returns {PrintedMark} */
export function markOf([t, instance, count, errors, line]) {
  const words = line.length > BESIDE_CHARS ? `${line.slice(0, BESIDE_CHARS - 1)}…` : line;
  return { t, seq: 0, type: errors ? "Warning" : "Normal", text: count > 1 ? `${words} +${count - 1}` : words, data: { instance, count, errors, line } };
}

/**
 * The pieces that a stretch needs, the last first.
 * @param {number} from_ms
 * @param {number} to_ms
 */
export function piecesOf(from_ms, to_ms) {
  const [first, last] = [from_ms, to_ms].map((t_ms) => Math.floor(Math.max(0, t_ms) / PIECE_MS));
  return Array.from({ length: Math.min(PIECES_MAX, last - first + 1) }, (_, at) => last - at);
}

export class Printed {
  /**
   * @param {string} base  URL to fetch from; empty on pages that show no run of the site
   * @param {() => void} came  called when more has arrived
   */
  constructor(base, came) {
    this.base = base;
    this.came = came;
    /** @type {Map<string, Map<number, number>>} by pod: until when each piece is known */
    this.known = new Map();
    /** @type {Map<string, PrintedMark[]>} by subject of the container, in order of time */
    this.marks = new Map();
    /** @type {Map<string, { from_ms: number, to_ms: number }>} the stretch on screen, by pod */
    this.wishes = new Map();
    this.asking = false;
    this.ask = throttle(AGAIN_MS, () => this.askAll());
  }

  /** A container's output as far as it is known; always the same list object. @param {string} subject */
  of(subject) {
    const marks = this.marks.get(subject) ?? [];
    this.marks.set(subject, marks);
    return marks;
  }

  /**
   * Note that a stretch of a pod is on screen.
   * @param {string} pod
   * @param {number} from_ms
   * @param {number} to_ms
   */
  want(pod, from_ms, to_ms) {
    if (!this.base || !this.missing(pod, from_ms, to_ms)) return;
    this.wishes.set(pod, { from_ms, to_ms });
    if (!this.asking) this.ask();
  }

  /** The next piece to fetch; null if everything is known. @param {string} pod @param {number} from_ms @param {number} to_ms */
  missing(pod, from_ms, to_ms) {
    const known = this.known.get(pod);
    for (const piece of piecesOf(from_ms, to_ms)) {
      const begin_ms = piece * PIECE_MS;
      const until_ms = known?.get(piece) ?? begin_ms - 1;
      if (until_ms < Math.min(begin_ms + PIECE_MS - 1, Math.floor(to_ms))) return { piece, from_ms: Math.max(begin_ms, until_ms) };
    }
    return null;
  }

  /** One request at a time; what has scrolled off the screen in the meantime is not fetched. */
  async askAll() {
    if (this.asking) return;
    this.asking = true;
    try {
      for (let count = 0; count < PIECES_MAX && this.wishes.size; count += 1) await this.askNext();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, FAILED_MS));
    }
    this.asking = false;
    if (this.wishes.size) this.ask();
  }

  async askNext() {
    const [[pod, { from_ms, to_ms }]] = this.wishes;
    const next = this.missing(pod, from_ms, to_ms);
    this.wishes.delete(pod);
    if (!next) return;
    const query = new URLSearchParams({ pod, from_ms: String(next.from_ms), to_ms: String((next.piece + 1) * PIECE_MS - 1) });
    const response = await fetch(`${this.base}?${query}`, { credentials: "same-origin", signal: answerTimeout() });
    if (response.status === 204) this.base = "";
    if (response.status === 204) return;
    if (!response.ok) throw new Error(`log lines answered ${response.status}`);
    this.keep(pod, next.piece, await response.json());
    if (this.missing(pod, from_ms, to_ms)?.piece !== next.piece) this.wishes.set(pod, { from_ms, to_ms });
    this.came();
  }

  /** @param {string} pod @param {number} piece @param {Told} answer */
  keep(pod, piece, answer) {
    const known = this.known.get(pod) ?? new Map();
    known.set(piece, answer.until_ms);
    this.known.set(pod, known);
    for (const [name, entries] of Object.entries(answer.containers)) {
      const marks = this.of(`container/${pod}/${name}`);
      const others = marks.filter(({ t }) => t < answer.from_ms || t > answer.until_ms);
      marks.splice(0, marks.length, ...[...others, ...entries.map(markOf)].sort((a, b) => a.t - b.t));
    }
  }
}
