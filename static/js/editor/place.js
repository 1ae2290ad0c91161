// @ts-check
/**
 * Where a position in YAML is: the field path to it, read from the indentation, so that it also works in a text that is only half written.
 * List positions are "[]".
 */

/**
 * @typedef {object} Place
 * @property {string[]} path  the map the cursor's key belongs to, or the field whose value is written
 * @property {"key" | "value" | "none"} at
 * @property {string} word  what is written up to the cursor
 * @property {number} from  start of the word, in the whole text
 * @property {number} column  column of the key, or of the cursor on an empty line
 * @property {number} indent  spaces before anything else on the line
 * @property {boolean} dash  a list item begins on this line before the word
 * @property {boolean} flow  inside { } or [ ]
 * @property {string[]} siblings  the keys that the map already has
 * @property {Part} part
 */

/** @typedef {{ from: number, to: number, kind: string, apiVersion: string, index: number }} Part */

const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#"'{}[\],&*!|>%@`-][^#]*?|-[^\s#][^#]*?))\s*:(?=\s|$)/;
const BLOCK = /[|>][+-]?\d*\s*(#.*)?$/;
const MANY = "[]";

/**
 * The document of the text around a position.
 * @param {string} text
 * @param {number} position
 * @returns {Part}
 */
export function partAt(text, position) {
  const all = parts(text);
  return all.findLast((part) => part.from <= position) ?? all[0];
}

/**
 * The documents of a text, cut before lines that begin with ---.
 * @param {string} text
 * @returns {Part[]}
 */
export function parts(text) {
  const starts = [0, ...[...text.matchAll(/^---/gm)].map((match) => match.index).filter((at) => at > 0)];
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? text.length;
    const own = text.slice(from, to);
    return { from, to, index, kind: /^kind:\s*["']?(\w+)/m.exec(own)?.[1] ?? "", apiVersion: /^apiVersion:\s*["']?([\w./-]+)/m.exec(own)?.[1] ?? "" };
  });
}

/**
 * @typedef {{ indent: number, dashes: number[], column: number, key: string | null, rest: string, restAt: number }} Line
 * @param {string} line
 * @returns {Line | null} null for lines without content
 */
export function readLine(line) {
  const lead = /^ */.exec(line)?.[0].length ?? 0;
  let column = lead;
  /** @type {number[]} */
  const dashes = [];
  // A line may begin several items: "- - a".
  for (let match; (match = /^-(\s+|$)/.exec(line.slice(column))); ) {
    dashes.push(column);
    column += match[0].length;
  }
  const words = line.slice(column);
  if (!dashes.length && (words === "" || words.startsWith("#") || words.startsWith("---"))) return null;
  const match = KEY.exec(words);
  const key = match ? (match[1] ?? match[2] ?? match[3]) : null;
  const restAt = column + (match ? match[0].length : 0);
  return { indent: lead, dashes, column, key, rest: line.slice(restAt), restAt };
}

/**
 * @param {string} text
 * @param {number} position
 * @returns {Place}
 */
export function placeAt(text, position) {
  const part = partAt(text, position);
  const lines = text.slice(part.from, position).split("\n");
  const before = lines.pop() ?? "";
  const lineEnd = text.indexOf("\n", position);
  const whole = before + text.slice(position, lineEnd < 0 ? text.length : lineEnd);
  const here = readLine(before) ?? { indent: before.length, dashes: [], column: before.length, key: null, rest: "", restAt: before.length };
  const base = { part, siblings: /** @type {string[]} */ ([]), flow: false, dash: here.dashes.length > 0, column: here.column, indent: here.indent };
  /** @type {Place} */
  const nothing = { ...base, path: [], at: "none", word: "", from: position };
  if (/^\s*#/.test(before) || before.startsWith("---") || / #/.test(before)) return nothing;
  const above = ancestors(lines, here);
  if (above === null) return nothing;
  const own = here.key === null ? [] : [here.key];
  const opened = flowAt(before.slice(here.restAt));
  if (opened) return { ...base, ...opened, path: [...above, ...own, ...opened.path], from: position - opened.word.length, flow: true };
  if (here.key !== null && /^\s*$/.test(here.rest) === false || (here.key !== null && /\s$/.test(before))) {
    const word = here.rest.trimStart();
    return BLOCK.test(word) ? nothing : { ...base, path: [...above, ...own], at: "value", word, from: position - word.length };
  }
  if (here.key !== null) return nothing;
  const word = before.slice(here.column);
  const siblings = siblingKeys(text, part, position, here.column, whole);
  return { ...base, path: above, at: "key", word, from: position - word.length, siblings };
}

/**
 * The path to the map (or list) that contains a line; null inside a block scalar.
 * @param {string[]} lines  the lines above
 * @param {Line} here
 * @returns {string[] | null}
 */
function ancestors(lines, here) {
  /** @type {string[]} */
  const path = [];
  // Going up, only a key further to the left is a parent. A dash may be in the same column as the key of its list: hence two limits.
  let keyBelow = here.column;
  let dashBelow = here.column;
  for (const dash of [...here.dashes].reverse()) {
    path.unshift(MANY);
    keyBelow = dash + 1;
    dashBelow = dash;
  }
  for (let at = lines.length - 1; at >= 0 && keyBelow > 0; at -= 1) {
    const line = readLine(lines[at]);
    if (!line) continue;
    if (line.key !== null && line.column < keyBelow) {
      // A block scalar has no fields, however much its lines look like some.
      if (BLOCK.test(line.rest.trim())) return null;
      path.unshift(line.key);
      keyBelow = dashBelow = line.column;
    }
    for (const dash of [...line.dashes].reverse()) {
      if (dash >= dashBelow) continue;
      path.unshift(MANY);
      keyBelow = dash + 1;
      dashBelow = dash;
    }
  }
  return path;
}

/**
 * Inside { } or [ ] on one line: the path from the line's key, and what is being written. Null outside.
 * @param {string} words
 * @returns {{ path: string[], at: "key" | "value", word: string } | null}
 */
function flowAt(words) {
  /** @type {{ map: boolean, key: string | null }[]} */
  const open = [];
  let word = "";
  let quote = "";
  for (const char of words) {
    if (quote) {
      if (char === quote) quote = "";
      word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word += char;
    } else if (char === "{" || char === "[") {
      open.push({ map: char === "{", key: null });
      word = "";
    } else if (char === "}" || char === "]") {
      open.pop();
      word = "";
    } else if (char === ",") {
      const last = open.at(-1);
      if (last) last.key = null;
      word = "";
    } else if (char === ":" && open.at(-1)?.map && open[open.length - 1].key === null) {
      open[open.length - 1].key = word.trim().replace(/^["']|["']$/g, "");
      word = "";
    } else word += char;
  }
  const inner = open.at(-1);
  if (!inner) return null;
  const path = open.flatMap((level) => (level.map ? (level.key === null ? [] : [level.key]) : [MANY]));
  return { path, at: inner.map && inner.key === null ? "key" : "value", word: word.trimStart() };
}

/**
 * The sibling keys at `column`, above and below the cursor.
 * @param {string} text @param {Part} part @param {number} position @param {number} column @param {string} own  the line itself
 */
function siblingKeys(text, part, position, column, own) {
  const above = text.slice(part.from, position).split("\n").slice(0, -1).reverse();
  const below = text.slice(position, part.to).split("\n").slice(1);
  const ownLine = readLine(own);
  /** @type {string[]} */
  const keys = [];
  const starts = ownLine !== null && ownLine.dashes.length > 0;
  for (const [lines, isAbove] of /** @type {[string[], boolean][]} */ ([[starts ? [] : above, true], [below, false]])) {
    for (const words of lines) {
      const line = readLine(words);
      if (!line) continue;
      if (line.column < column && line.key !== null) break;
      if (!isAbove && line.dashes.some((dash) => dash < column)) break;
      if (line.column === column && line.key !== null) keys.push(line.key);
      if (isAbove && line.dashes.some((dash) => dash < column)) break;
    }
  }
  return keys;
}

/**
 * The path of the key or value under a position, including the key: what a hover explains.
 * @param {string} text
 * @param {number} position
 * @returns {{ path: string[], part: Part, from: number, to: number } | null}
 */
export function keyAt(text, position) {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const end = text.indexOf("\n", position);
  const line = readLine(text.slice(start, end < 0 ? text.length : end));
  if (!line || line.key === null) return null;
  const from = start + line.column;
  const to = start + line.restAt - 1;
  if (position < from || position > to) return null;
  const part = partAt(text, position);
  const above = ancestors(text.slice(part.from, start).split("\n").slice(0, -1), line);
  return above && { path: [...above, line.key], part, from, to };
}
