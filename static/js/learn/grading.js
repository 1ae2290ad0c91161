// @ts-check
/** What becomes of a prediction once it was answered, and how many were right. No page needed. */

/**
 * @typedef {object} Graded  what the server said of an answer
 * @property {boolean} right
 * @property {string} truth  the answer that is right
 * @property {string} told  what happens
 * @property {number} at_ms  when it shows
 * @property {number} seq  in which record, 0 for none
 */

/**
 * @typedef {object} Question  as the server asks it
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
 * Whether the run has come to the answer, or an act has changed its course before.
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
 * The score as it is kept: `3/5`. What cannot be read counts as nothing.
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
