// @ts-check
/**
 * Texts: the page's translations where it sent them, English otherwise.
 *
 * The English texts are in the scripts (messages.js of each part), so that a page works before, and without, any translation. The server
 * reads the same files to learn which texts need translating, and sends the translations with the page as one block of JSON. Sentences
 * about rules, machines and acts are many and rarely needed, so they are fetched when first wanted; until then a record is described in
 * general terms.
 */

import { find, jsonBlock } from "./dom.js";
import { MESSAGES } from "./messages.js";

/** @type {Record<string, string>} */
const translated = jsonBlock("i18n") || {};
/** @type {Record<string, string>} */
const english = { ...MESSAGES };
/** @type {Record<string, string>} */
let rules = {};
/** @type {Record<string, string>} */
let docs = {};
/** @type {Record<string, string>} */
let headlines = {};
/** @type {Record<string, Wording>} */
let acts = {};
/** @type {Map<string, string>} by rule, or by machine and state */
let actors = new Map();
/** @typedef {{ field: string, texts: Record<string, string>, set: string, otherwise: string }} Wording  a text for certain values of a field (`texts`), for any other value (`set`), and for no value (`otherwise`) */
/** @type {Promise<void> | null} */
let loading = null;

/** `{name}`, or `{name:pod is|pods are}`: the form for one, and the form for any other number. */
const PLACEHOLDER = /\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g;

/** @param {string} template @param {Record<string, any>} values @param {string} missing  shown in place of a missing value */
function fill(template, values, missing) {
  return template.replace(PLACEHOLDER, (_, name, one, more) => {
    const value = values[name];
    // Two forms are enough for the languages here: English has a singular and a plural, Chinese makes no distinction.
    if (one !== undefined) return Number(value) === 1 ? one : more;
    return value === undefined || value === null || value === "" ? missing : String(value);
  });
}

/**
 * The text of `key` with its `{names}` filled in; an unknown key is returned as it is.
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export function text(key, values = {}) {
  return fill(translated[key] || english[key] || key, values, "");
}

/**
 * Add the texts of a part of the page that is loaded later.
 * @param {Record<string, string>} more
 */
export function addTexts(more) {
  Object.assign(english, more);
}

/**
 * True when `key` is a known text.
 * @param {string} key
 */
export function hasText(key) {
  return key in english;
}

/** Fetch the sentences of rules, machines and acts when the first one is wanted. Resolves once they are here, or cannot be had: then
 * descriptions stay general. */
export function loadRules() {
  loading ??= (async () => {
    const url = find("[data-rules-url]")?.dataset.rulesUrl;
    const answer = url ? await fetch(url).catch(() => null) : null;
    if (answer?.ok) takeRules(await answer.json());
    else if (url) loading = null;
  })();
  return loading;
}

/** @param {{ rules: Record<string, string>, docs: Record<string, string>, headlines: Record<string, string>, acts: Record<string, Wording>, actors?: Record<string, string[]> }} texts */
export function takeRules(texts) {
  actors = new Map(Object.entries(texts.actors ?? {}).flatMap(([name, steps]) => steps.map((step) => [step, name])));
  ({ rules, docs, headlines, acts } = texts);
}

/** @param {string | undefined} template @param {Record<string, any>} values @returns {string} the sentence; empty if a value is missing */
function whole(template, values) {
  const names = [...(template ?? "").matchAll(PLACEHOLDER)].map(([, name]) => name);
  return template && names.every((name) => values[name] !== undefined && values[name] !== null && values[name] !== "") ? fill(template, values, "") : "";
}

/**
 * The text of a step of a machine, from its headline or else from its rule; empty if neither is known, or a value is missing.
 * @param {{ machine: string, target: string, rule: string, data: Record<string, any> }} record
 * @param {Record<string, any>} values
 */
export function stepText({ machine, target, rule, data }, values) {
  return whole(headlines[`${machine}.${target}`] ?? headlines[`${machine}.`], values) || whole(rules[rule], { ...values, ...data });
}

/**
 * The sentence of a record with its actor in front, unless it already begins with one; unchanged until the rules are loaded.
 * @param {{ machine: string, target: string, rule: string }} record
 * @param {string} sentence
 */
export function byActor({ machine, target, rule }, sentence) {
  const actor = actors.get(`${machine}.${target}`) ?? actors.get(`${machine}.`) ?? actors.get(rule);
  const start = sentence.toLowerCase().replace(/^the /, "");
  const isNamed = [...new Set(actors.values())].some((name) => name && start.startsWith(name.toLowerCase()));
  return actor && !isNamed ? text("story.by", { actor, sentence }) : sentence;
}

/** The text of an act once it is done; empty if there is none. @param {string} name @param {Record<string, any>} values */
export function actText(name, values) {
  const wording = acts[name];
  if (!wording) return "";
  const value = values[wording.field];
  return whole(wording.texts[String(value)] ?? (value ? wording.set : wording.otherwise), values);
}

/**
 * The sentence of a rule, or the empty string before the rules are loaded.
 * @param {string} id
 * @param {Record<string, any>} data  values for its {names}; parentheses around an unknown value are dropped
 */
export function ruleSentence(id, data = {}) {
  const known = (/** @type {string} */ name) => data[name] !== undefined && data[name] !== null && data[name] !== "";
  // A sentence may be wanted without a record's data, as in the list of rules.
  const template = (rules[id] || "").replace(/\s*[(（]\{(\w+)\}[)）]/g, (whole, name) => (known(name) ? whole : ""));
  return fill(template, data, "…");
}

/** The page of the documentation that covers a rule; empty if there is none. @param {string} id */
export function ruleDoc(id) {
  return docs[id] ?? "";
}
