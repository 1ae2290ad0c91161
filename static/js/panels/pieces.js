// @ts-check
/** Pieces of a panel (`<!--piece-->` … `<!--/piece-->` around an element with an id): one that comes as it was is not even parsed. */

const PIECE = /<!--piece-->([^]*?)<!--\/piece-->/g;
const HEAD = /^\s*<([a-z0-9]+)\b[^>]*? id="([^"]+)"[^>]*>/;
/** What passes without being seen: links take the moment that is looked at, keys are made when a form is sent, countdowns are filled in. */
const PASSING = /\?t=[\d.]+|name="(?:csrfmiddlewaretoken|client_key)" value="[^"]*"|(data-(?:countdown|age-from)="\d+">)[^<]*|(data-grows="[\d ]+" x="\d+" y="2" width=")\d+/g;

/** @type {WeakMap<Element, string>} what the server sent last for an element of the page */
const sent = new WeakMap();

/**
 * What a panel becomes, parsed. Pieces that it has already are empty in it: those of the ids `known` are to stay as they are.
 * @param {HTMLElement} body  the panel
 * @param {string} html  its next inside
 */
export function comingInto(body, html) {
  /** @type {Set<string>} */
  const known = new Set();
  const template = document.createElement("template");
  template.innerHTML = html.replace(PIECE, (_, piece) => {
    const [head, name, id] = HEAD.exec(piece) || [];
    const old = id ? document.getElementById(id) : null;
    if (!old || old.localName !== name || !body.contains(old)) return piece;
    // Compared as it was sent, not as it stands on the page, where scripts and the reader have changed it.
    const told = piece.replace(PASSING, "$1$2");
    if (sent.get(old) !== told) {
      sent.set(old, told);
      return piece;
    }
    known.add(id);
    return `${head}</${name}>`;
  });
  return { coming: template.content, known };
}
