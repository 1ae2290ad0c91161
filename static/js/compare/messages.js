// @ts-check
/** The texts of the comparison page, in English; the page may send translations as for those of ../base/messages.js. */

export const COMPARE_MESSAGES = {
  "compare.first": "First difference, at {time}",
  "compare.keys.difference": "next or previous difference",
  "compare.keys.other": "to the other run",
  "compare.keys.move": "to the branch point",
  "compare.move.hint": "Drag, or use the arrow keys: {what} at a different moment, on a new branch",
  "compare.move.earlier": "{length} earlier",
  "compare.move.later": "{length} later",
  "compare.move.at": "at {time}, {by}",
  "compare.move.drop": "release to create this branch, Esc to cancel",
  "compare.move.enter": "Enter creates this branch, Esc cancels",
};
