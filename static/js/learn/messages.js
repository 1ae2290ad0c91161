// @ts-check
/** The texts of predictions and hints in English; the page may send translations as for those of ../base/messages.js. */

export const LEARN_MESSAGES = {
  "predict.title": "Predict",
  "predict.asking": "Pausing the run for a question …",
  "predict.answer": "Submit answer",
  "predict.close": "Close",
  "predict.goes": "Answer saved. The run is advancing to the result …",
  "predict.right": "Correct.",
  "predict.wrong": "Not quite.",
  "predict.void": "Void.",
  "predict.truth": "what happened",
  "predict.yours": "your answer",
  "predict.acted": "Someone acted in the meantime, so this prediction is void.",
  "predict.why": "Why?",
  "predict.another": "Another question",
  "predict.score": "{right} of {asked} correct so far",
  "predict.viewer": "Only the owner of a run can jump to the answer. Acting creates your own branch: predict there.",
  "predict.failed": "The server is not responding, so there is no question.",
  "hint.meaning": "Hint: what it means",
  "hint.todo": "Hint: what to do",
  "hint.close": "Close the hint",
  "hint.where": "Hint: where to look",
};
