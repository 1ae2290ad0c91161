// @ts-check
/** Syntax highlighting of TOML. Pure. The vendored editor knows only YAML. */

const THREE = /'''|"""/;
/** A comment, a header, a key, a string or a number of one line. */
const TOKEN = /(#.*)|(^\s*\[{1,2}[^\]\n]*\]{1,2})|((?:^|[{,])\s*[\w."'-]+(?=\s*=))|("(?:[^"\\]|\\.)*"|'[^']*')|(\b(?:true|false|\d[\d_.]*)\b)/g;
const NAMES = ["comment", "head", "key", "string", "value"];

/**
 * The coloured tokens of a text. A multi-line string is plain from its opening quotes to its closing ones.
 * @param {string} text
 * @returns {{ from: number, to: number, name: string }[]}
 */
export function tokensOf(text) {
  /** @type {{ from: number, to: number, name: string }[]} */
  const found = [];
  let closing = "";
  let at = 0;
  for (const line of text.split("\n")) {
    let rest = line;
    let begin = at;
    at += line.length + 1;
    if (closing) {
      const end = line.indexOf(closing);
      if (end < 0) continue;
      begin += end + 3;
      rest = line.slice(end + 3);
      closing = "";
    }
    const opening = THREE.exec(rest);
    // On one line, a comment may contain the quotes.
    if (opening && !rest.slice(0, opening.index).includes("#") && !rest.includes(opening[0], opening.index + 3)) {
      [closing] = opening;
      rest = rest.slice(0, opening.index);
    }
    for (const match of rest.matchAll(TOKEN)) {
      const name = NAMES[match.slice(1).findIndex((group) => group !== undefined)];
      const from = begin + match.index + (name === "key" ? match[0].search(/[^\s{,]/) : 0);
      found.push({ from, to: begin + match.index + match[0].length, name });
    }
  }
  return found;
}
