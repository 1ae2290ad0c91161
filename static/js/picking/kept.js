// @ts-check
/**
 * The picks of this tab, by the tree of branches that they belong to: they outlive the page of a branch, but not the tab. What was typed
 * into the form of a level is also kept in this storage (pages/level-draft.js), by the address of the form.
 */

/**
 * @typedef {object} Pick
 * @property {string} do
 * @property {string} run      the run of these records; in another branch, the same numbers may be other records
 * @property {number} seq
 * @property {number} then     the second record, 0 for none
 * @property {number} at_ms    when the first record was made
 * @property {number} then_ms
 * @property {number} within_ms
 * @property {number} from_ms
 * @property {number} until_ms
 * @property {string} text     its sentence, from the server
 * @property {string} pattern
 * @property {string} toml     its TOML table
 */
/** @typedef {{ on: boolean, starts_here: boolean, picks: Pick[] }} Kept */

const KEY = "podscope.picks";

/** @returns {Record<string, Kept>} */
function all() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) || "{}");
  } catch {
    return {};
  }
}

/** @param {string} family @returns {Kept} */
export function readPicks(family) {
  const { on = false, starts_here = false, picks = [] } = all()[family] ?? {};
  return { on, starts_here, picks };
}

/** @param {string} family @param {Kept} kept */
export function keepPicks(family, kept) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...all(), [family]: kept }));
  } catch {
    // Storage may be blocked; the picks then last as long as the page.
  }
}
