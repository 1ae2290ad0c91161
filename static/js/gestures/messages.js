// @ts-check
/** The texts of gestures in English; the page may send translations as for those of ../base/messages.js. */

export const GESTURE_MESSAGES = {
  "gesture.end": "End of {name}: drag it to set when it exits. Click, or press H, to use the keyboard",
  "gesture.deadline": "End of the grace period of {name}: drag it to delete with a different grace period. Click, or press H, to use the keyboard",
  "gesture.tick": "Attempt of the {name} probe: drag it to decide the probe’s results from here on. Click, or press H, to use the keyboard",
  "gesture.nothing_held": "Nothing to drag here: choose a running container, a pod that is being deleted, or a probe",
  "gesture.now": "Now, at {time}",
  "gesture.ahead": "At {time}, in {length}: the run advances to that point first",
  "gesture.past": "At {time}, in the past: this creates a branch",
  "gesture.looking": "Looking ahead …",
  "gesture.failed": "The server is not responding, so there is no preview and nothing can be applied.",
  "gesture.then": "Then",
  "gesture.same": "STATUS stays {word}",
  "gesture.gone": "gone",
  "gesture.drop": "Release to apply · ↑ ↓ choose · Esc cancels",
  "gesture.keys": "← → move · ↑ ↓ choose · Enter applies · Esc cancels",
  "gesture.earlier": "Earlier",
  "gesture.later": "Later",
  "gesture.give": "Do it",
  "gesture.cancel": "Cancel",
  "gesture.cancelled": "Cancelled",
  "gesture.title": "Act by dragging",
};
