// @ts-check
/** The keys of the page of two runs, for its sheet. They are those of a run's page, with N for the next difference. */

/** @type {[string, string][]} */
export const KEYS = [
  ["Space", "keys.play"],
  ["← →", "keys.step"],
  ["Shift ← →", "keys.second"],
  ["PgUp PgDn", "keys.ten"],
  ["Home End", "keys.ends"],
  ["N Shift+N", "compare.keys.difference"],
  ["W S", "keys.zoom"],
  ["A D", "keys.pan"],
  ["↑ ↓", "keys.lanes"],
  [", .", "keys.spans"],
  ["Enter", "keys.select"],
  ["0", "keys.fit"],
  ["C", "compare.keys.other"],
  ["B", "compare.keys.move"],
  ["?", "keys.help"],
];
