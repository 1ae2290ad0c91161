// @ts-check
/** The texts of predictions and hints in English; the page may send translations as for those of ../base/messages.js. */

export const LEARN_MESSAGES = {
  "predict.title": "Predict",
  "predict.asking": "The run stops for a question …",
  "predict.answer": "That is my answer",
  "predict.close": "Close",
  "predict.goes": "Noted. The run goes on to the answer …",
  "predict.right": "Right.",
  "predict.wrong": "Not so.",
  "predict.void": "Void.",
  "predict.truth": "what happened",
  "predict.yours": "your answer",
  "predict.acted": "Somebody has acted meanwhile, so this prediction is void.",
  "predict.why": "Why?",
  "predict.another": "Another question",
  "predict.score": "{right} of {asked} right so far",
  "predict.viewer": "Only who owns a run can be led to the answer. An act makes a branch of your own: predict there.",
  "predict.failed": "The server does not answer, so nothing is asked.",
  "hint.meaning": "Hint: what it means",
  "hint.todo": "Hint: what to do",
  "hint.close": "Close the hint",
  "hint.where": "Hint: where to look",
};
