// @ts-check
/** Spans (something lasted) and marks (something happened): their fields, and how records become them. */

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

/**
 * @typedef {object} Span
 * @property {number} t0
 * @property {number} t1  Infinity while it lasts
 * @property {number} seq  record that opened it
 * @property {string} tone
 * @property {string} text
 * @property {Record<string, any>} data
 */

/**
 * @typedef {object} Mark
 * @property {number} t
 * @property {number} seq
 * @property {string} type  probe result, Normal or Warning, accepted or refused
 * @property {string} text
 * @property {Record<string, any>} data
 */

/**
 * Close the open span and open the next; a record that only repeats the value adds nothing but its newer data.
 * @param {Span[]} spans
 * @param {Rec} record
 * @param {string} tone
 * @param {string} word
 * @param {boolean} [stale]  whether the node is cut off and this may be out of date
 */
export function open(spans, record, tone, word, stale = false) {
  const last = spans[spans.length - 1];
  if (last) {
    // Another instance or another truth (stale) makes another span, though it reads the same.
    const same = last.tone === tone && last.text === word && last.data.instance === record.data.instance && !last.data.stale === !stale;
    if (same && last.data.reason === record.data.reason) {
      // The record does not become the span's own: the span keeps pointing to the record that began it.
      last.data = { ...last.data, ...record.data };
      return;
    }
    last.t1 = record.at_ms;
  }
  spans.push({ t0: record.at_ms, t1: Infinity, seq: record.seq, tone, text: word, data: stale ? { ...record.data, stale } : record.data });
}

/**
 * Split the open span at a record: from there it is stale, the last state the API server knew, or current again.
 * @param {Span[]} spans
 * @param {Rec} record
 * @param {boolean} stale
 */
export function turnStale(spans, record, stale) {
  const last = spans[spans.length - 1];
  // What is gone has nothing more to report, and so cannot be out of date.
  if (!last || last.tone === "absent" || last.t1 !== Infinity || !last.data.stale === !stale) return;
  last.t1 = record.at_ms;
  spans.push({ ...last, t0: record.at_ms, t1: Infinity, seq: record.seq, data: { ...last.data, stale } });
}

/**
 * @param {Rec} record
 * @param {string} type
 * @param {string} word
 * @returns {Mark}
 */
export function mark(record, type, word) {
  return { t: record.at_ms, seq: record.seq, type, text: word, data: record.data };
}

/** @param {string} word */
export function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
