// @ts-check
/** The texts of the sheet where keys are changed, in English; the page may send translations as for those of ../messages.js. */

export const KEY_MESSAGES = {
  "keys.own.how": "Press a key of the list, then the one that it shall be. Keys with Ctrl, Alt or ⌘ are the browser's.",
  "keys.own.letters": "Keys of one letter, digit or sign work",
  "keys.own.on": "Keys of one letter, digit or sign work again.",
  "keys.own.change": "Change {key}: {action}",
  "keys.own.change_title": "Change this key",
  "keys.own.press": "Now the new key for “{action}”; Esc leaves it as it is.",
  "keys.own.browser": "That key is the browser's. Take one without Ctrl, Alt or ⌘.",
  "keys.own.taken": "{key} cannot be changed: it is “{action}”. Take another one.",
  "keys.own.taken_swap": "{key} is “{action}”. Swap the two?",
  "keys.own.swap": "Swap",
  "keys.own.changed": "{key} is “{action}” now.",
  "keys.own.reset": "Back to {key}",
  "keys.own.is_reset": "{key} is “{action}” again.",
  "keys.own.reset_all": "Reset all keys",
  "keys.own.all_reset": "All keys are as they were made.",
};
