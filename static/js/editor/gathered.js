// @ts-check
/** Notes that say the same, as one row: a file with twelve Deployments says twelve times that a field has no effect. */

import { ORDER } from "./severity.js";

/** Notes of these codes come after the others, as on the server (`gathered.py`). */
const LAST = ["not-modelled"];

/**
 * Findings for the list, worst first, then by place; notes of the same words at their first place, with their number.
 * @template {{ severity: string, code: string, message: string, from: number }} T
 * @param {readonly T[]} found
 * @returns {T[]}
 */
export function gathered(found) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const [n, item] of found.entries()) {
    const key = item.severity === "info" ? `${item.code} ${item.message}` : String(n);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const rows = [...groups.values()].map((alike) => {
    const first = alike.reduce((one, other) => (other.from < one.from ? other : one));
    return alike.length > 1 ? /** @type {T} */ ({ ...first, message: `${first.message} (×${alike.length})` }) : first;
  });
  return rows.sort((a, b) => ORDER[a.severity] - ORDER[b.severity] || LAST.indexOf(a.code) - LAST.indexOf(b.code) || a.from - b.from);
}
