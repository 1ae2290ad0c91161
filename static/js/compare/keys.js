// @ts-check
/** The keys of the comparison page, for its sheet. They are those of a run's page, with N for the next difference. */

/** @type {[string[], string][]} */
export const KEYS = [
  [["play"], "keys.play"],
  [["prev", "next"], "keys.step"],
  [["secondBack", "secondOn"], "keys.second"],
  [["tenBack", "tenOn"], "keys.ten"],
  [["first", "last"], "keys.ends"],
  [["nextInteresting", "previousInteresting"], "compare.keys.difference"],
  [["zoomIn", "zoomOut"], "keys.zoom"],
  [["panLeft", "panRight"], "keys.pan"],
  [["laneUp", "laneDown"], "keys.lanes"],
  [["spanPrevious", "spanNext"], "keys.spans"],
  [["selectFocused"], "keys.select"],
  [["fit"], "keys.fit"],
  [["map"], "compare.keys.other"],
  [["branch"], "compare.keys.move"],
  [["help"], "keys.help"],
];
