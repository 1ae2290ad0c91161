// @ts-check
/** Texts: the page's translations where it sent them, English otherwise. */

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
/** @type {Promise<void> | null} */
let loading = null;

/**
 * The text of `key` with its `{names}` filled in; an unknown key shows itself.
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 */
export function text(key, values = {}) {
  const template = translated[key] || english[key] || key;
  return template.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
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

/** The sentences of rules are fetched when somebody first wants one. Resolves when they are there; without them cards say less. */
export function loadRules() {
  loading ??= (async () => {
    const url = find("[data-rules-url]")?.dataset.rulesUrl;
    const answer = url ? await fetch(url).catch(() => null) : null;
    if (answer?.ok) ({ rules, docs } = await answer.json());
    else if (url) loading = null;
  })();
  return loading;
}

/**
 * The sentence of a rule, or the empty string before they are loaded.
 * @param {string} id
 * @param {Record<string, any>} data  what stands for {name} in it; brackets around what is not known are left out
 */
export function ruleSentence(id, data = {}) {
  const known = (/** @type {string} */ name) => data[name] !== undefined && data[name] !== null && data[name] !== "";
  return (rules[id] || "")
    .replace(/\s*[(（]\{(\w+)\}[)）]/g, (whole, name) => (known(name) ? whole : ""))
    .replace(/\{(\w+)\}/g, (whole, name) => (known(name) ? String(data[name]) : "…"));
}

/** Where the documentation tells of a rule; empty where it does not. @param {string} id */
export function ruleDoc(id) {
  return docs[id] ?? "";
}
