// @ts-check
/** The texts of the search over the lanes, in English; the page may send translations as for those of ../base/messages.js. */

export const SEARCH_MESSAGES = {
  "find.examples": "Text, exit codes, states and how long they last; lanes without a match are hidden",
  "find.example.0": "first exit with that code",
  "find.example.1": "a condition that lasts",
  "find.example.2": "a reason, an event or its text",
  "find.example.3": "pods in a bad state right now",
  "find.example.4": "what someone did",
  "find.example.5": "labels, as in kubectl get -l",
  "find.problem": "“{what}” is not a valid search",
  "find.nothing": "No matches; showing all lanes",
  "find.told": "Moments: {n} · pods: {pods} of {all}. Enter: next, Shift+Enter: previous; outside this field use N and Shift+N",
};
