// @ts-check
/** How well a command fits what was typed. Pure. */

/** @typedef {{ label: string, also?: string, more?: string }} Named  a command's name, its synonyms, and other text that finds it */

/**
 * @typedef {object} Command
 * @property {string} group  the group it is listed in
 * @property {string} label
 * @property {string} [also]  synonyms
 * @property {string} [more]  other text that finds it
 * @property {string} [code]  its kubectl line
 * @property {string} [note]  shown next to the label
 * @property {string} [keys]  keys that do the same
 * @property {string} [lang]  of the label
 * @property {boolean} [refused]  whether it would be refused now
 * @property {boolean} [always]  matches whatever was typed
 * @property {Node | null} [icon]
 * @property {() => void} run
 */

const START = 100;
/** A synonym ranks above whatever always matches (box.js). */
const ALSO = 80;
const WITHIN = 60;
const MORE = 40;
const SCATTERED = 30;

/**
 * How well a name matches: each typed word must be found; the start of a word scores best, letters scattered over the name worst.
 * @param {string} typed
 * @param {Named} named
 * @returns {number} 0 if it does not match; 1 for everything if nothing was typed
 */
export function fits(typed, { label, also = "", more = "" }) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [low, beside] = [label.toLowerCase(), more.toLowerCase()];
  let sum = 1;
  for (const word of words) {
    const found = inside(word, low) || beginning(word, also.toLowerCase(), ALSO) || beginning(word, beside, MORE) || scattered(word, low);
    if (!found) return 0;
    sum += found;
  }
  return words.length && low.startsWith(words.join(" ")) ? sum + START : sum;
}

/** @param {string} word @param {string} low */
function inside(word, low) {
  const start = beginning(word, low, START);
  if (start) return start - Math.min(20, low.length / 8);
  return low.includes(word) ? WITHIN : 0;
}

/** Whether a word of the text begins with `word`; a text that is not divided into words need only contain it. @param {string} word @param {string} low @param {number} worth */
function beginning(word, low, worth) {
  let at = low.indexOf(word);
  while (at >= 0) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(low[at - 1]) || /[^\x00-\x7f]/.test(word)) return worth;
    at = low.indexOf(word, at + 1);
  }
  return 0;
}

/** Whether its letters appear in order, the first at the start of a word and all close together: `gtn` for `Go to now`. @param {string} word @param {string} low */
function scattered(word, low) {
  if (word.length < 2) return 0;
  const starts = [...low.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index);
  for (const start of starts) {
    let at = start;
    if (low[at] !== word[0]) continue;
    let left = 1;
    while (left < word.length && at >= 0) {
      at = low.indexOf(word[left], at + 1);
      if (at >= 0) left += 1;
    }
    const spread = at - start + 1 - word.length;
    if (at >= 0 && spread <= word.length * 3) return Math.max(1, SCATTERED - spread);
  }
  return 0;
}
