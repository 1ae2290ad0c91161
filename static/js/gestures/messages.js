// @ts-check
/** The texts of gestures in English; the page may send translations as for those of ../base/messages.js. */

export const GESTURE_MESSAGES = {
  "gesture.end": "End of {name}: drag it to let it exit there. Click, or press H, to choose with the keys",
  "gesture.deadline": "End of the grace period of {name}: drag it to delete with another one. Click, or press H, to choose with the keys",
  "gesture.tick": "Attempt of the {name} probe: drag it to decide what the probe sees from here on. Click, or press H, to choose with the keys",
  "gesture.nothing_held": "Nothing to take hold of here: choose a running container, a pod that is being deleted, or a probe",
  "gesture.now": "Now, at {time}",
  "gesture.ahead": "At {time}, in {length}: the run goes there first",
  "gesture.past": "At {time}, in the past: this makes a branch",
  "gesture.looking": "Looking ahead …",
  "gesture.failed": "The server does not answer, so nothing can be said or done.",
  "gesture.then": "Then",
  "gesture.same": "STATUS stays {word}",
  "gesture.gone": "gone",
  "gesture.drop": "Let go to do it · ↑ ↓ choose · Esc cancels",
  "gesture.keys": "← → move · ↑ ↓ choose · Enter does it · Esc cancels",
  "gesture.earlier": "Earlier",
  "gesture.later": "Later",
  "gesture.give": "Do it",
  "gesture.cancel": "Cancel",
  "gesture.cancelled": "Cancelled",
  "gesture.title": "Act by gesture",
};
