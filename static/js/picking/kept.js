// @ts-check
/**
 * The picks of this tab, by the tree of branches that they belong to: they outlive the page of a branch, not the tab. What was typed into
 * the form of a level is kept there as well (pages/level-draft.js), by the address of the form.
 */

/**
 * @typedef {object} Pick
 * @property {string} do
 * @property {string} run      whose records these are; another branch may have others by these numbers
 * @property {number} seq
 * @property {number} then     the second record, 0 for none
 * @property {number} at_ms    when the first record was made
 * @property {number} then_ms
 * @property {number} within_ms
 * @property {number} from_ms
 * @property {number} until_ms
 * @property {string} text     what it says, by the server
 * @property {string} pattern
 * @property {string} toml     its table
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
    // Storage may be refused; the picks then last as long as the page.
  }
}
