// @ts-check
/** The texts of classes in English; the page may send translations as for those of ../base/messages.js. */

export const CLASS_MESSAGES = {
  "class.label": "Class",
  "class.code": "Class {code}",
  "class.led": "The class follows you.",
  "class.released": "The class is exploring on its own.",
  "class.follows": "You see what your teacher sees.",
  "class.is_alone": "You are exploring on your own.",
  "class.free": "Your teacher is letting everyone explore.",
  "class.here": "Bring everyone back",
  "class.release": "Let everyone explore",
  "class.lead": "Lead again",
  "class.follow": "Follow",
  "class.alone": "Explore on your own",
  "class.leave": "Leave the class",
  "class.called": "Your teacher is calling everyone back.",
  "class.guessed": "Too many invalid class codes were tried from your address. The class reconnects automatically.",
  "class.ended": "The class has ended.",
};
