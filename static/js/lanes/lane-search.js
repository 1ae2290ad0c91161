// @ts-check
/** Binary searches over the sorted spans and marks of a lane. */

/**
 * Index of the first span that ends after `t_ms`.
 * @param {{ t0: number, t1: number }[]} spans
 * @param {number} t_ms
 */
export function firstEndingAfter(spans, t_ms) {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].t1 <= t_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Index of the first mark at or after `t_ms`.
 * @param {{ t: number }[]} marks
 * @param {number} t_ms
 */
export function firstMarkFrom(marks, t_ms) {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle].t < t_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The span that covers `t_ms`, or null.
 * @param {any[]} spans
 * @param {number} t_ms
 * @returns {any}
 */
export function spanAt(spans, t_ms) {
  const span = spans[firstEndingAfter(spans, t_ms)];
  // Spans need not be adjacent: a lane may begin late, and hooks leave gaps.
  return span && span.t0 <= t_ms ? span : null;
}
