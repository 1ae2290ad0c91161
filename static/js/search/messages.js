// @ts-check
/** The texts of the search over the lanes, in English; the page may send translations as for those of ../base/messages.js. */

export const SEARCH_MESSAGES = {
  "find.examples": "Words, codes, states and how long they last; lanes without any of it are hidden",
  "find.example.0": "the first exit with that code",
  "find.example.1": "a condition that lasts",
  "find.example.2": "a reason, an event or its text",
  "find.example.3": "pods that are in a bad state now",
  "find.example.4": "what somebody did",
  "find.example.5": "labels, as kubectl get -l takes them",
  "find.problem": "“{what}” cannot be read",
  "find.nothing": "Nothing found; all lanes are shown",
  "find.told": "Instants: {n} · pods: {pods} of {all}. Enter: next, Shift+Enter: back; outside this field N and Shift+N",
};
