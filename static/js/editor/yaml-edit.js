// @ts-check
/**
 * Changing single fields of a document in place. Every scalar is read as the text it is written as, so that only the changed field is
 * rewritten: comments, order, quotes and blank lines stay.
 */

import { Scalar, isMap, isScalar, isSeq, parseDocument } from "./cm.js";
import { parts } from "./place.js";

const READ = { schema: "failsafe", customTags: ["null"], logLevel: "silent", prettyErrors: false, uniqueKeys: false };
const AMBIGUOUS = /^(?:true|false|yes|no|on|off|y|n|null|~|[-+]?(?:\.?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?|0x[\da-f]+|0o?[0-7]+|\.inf|\.nan))$|^\d{4}-\d\d-\d\d/i;

/** @typedef {(string | number)[]} Path */

export class YamlPart {
  /**
   * @param {string} whole
   * @param {any} part  a Part of place.js
   */
  constructor(whole, part) {
    this.whole = whole;
    this.part = part;
    this.source = whole.slice(part.from, part.to);
    this.doc = parseDocument(this.source, READ);
    this.before = this.doc.errors.length ? "" : this.print();
    /** The one plain value that was replaced, as long as nothing else was done. @type {{ start: number, end: number, words: string } | null} */
    this.cut = null;
    this.changes = 0;
  }

  /** False if the text can't be parsed; then nothing is written either. */
  get isSound() {
    return this.doc.errors.length === 0 && (this.doc.contents === null || isMap(this.doc.contents));
  }

  get kind() {
    return String(this.get(["kind"]) ?? "");
  }

  /** @param {Path} path @returns {any} a string, null, or undefined if there is no plain value */
  get(path) {
    const node = this.node(path);
    return isScalar(node) ? node.value : undefined;
  }

  /** @param {Path} path */
  node(path) {
    return path.length ? this.doc.getIn(path, true) : this.doc.contents;
  }

  /** @param {Path} path */
  has(path) {
    return this.node(path) !== undefined;
  }

  /** @param {Path} path @returns {any[]} the items of a list */
  items(path) {
    const node = this.node(path);
    return isSeq(node) ? node.items : [];
  }

  /** @param {Path} path @returns {string[]} the keys of a map */
  keys(path) {
    const node = this.node(path);
    return isMap(node) ? node.items.map((/** @type {any} */ pair) => String(pair.key?.value ?? pair.key)) : [];
  }

  /** @param {Path} path @returns {string[]} a list of plain words */
  words(path) {
    return this.items(path).map((item) => (isScalar(item) ? String(item.value) : ""));
  }

  /**
   * Write a value; undefined and "" remove the field, along with parents that this leaves empty.
   * @param {Path} path
   * @param {any} value  a string or number, or a list or map of them
   * @param {{ asText?: boolean, mayBeEmpty?: boolean }} [options]  asText: the field is a string, so that `8080` needs quotes
   */
  set(path, value, { asText = true, mayBeEmpty = false } = {}) {
    if (value === undefined || (value === "" && !mayBeEmpty)) {
      this.remove(path);
      return;
    }
    const old = this.node(path);
    this.changes += 1;
    if (isScalar(old) && typeof value !== "object") {
      const fresh = scalar(value, asText);
      old.value = fresh.value;
      // Existing quotes stay, unless they would change what the value means.
      if (old.type === Scalar.PLAIN || /BLOCK/.test(String(old.type)) || (!asText && AMBIGUOUS.test(fresh.value))) old.type = fresh.type;
      if (old.range && old.type !== Scalar.BLOCK_LITERAL) this.cut = { start: old.range[0], end: old.range[1], words: writtenAs(old) };
      return;
    }
    const node = typeof value === "object" ? this.doc.createNode(value) : scalar(value, asText);
    if (typeof value === "object") quoteAll(node, asText);
    if (isSeq(old) && isSeq(node)) node.flow = old.flow;
    this.doc.setIn(this.reach(path), node);
  }

  /** Turn empty parents (`resources:`) into maps. @param {Path} path */
  reach(path) {
    for (let length = 1; length < path.length; length += 1) {
      const node = this.node(path.slice(0, length));
      if (isScalar(node) && (node.value === null || node.value === "")) this.doc.setIn(path.slice(0, length), this.doc.createNode(typeof path[length] === "number" ? [] : {}));
    }
    return path;
  }

  /** @param {Path} path */
  remove(path) {
    if (!this.has(path)) return;
    this.changes += 1;
    this.doc.deleteIn(path);
    for (let up = path.slice(0, -1); up.length > 1; up = up.slice(0, -1)) {
      const node = this.node(up);
      if (!(isMap(node) || isSeq(node)) || node.items.length) return;
      if (["containers", "spec", "metadata", "template"].includes(String(up[up.length - 1])) || typeof up[up.length - 1] === "number") return;
      this.doc.deleteIn(up);
    }
  }

  /** @param {Path} path @param {any} value */
  add(path, value) {
    this.changes += 1;
    if (isSeq(this.node(path))) {
      const node = this.doc.createNode(value);
      quoteAll(node, true);
      this.doc.addIn(path, node);
    } else this.set(path, [value]);
  }

  print() {
    return this.doc.toString({ lineWidth: 0, minContentWidth: 0, indentSeq: indentsLists(this.source), indent: indentOf(this.source), flowCollectionPadding: /\{ /.test(this.source) });
  }

  /** The text with only one value rewritten; null if more has changed, or the value would mean something else there. */
  replaced() {
    if (!this.cut || this.changes !== 1) return null;
    const fresh = this.source.slice(0, this.cut.start) + this.cut.words + this.source.slice(this.cut.end);
    const doc = parseDocument(fresh, READ);
    return !doc.errors.length && JSON.stringify(doc.toJS()) === JSON.stringify(this.doc.toJS()) ? fresh : null;
  }

  /**
   * The change to the whole text, null if nothing changes.
   * @returns {{ from: number, to: number, insert: string } | null}
   */
  change() {
    // What cannot be parsed cannot be printed either.
    const after = this.isSound ? this.print() : this.before;
    if (after === this.before) return null;
    // The smallest change that is safe: one value in place, else whole lines, else the text as it would be printed.
    const fresh = this.replaced() ?? patched(this.source, this.before, after) ?? ending(after, this.source);
    // Only the difference is sent to the view: the caret and the undo history keep their positions.
    let start = 0;
    while (start < fresh.length && fresh[start] === this.source[start]) start += 1;
    let end = 0;
    while (end < Math.min(fresh.length, this.source.length) - start && fresh[fresh.length - 1 - end] === this.source[this.source.length - 1 - end]) end += 1;
    if (start === fresh.length && fresh.length === this.source.length) return null;
    return { from: this.part.from + start, to: this.part.to - end, insert: fresh.slice(start, fresh.length - end) };
  }
}

/** @param {any} node  a scalar on one line */
function writtenAs(node) {
  if (node.type === Scalar.QUOTE_DOUBLE) return JSON.stringify(node.value);
  return node.type === Scalar.QUOTE_SINGLE ? `'${node.value.replaceAll("'", "''")}'` : node.value;
}

/**
 * Every document of the text that can be parsed.
 * @param {string} whole
 * @returns {YamlPart[]}
 */
export function readParts(whole) {
  return parts(whole)
    .filter((part) => whole.slice(part.from, part.to).replace(/^---.*$|#.*$/gm, "").trim())
    .map((part) => new YamlPart(whole, part));
}

/** @param {any} value @param {boolean} asText */
function scalar(value, asText) {
  const node = new Scalar(String(value));
  const words = String(value);
  node.type = words.includes("\n") ? Scalar.BLOCK_LITERAL : words === "" || (asText && AMBIGUOUS.test(words)) ? Scalar.QUOTE_DOUBLE : Scalar.PLAIN;
  return node;
}

/** @param {any} node @param {boolean} asText */
function quoteAll(node, asText) {
  if (isScalar(node)) {
    const plain = typeof node.value === "number" || typeof node.value === "boolean";
    const fresh = scalar(node.value, asText && !plain);
    node.value = fresh.value;
    node.type = fresh.type;
  } else if (isMap(node)) {
    if (!node.items.length) node.flow = true;
    for (const pair of node.items) quoteAll(pair.value, asText);
  } else if (isSeq(node)) {
    for (const item of node.items) quoteAll(item, asText);
    node.flow = node.items.every((/** @type {any} */ item) => isScalar(item) && !String(item.value).includes("\n")) && node.items.map((/** @type {any} */ item) => item.value).join(", ").length < 60;
  }
}

/** @param {string} source  whether list items are indented more than their key */
function indentsLists(source) {
  const match = /^( *)(?:- )?[\w.-]+:[ \t]*(?:#.*)?\n(?:\s*#.*\n)*( *)- /m.exec(source);
  if (!match) return false;
  const [words, lead] = match;
  const keyAt = lead.length + (/^ *- /.test(words) ? 2 : 0);
  return match[2].length > keyAt;
}

/** @param {string} source */
function indentOf(source) {
  return /^[\w.-]+:[ \t]*(?:#.*)?\n( {2,8})\S/m.exec(source)?.[1].length ?? 2;
}

/** @param {string} words @param {string} source */
function ending(words, source) {
  return source.endsWith("\n") ? `${words.trimEnd()}\n` : words.trimEnd();
}

/**
 * Carry the lines that differ between two prints over to the text as it was written. Null if the lines can't be matched.
 * @param {string} source
 * @param {string} before
 * @param {string} after
 */
function patched(source, before, after) {
  const own = source.split("\n");
  const filled = own.flatMap((line, at) => (line.trim() ? [at] : []));
  const old = before.split("\n").filter((line) => line.trim());
  // Printing joined or broke lines, so that they cannot be matched one by one.
  if (filled.length !== old.length) return null;
  const fresh = after.split("\n").filter((line) => line.trim());
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const first = filled[start] ?? own.length - (source.endsWith("\n") ? 1 : 0);
  const last = old.length - end > start ? filled[old.length - end - 1] + 1 : start > 0 ? filled[start - 1] + 1 : first;
  const from = old.length - end > start ? first : last;
  return [...own.slice(0, from), ...fresh.slice(start, fresh.length - end), ...own.slice(last)].join("\n");
}
