// @ts-check
/**
 * Panels over a stretch of the run, held by the browser: going back and forth in it sends no requests.
 *
 * A track is all versions of one panel over a stretch of time, with the moment from which each is valid. Neighbouring versions are nearly
 * the same, so the server sends every line once, and each version as the numbers of its lines, encoded as the difference from the version
 * before: lines kept at the head, new ones, lines kept at the tail. A minute of a panel costs little more than a single version.
 *
 * A version is valid from a moment on, but it also depends on the records: if the browser has received fewer or more records by that moment
 * than the track was made from, the track has no answer (`bodyIn`), and the panel is fetched as usual. Not every tab has tracks; the server
 * answers 204 for those without, which is remembered. Why is special: its explanation of a record never changes, so it is kept by record.
 */

import { answerTimeout } from "../base/retry.js";

/** @typedef {{ from_ms: number, until_ms: number, last: number, more: boolean, steps: [number, number, number][], lines: string[], bodies: [number, number[], number][] }} Told */
/** @typedef {{ from_ms: number, until_ms: number, last: number, more: boolean, steps: [number, number, number][], lines: string[], bodies: number[][], shown: number, text: string }} Part */
/** @typedef {{ tab: string, sel: string, rec: number, part?: string, line?: string, did?: number, namespace?: string }} What */
/** @typedef {{ seq: number, t_ms: number }} Moment */

/** How far around the moment a panel is fetched, in simulated time. */
export const AROUND_MS = 60_000;
/** The first fetch begins this far before the moment. */
const BEFORE_MS = 5_000;
/** A stretch takes at most this many answers; going further asks again. */
const PARTS_MAX = 4;
/** How many records' causes one answer explains; the server accepts no more. */
export const CAUSES_MAX = 40;
/** How many panels are held; beyond that, the one asked for longest ago is dropped. */
const HELD_MAX = 12;

/**
 * Decode an answer, with every version as the numbers of its lines. Each is encoded as the difference from the one before it.
 * @param {Told} answer
 * @returns {Part}
 */
export function partOf(answer) {
  const bodies = [];
  /** @type {number[]} */
  let before = [];
  for (const [head, lines, tail] of answer.bodies) {
    before = [...before.slice(0, head), ...lines, ...before.slice(before.length - tail)];
    bodies.push(before);
  }
  return { ...answer, bodies, shown: -1, text: "" };
}

/**
 * The panel's content at a moment, from one part; null if the part does not reach there, or was made from a different number of records.
 * @param {Part} part
 * @param {Moment} moment
 * @returns {string | null}
 */
export function bodyIn(part, { seq, t_ms }) {
  // A version is valid from a whole millisecond on.
  const at = Math.floor(t_ms);
  if (at < part.from_ms || at > part.until_ms) return null;
  let low = 0;
  let high = part.steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (part.steps[middle][1] <= at) low = middle + 1;
    else high = middle;
  }
  const step = part.steps[low - 1];
  const next = part.steps[low];
  // Records that leave the panel unchanged make no step, so any number up to that of the next step is right.
  if (!step || seq < step[0] || seq > (next ? next[0] : part.last)) return null;
  if (part.shown !== step[2]) {
    part.shown = step[2];
    part.text = part.bodies[step[2]].map((line) => part.lines[line]).join("\n");
  }
  return part.text;
}

/**
 * The first moment from `from_ms` on that none of the parts covers.
 * @param {Part[]} parts
 * @param {number} from_ms
 */
export function firstMissing(parts, from_ms) {
  let at = from_ms;
  for (let part; (part = parts.find((each) => each.from_ms <= at && each.until_ms > at)); ) at = part.until_ms;
  return at;
}

export class Tracks {
  /** @param {string} base  URL of the tracks, empty if the page has none */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Part[]>} */
    this.held = new Map();
    /** @type {Set<string>} */
    this.asking = new Set();
    /** @type {Map<number, string>} the Why panel of each record, which never changes */
    this.causes = new Map();
    /** Panels that have no track: each of their moments is fetched by itself. */
    this.without = new Set();
  }

  /**
   * The panel at a moment, if it is held.
   * @param {What} what
   * @param {Moment} moment
   * @returns {string | null}
   */
  body(what, moment) {
    // The default view of a chain of causes is held; as a sequence it is fetched.
    if (what.tab === "why" && what.rec && what.rec <= moment.seq) return what.part ? null : (this.causes.get(what.rec) ?? null);
    // For a record that is still to come, Why shows the newest one instead.
    const rec = what.tab === "why" ? 0 : what.rec;
    for (const part of this.held.get(keyOf({ ...what, rec })) || []) {
      const found = bodyIn(part, moment);
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * Fetch what is around a moment, part by part: first what comes after it, then what came before. Nothing is fetched twice at the same
   * time.
   * @param {What} what
   * @param {number} t_ms
   */
  async want(what, t_ms) {
    const key = keyOf(what);
    if (!this.base || this.without.has(what.tab) || this.asking.has(key)) return;
    this.asking.add(key);
    const [from_ms, middle_ms, to_ms] = [t_ms - AROUND_MS, t_ms - BEFORE_MS, t_ms + AROUND_MS].map((each) => Math.max(0, Math.floor(each)));
    try {
      // Ahead first: most readers go on in the direction in which time runs.
      await this.fetchStretch(what, middle_ms, to_ms);
      await this.fetchStretch(what, from_ms, middle_ms);
    } catch {
      // The moment itself has been fetched as well; the next miss tries again.
    } finally {
      this.asking.delete(key);
    }
  }

  /**
   * @param {What} what
   * @param {number} begin_ms
   * @param {number} to_ms
   */
  async fetchStretch(what, begin_ms, to_ms) {
    const key = keyOf(what);
    let from_ms = firstMissing(this.held.get(key) || [], begin_ms);
    for (let count = 0; count < PARTS_MAX && from_ms <= to_ms; count += 1) {
      const answer = await this.fetchPart(what, from_ms, to_ms);
      if (answer === null) return;
      this.keep(key, partOf(answer));
      if (!answer.more) return;
      from_ms = firstMissing(this.held.get(key) || [], answer.until_ms);
    }
  }

  /** Fetch the explanations of these records. @param {number[]} recs */
  async wantCauses(recs) {
    const missing = recs.filter((rec) => !this.causes.has(rec)).slice(0, CAUSES_MAX);
    if (!this.base || !missing.length || this.without.has("why") || this.asking.has("causes")) return;
    this.asking.add("causes");
    try {
      const found = await this.ask("why", new URLSearchParams({ recs: missing.join(",") }));
      for (const [rec, html] of Object.entries(found?.causes ?? {})) this.causes.set(Number(rec), html);
    } catch {
      // As above.
    } finally {
      this.asking.delete("causes");
    }
  }

  /**
   * @param {What} what
   * @param {number} from_ms
   * @param {number} to_ms
   * @returns {Promise<Told | null>}
   */
  async fetchPart({ tab, sel, rec, part, line, did, namespace }, from_ms, to_ms) {
    const query = new URLSearchParams({ sel, rec: rec ? String(rec) : "", from_ms: String(from_ms), to_ms: String(to_ms) });
    if (part) query.set("part", part);
    if (line) query.set("k", line);
    if (did) query.set("did", String(did));
    if (namespace) query.set("ns", namespace);
    return this.ask(tab, query);
  }

  /** @param {string} tab @param {URLSearchParams} query */
  async ask(tab, query) {
    const response = await fetch(`${this.base}${tab}/?${query}`, { credentials: "same-origin", signal: answerTimeout() });
    if (response.status === 204 || response.status === 404) this.without.add(tab);
    return response.status === 200 ? response.json() : null;
  }

  /**
   * @param {string} key
   * @param {Part} part
   */
  keep(key, part) {
    const parts = this.held.get(key) || [];
    this.held.delete(key);
    this.held.set(key, [part, ...parts.filter((held) => held.from_ms < part.from_ms || held.until_ms > part.until_ms)]);
    // A Map keeps insertion order; having been set again above, this key is the youngest.
    while (this.held.size > HELD_MAX) this.held.delete(/** @type {string} */ (this.held.keys().next().value));
  }
}

/** @param {What} what */
function keyOf({ tab, sel, rec, part = "", line = "", did = 0, namespace = "" }) {
  return `${tab}|${sel}|${rec}|${part}|${did}|${namespace}|${line}`;
}
