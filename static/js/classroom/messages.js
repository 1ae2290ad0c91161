// @ts-check
/** The texts of classes in English; the page may send translations as for those of ../base/messages.js. */

export const CLASS_MESSAGES = {
  "class.label": "Class",
  "class.code": "Class {code}",
  "class.led": "The class follows you.",
  "class.released": "The class looks around alone.",
  "class.follows": "You see what your teacher sees.",
  "class.is_alone": "You look around alone.",
  "class.free": "Your teacher lets everybody look around.",
  "class.here": "Everybody here",
  "class.release": "Let them look around",
  "class.lead": "Lead again",
  "class.follow": "Follow",
  "class.alone": "Look around alone",
  "class.leave": "Leave the class",
  "class.called": "Your teacher calls everybody.",
  "class.guessed": "Too many codes that do not exist were tried from your address. The class comes back by itself.",
  "class.ended": "The class has ended.",
};
