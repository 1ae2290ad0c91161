// @ts-check
/** Pieces of a panel (`<!--piece-->` … `<!--/piece-->` around an element with an id): an unchanged one is not even parsed. */

const PIECE = /<!--piece-->([^]*?)<!--\/piece-->/g;
const HEAD = /^\s*<([a-z0-9]+)\b[^>]*? id="([^"]+)"[^>]*>/;
/** Differences that do not matter: links take the moment shown, keys are made when a form is submitted, countdowns are filled in. */
const PASSING = /\?t=[\d.]+|name="(?:csrfmiddlewaretoken|client_key)" value="[^"]*"|(data-(?:countdown|age-from)="\d+">)[^<]*|(data-grows="[\d ]+" x="\d+" y="2" width=")\d+/g;

/** @type {WeakMap<Element, string>} the HTML that the server last sent for an element */
const sent = new WeakMap();

/**
 * The panel's next content, parsed. Pieces that are already there are empty in it: elements with the ids in `known` are to stay as they
 * are.
 * @param {HTMLElement} body  the panel
 * @param {string} html  its next content
 */
export function comingInto(body, html) {
  /** @type {Set<string>} */
  const known = new Set();
  const template = document.createElement("template");
  template.innerHTML = html.replace(PIECE, (_, piece) => {
    const [head, name, id] = HEAD.exec(piece) || [];
    const old = id ? document.getElementById(id) : null;
    if (!old || old.localName !== name || !body.contains(old)) return piece;
    // Compared with what was sent, not with what is on the page, where scripts and the reader have changed it.
    const stable = piece.replace(PASSING, "$1$2");
    if (sent.get(old) !== stable) {
      sent.set(old, stable);
      return piece;
    }
    known.add(id);
    return `${head}</${name}>`;
  });
  return { coming: template.content, known };
}
