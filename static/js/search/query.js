// @ts-check
/**
 * Parses what is typed into the search of a run. docs/search.md describes the language. Pure.
 *
 * Words must all be found; `first` and `last` choose one; `> 10 s` asks for states that last; `pod:`, `container:`, `node:`,
 * `is:`, `label:` and `-l` say where to look; `after` and `before` say when.
 */

import { parseMoment } from "../base/format.js";

/**
 * @typedef {object} Query
 * @property {string[]} words   free words, as written
 * @property {"all" | "first" | "last"} which
 * @property {{ longer: boolean, than_ms: number } | null} lasting
 * @property {number} from_ms
 * @property {number} to_ms
 * @property {string} pod        part of a name; empty: any
 * @property {string} container
 * @property {string} node
 * @property {string[]} is       states at the moment shown
 * @property {string} selector   label selector, as for `kubectl get -l`
 * @property {string} problem    the part that cannot be parsed, as it was written
 */

const SCOPES = new Set(["pod", "container", "node", "is", "label"]);
const TOKEN = /-l\s+\S+|(?:\w+:)?"[^"]*"|[<>]=?\s*[\d.]+\s*(?:ms|s|m|h)?(?![\w.])|\S+/g;
const LASTING = /^([<>])=?\s*(.+)$/;
const SELECTOR = /^!?[\w./-]+(?:==?|!=)[\w.-]*(?:,.+)?$/;

/** @returns {Query} */
function empty() {
  return { words: [], which: "all", lasting: null, from_ms: -Infinity, to_ms: Infinity, pod: "", container: "", node: "", is: [], selector: "", problem: "" };
}

/**
 * @param {string} text
 * @returns {Query}
 */
export function parseQuery(text) {
  const query = empty();
  const tokens = text.match(TOKEN) || [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    const low = token.toLowerCase();
    if (index === 0 && (low === "first" || low === "last")) query.which = low;
    // People paste whole commands; `kubectl get -l app=web` makes clear what is meant.
    else if (index === 0 && low === "kubectl") continue;
    else if (low === "after" || low === "before") {
      index += 1;
      readTime(query, low, tokens[index] ?? "");
    } else readToken(query, token);
  }
  return query;
}

/** @param {Query} query @param {"after" | "before"} side @param {string} written */
function readTime(query, side, written) {
  const moment = parseMoment(written, 0);
  if (!moment || !("t_ms" in moment)) query.problem = `${side} ${written}`;
  else if (side === "after") query.from_ms = moment.t_ms;
  else query.to_ms = moment.t_ms;
}

/** @param {Query} query @param {string} token */
function readToken(query, token) {
  const scope = /^(\w+):(.*)$/.exec(token);
  if (/^[<>]/.test(token)) readLasting(query, token);
  else if (token.startsWith("-l ")) query.selector = joined(query.selector, token.slice(3).trim());
  else if (scope && SCOPES.has(scope[1].toLowerCase())) readScope(query, scope[1].toLowerCase(), bare(scope[2]));
  else if (SELECTOR.test(token)) query.selector = joined(query.selector, token);
  else if (bare(token)) query.words.push(bare(token));
}

/** @param {Query} query @param {string} scope @param {string} value */
function readScope(query, scope, value) {
  if (!value) return;
  if (scope === "is") query.is.push(value.toLowerCase());
  else if (scope === "label") query.selector = joined(query.selector, value);
  else query[/** @type {"pod" | "container" | "node"} */ (scope)] = value.toLowerCase();
}

/** @param {Query} query @param {string} token */
function readLasting(query, token) {
  const [, sign, length] = LASTING.exec(token) ?? [];
  const moment = length ? parseMoment(length, 0) : null;
  if (!moment || !("t_ms" in moment)) query.problem = token;
  else query.lasting = { longer: sign === ">", than_ms: moment.t_ms };
}

/** @param {string} one @param {string} other */
function joined(one, other) {
  return one ? `${one},${other}` : other;
}

/** @param {string} token */
function bare(token) {
  return token.replace(/^"|"$/g, "");
}

/** Whether it only limits the scope, and has nothing to look for. @param {Query} query */
export function isScopeOnly(query) {
  return query.words.length === 0 && query.lasting === null && query.which === "all" && query.from_ms === -Infinity && query.to_ms === Infinity;
}

/** Whether it is empty. @param {Query} query */
export function isBlank(query) {
  return isScopeOnly(query) && !query.pod && !query.container && !query.node && !query.is.length && !query.selector;
}
