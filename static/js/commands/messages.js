// @ts-check
/** The texts of the list of commands and of a lane's menu in English; the page may send translations as for those of ../messages.js. */

export const COMMAND_MESSAGES = {
  "pins.pin": "Pin this lane to the top",
  "pins.unpin": "Unpin this lane",
  "commands.title": "Commands",
  "commands.placeholder": "An act, a pod, a moment, a page …",
  "commands.list": "Commands found",
  "commands.count": "{n} commands",
  "commands.one": "1 command",
  "commands.more": "{n} of {all} commands; type more to narrow them",
  "commands.nothing": "Nothing of that name. Enter looks for it in lanes and events.",
  "commands.loading": "Asking what may be done …",
  "commands.acts": "Acts on {name}",
  "commands.time": "Time and lanes",
  "commands.views": "Panels and page",
  "commands.lanes": "Go to",
  "commands.instants": "Moments",
  "commands.branches": "Branches",
  "commands.pages": "Pages",
  "commands.settings": "Theme and language",
  "commands.speed": "Speed {rate}",
  "commands.goto": "Go to {time}",
  "commands.find": "Look for “{words}” in lanes and events",
  "commands.fields": "asks for more",
  "commands.refused": "not now",
};
