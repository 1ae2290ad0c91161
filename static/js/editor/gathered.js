// @ts-check
/** Identical notes as one row: a file with twelve Deployments would say twelve times that a field has no effect. */

import { ORDER } from "./severity.js";

/** Codes of notes by consequence, as on the server (`gathered.py`): those that matter most first, fields without effect last. */
const BY_CONSEQUENCE = ["noted", "presumed", "bare-server", "no-controller", "custom-kind", "not-simulated"];
const LAST = ["not-modelled", "default"];

/** @param {{ severity: string, code: string }} item */
function rank({ severity, code }) {
  if (severity !== "info") return 0;
  if (BY_CONSEQUENCE.includes(code)) return BY_CONSEQUENCE.indexOf(code);
  return BY_CONSEQUENCE.length + 1 + LAST.indexOf(code);
}

/**
 * Findings for the list, worst first, then by consequence and position; identical notes at their first position, with their number.
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
  return rows.sort((a, b) => ORDER[a.severity] - ORDER[b.severity] || rank(a) - rank(b) || a.from - b.from);
}
