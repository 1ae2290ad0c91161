// @ts-check
/** What becomes of a prediction once it is answered, and how many were right. Needs no page. */

/**
 * @typedef {object} Graded  the server's verdict on an answer
 * @property {boolean} right
 * @property {string} truth  the right answer
 * @property {string} told  the explanation
 * @property {number} at_ms  when it becomes visible
 * @property {number} seq  in which record, 0 for none
 */

/**
 * @typedef {object} Question  as sent by the server
 * @property {string} kind
 * @property {string} sel
 * @property {number} at_ms
 * @property {number} after
 * @property {number} given
 * @property {string} question
 * @property {{ value: string, label: string }[]} choices
 */

/** @typedef {{ right: number, asked: number }} Score */

/**
 * Whether the run has reached the answer, or an act has changed its course before that.
 * @param {{ store: { headSeq: number, get: (seq: number) => any }, end_ms: number }} run
 * @param {number} after  the last record when the question was asked
 * @param {{ at_ms: number, seq: number }} graded
 * @returns {"going" | "there" | "void"}
 */
export function stateOf({ store, end_ms }, after, { at_ms, seq }) {
  const last = seq || Infinity;
  for (let next = after + 1; next <= store.headSeq && next <= last; next += 1) {
    const record = store.get(next);
    if (record.at_ms > at_ms) break;
    if (record.kind === "command") return "void";
  }
  return end_ms >= at_ms && store.headSeq >= seq ? "there" : "going";
}

/**
 * Parse a stored score: `3/5`. Anything unreadable counts as zero.
 * @param {string | null} written
 * @returns {Score}
 */
export function readScore(written) {
  const [, right = "0", asked = "0"] = /^(\d{1,6})\/(\d{1,6})$/.exec(written ?? "") ?? [];
  return Number(right) <= Number(asked) ? { right: Number(right), asked: Number(asked) } : { right: 0, asked: 0 };
}

/** @param {Score} score @param {boolean} isRight @returns {Score} */
export function counted({ right, asked }, isRight) {
  return { right: right + (isRight ? 1 : 0), asked: asked + 1 };
}

/** @param {Score} score */
export function writtenScore({ right, asked }) {
  return `${right}/${asked}`;
}
