// @ts-check
/** The texts of the options for a link, in English; the page may send translations as for those of ../base/messages.js. */

export const SHARE_MESSAGES = {
  "share.copied": "Link to this moment copied",
  "share.title": "Link to this moment",
  "share.help": "Anyone who opens it sees exactly what you see now.",
  "share.failed": "The link could not be created. Try again.",
  "carry.copied": "Copied ({size} kB).",
  "carry.long": "Copied, but it is {size} kB: some chat apps truncate links over 8 kB. A file or a stored link is safer.",
  "carry.large": "This scenario is too large for a self-contained link. Share a stored link or a file.",
  "carry.none": "This link does not contain a scenario.",
  "carry.damaged": "This link is damaged. Copy it again in full.",
  "carry.what": "{title} · Kubernetes {kubernetes} · actions: {acts} · up to {until}",
};
