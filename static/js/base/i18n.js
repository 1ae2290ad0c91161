// @ts-check
/**
 * Texts: the page's translations where it sent them, English otherwise.
 *
 * English stands in the scripts (messages.js of each part), so that a page works before, and
 * without, any translation. The server reads the same files to know which texts there are to
 * translate, and sends them with the page as one block of JSON. Sentences of rules, machines and
 * acts are many and seldom wanted, so they are fetched on the first wish; until then a record is
 * told in general words.
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
/** @typedef {{ field: string, texts: Record<string, string>, set: string, otherwise: string }} Wording  a text for some values of a field, for any other, and for none */
/** @type {Promise<void> | null} */
let loading = null;

/** `{name}`, or `{name:pod is|pods are}`: what is said of one, and of any other number. */
const PLACEHOLDER = /\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g;

/** @param {string} template @param {Record<string, any>} values @param {string} missing  what stands for a value that is not there */
function fill(template, values, missing) {
  return template.replace(PLACEHOLDER, (_, name, one, more) => {
    const value = values[name];
    // Two forms are all that the languages here need: English has one and more, Chinese does not distinguish.
    if (one !== undefined) return Number(value) === 1 ? one : more;
    return value === undefined || value === null || value === "" ? missing : String(value);
  });
}

/**
 * The text of `key` with its `{names}` filled in; an unknown key shows itself.
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export function text(key, values = {}) {
  return fill(translated[key] || english[key] || key, values, "");
}

/**
 * Texts of a part of the page that is loaded later.
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

/** The sentences of rules, machines and acts are fetched when one is first wanted. Resolves when they are there; without them less is said. */
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

/** @param {string | undefined} template @param {Record<string, any>} values @returns {string} the sentence; empty where it lacks a value */
function whole(template, values) {
  const names = [...(template ?? "").matchAll(PLACEHOLDER)].map(([, name]) => name);
  return template && names.every((name) => values[name] !== undefined && values[name] !== null && values[name] !== "") ? fill(template, values, "") : "";
}

/**
 * The text of a step of a machine, by its headline or else by its rule; empty where neither is known, or lacks a value.
 * @param {{ machine: string, target: string, rule: string, data: Record<string, any> }} record
 * @param {Record<string, any>} values
 */
export function stepText({ machine, target, rule, data }, values) {
  return whole(headlines[`${machine}.${target}`] ?? headlines[`${machine}.`], values) || whole(rules[rule], { ...values, ...data });
}

/**
 * The sentence of a record with its actor in front, where it begins with none; as it is before the rules are loaded.
 * @param {{ machine: string, target: string, rule: string }} record
 * @param {string} sentence
 */
export function byActor({ machine, target, rule }, sentence) {
  const actor = actors.get(`${machine}.${target}`) ?? actors.get(`${machine}.`) ?? actors.get(rule);
  const start = sentence.toLowerCase().replace(/^the /, "");
  const isNamed = [...new Set(actors.values())].some((name) => name && start.startsWith(name.toLowerCase()));
  return actor && !isNamed ? text("story.by", { actor, sentence }) : sentence;
}

/** The text of an act once it is done; empty where that is not known. @param {string} name @param {Record<string, any>} values */
export function actText(name, values) {
  const wording = acts[name];
  if (!wording) return "";
  const value = values[wording.field];
  return whole(wording.texts[String(value)] ?? (value ? wording.set : wording.otherwise), values);
}

/**
 * The sentence of a rule, or the empty string before they are loaded.
 * @param {string} id
 * @param {Record<string, any>} data  what stands for {name} in it; brackets around what is not known are left out
 */
export function ruleSentence(id, data = {}) {
  const known = (/** @type {string} */ name) => data[name] !== undefined && data[name] !== null && data[name] !== "";
  // A sentence may be asked for without the data of a record, as in the list of rules.
  const template = (rules[id] || "").replace(/\s*[(（]\{(\w+)\}[)）]/g, (whole, name) => (known(name) ? whole : ""));
  return fill(template, data, "…");
}

/** Where the documentation tells of a rule; empty where it does not. @param {string} id */
export function ruleDoc(id) {
  return docs[id] ?? "";
}
