// @ts-check
/** Panels over a stretch of the run, held by the browser: going back and forth in it asks the server nothing. */

/** @typedef {{ first: number, last: number, last_ms: number, more: boolean, steps: [number, number][], bodies: string[] }} Part */
/** @typedef {{ tab: string, sel: string, rec: number }} What */

/** So far around the moment a panel is fetched, in simulated time. */
export const AROUND_MS = 60_000;
/** A stretch is told in at most so many answers; who goes further asks again. */
const PARTS_MAX = 4;
/** So many causes are told in one answer; the server takes no more. */
export const CAUSES_MAX = 40;
/** Panels that are held; of more the one that was asked for longest ago is forgotten. */
const HELD_MAX = 12;
const ANSWER_MS = 20_000;

/**
 * What a part says of the moment after record `seq`; null where it does not reach there.
 * @param {Part} part
 * @param {number} seq
 * @returns {string | null}
 */
export function bodyIn(part, seq) {
  if (seq < part.first || seq > part.last) return null;
  let low = 0;
  let high = part.steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (part.steps[middle][0] <= seq) low = middle + 1;
    else high = middle;
  }
  return low ? part.bodies[part.steps[low - 1][1]] : null;
}

export class Tracks {
  /** @param {string} base  where tracks are asked for, empty where the page has none */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Part[]>} */
    this.held = new Map();
    /** @type {Set<string>} */
    this.asking = new Set();
    /** @type {Map<number, string>} what the panel Why says of a record, which never changes */
    this.causes = new Map();
    /** Panels that have no track: each of their moments is asked for by itself. */
    this.without = new Set();
  }

  /**
   * The panel after record `seq`, where it is held.
   * @param {What} what
   * @param {number} seq
   * @returns {string | null}
   */
  body(what, seq) {
    if (what.tab === "why" && what.rec && what.rec <= seq) return this.causes.get(what.rec) ?? null;
    // Of a record that is still to come Why tells what is newest instead.
    const rec = what.tab === "why" ? 0 : what.rec;
    for (const part of this.held.get(keyOf({ ...what, rec })) || []) {
      const found = bodyIn(part, seq);
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * Fetch what is around a moment, part by part. Nothing is asked for twice at a time.
   * @param {What} what
   * @param {number} t_ms
   */
  async want(what, t_ms) {
    const key = keyOf(what);
    if (!this.base || this.without.has(what.tab) || this.asking.has(key)) return;
    this.asking.add(key);
    try {
      let from_ms = Math.max(0, Math.floor(t_ms - AROUND_MS));
      for (let count = 0; count < PARTS_MAX; count += 1) {
        const part = await this.fetchPart(what, from_ms, Math.ceil(t_ms + AROUND_MS));
        if (part === null) return;
        this.keep(key, part);
        if (!part.more) return;
        from_ms = part.last_ms;
      }
    } catch {
      // The moment itself has been asked for as well; the next miss tries again.
    } finally {
      this.asking.delete(key);
    }
  }

  /** Fetch why these records came to be. @param {number[]} recs */
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
   * @returns {Promise<Part | null>}
   */
  async fetchPart({ tab, sel, rec }, from_ms, to_ms) {
    const query = new URLSearchParams({ sel, rec: rec ? String(rec) : "", from_ms: String(from_ms), to_ms: String(to_ms) });
    return this.ask(tab, query);
  }

  /** @param {string} tab @param {URLSearchParams} query */
  async ask(tab, query) {
    const response = await fetch(`${this.base}${tab}/?${query}`, { credentials: "same-origin", signal: AbortSignal.timeout(ANSWER_MS) });
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
    this.held.set(key, [part, ...parts.filter((held) => held.first < part.first || held.last > part.last)]);
    while (this.held.size > HELD_MAX) this.held.delete(/** @type {string} */ (this.held.keys().next().value));
  }
}

/** @param {What} what */
function keyOf({ tab, sel, rec }) {
  return `${tab}|${sel}|${rec}`;
}
