// @ts-check
/** Pieces of a large panel (`[data-piece]`): one that the server sends as it was is not morphed again. */

/** The moment in links, which makes no piece another one: scripts take the moment that is shown. */
const MOMENT = /\?t=[^&"]*/g;

/** @type {WeakMap<Element, string>} what the server sent last for a piece */
const sent = new WeakMap();

/**
 * Whether the server sends a piece as it was.
 * @param {Element} old  in the page
 * @param {Element} next  as it comes now
 */
export function isSamePiece(old, next) {
  if (!next.hasAttribute("data-piece")) return false;
  const html = next.outerHTML.replace(MOMENT, "");
  if (sent.get(old) === html) return true;
  sent.set(old, html);
  return false;
}
