// @ts-check
/** The texts of what can be done with a link, in English; the page may send translations as for those of ../base/messages.js. */

export const SHARE_MESSAGES = {
  "share.copied": "Link to this moment copied",
  "share.title": "Link to this moment",
  "share.help": "Whoever opens it sees exactly what you see now.",
  "share.failed": "The link could not be made. Try again.",
  "carry.copied": "Copied ({size} kB).",
  "carry.long": "Copied, but it has {size} kB: some chats cut links of more than 8 kB. A file or a stored link is safer.",
  "carry.large": "This scenario is too large for a link of its own. Share a stored link or a file.",
  "carry.none": "This link carries no scenario.",
  "carry.damaged": "This link is damaged. Copy it again, as a whole.",
  "carry.what": "{title} · Kubernetes {kubernetes} · acts: {acts} · up to {until}",
};
