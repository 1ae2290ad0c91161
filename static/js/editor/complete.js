// @ts-check
/** Completion: the fields, values and blocks that are valid at the cursor. */

import { make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { autocompletion, completionKeymap, keymap, snippetCompletion, startCompletion } from "./cm.js";
import { placeAt } from "./place.js";
import { fieldAt, typeText } from "./schema.js";
import { SNIPPETS } from "./snippets.js";

const TOP = { apiVersion: { type: "string", required: true }, kind: { type: "string", required: true }, metadata: { type: "object", of: "ObjectMeta", required: true }, spec: { type: "object", of: "PodSpec" } };
const BY_ITSELF = /[\w.\-/"]$|:\s$|-\s$|^\s+$/;

/** @param {any} schemas */
export function completion(schemas) {
  return [autocompletion({ override: [(/** @type {any} */ context) => suggestions(schemas, context)], icons: false, maxRenderedOptions: 80, defaultKeymap: false }), keymap.of(completionKeymap)];
}

/** @param {any} schemas @param {any} context */
async function suggestions(schemas, context) {
  const whole = context.state.doc.toString();
  const place = placeAt(whole, context.pos);
  if (place.at === "none") return null;
  const line = context.state.doc.lineAt(context.pos);
  if (!context.explicit && !BY_ITSELF.test(whole.slice(line.from, context.pos))) return null;
  const { kind } = place.part;
  if (place.path.length === 1 && place.path[0] === "kind" && place.at === "value") return kindValues(schemas, place);
  if (place.path.length === 1 && place.path[0] === "apiVersion" && place.at === "value") return versionValues(schemas, place);
  const reference = await schemas.of(kind);
  if (context.aborted) return null;
  const options = reference ? optionsAt(reference, place) : place.path.length === 0 && place.at === "key" ? keysOf(TOP, place) : [];
  return options.length ? { from: place.from, options, validFor: /^[\w.\-/]*$/ } : null;
}

/** @param {any} schemas @param {any} place */
async function kindValues(schemas, place) {
  const kinds = await schemas.kinds();
  const options = kinds.map((/** @type {any} */ entry) => ({ label: entry.kind, detail: entry.api_version, type: "class", boost: entry.kind === "Pod" ? 10 : entry.modelled ? 1 : 0 }));
  return { from: place.from, options, validFor: /^\w*$/ };
}

/** @param {any} schemas @param {any} place */
async function versionValues(schemas, place) {
  const kinds = await schemas.kinds();
  const fits = kinds.filter((/** @type {any} */ entry) => !place.part.kind || entry.kind === place.part.kind);
  const names = [...new Set((fits.length ? fits : kinds).map((/** @type {any} */ entry) => entry.api_version))];
  return { from: place.from, options: names.map((label) => ({ label, type: "constant" })), validFor: /^[\w./]*$/ };
}

/** @param {any} reference @param {any} place */
function optionsAt(reference, place) {
  const found = fieldAt(reference, place.path);
  if (!found) return [];
  if (place.at === "value") return valuesOf(found.field);
  if (found.fields) return [...keysOf(found.fields, place), ...blocksOf(place, reference)];
  // An item is expected, and the dash is not written yet.
  const item = found.isList ? fieldAt(reference, [...place.path, "[]"]) : null;
  return item?.fields && !place.dash ? keysOf(item.fields, place, "- ") : valuesOf(found.field);
}

/**
 * @param {Record<string, any>} fields @param {any} place @param {string} [lead]
 */
function keysOf(fields, place, lead = "") {
  return Object.entries(fields)
    .filter(([name]) => !place.siblings.includes(name) || name === place.word)
    .filter(([name]) => name !== "status" || place.path.length > 0)
    .map(([name, field]) => ({
      label: name,
      detail: field.required ? `${typeText(field)} · ${message("editor.required")}` : typeText(field),
      type: "property",
      boost: (field.required ? 20 : 0) + (field.modelled === false ? -20 : 0),
      info: field.doc ? () => explained(name, field) : undefined,
      apply: (/** @type {any} */ view, /** @type {any} */ _option, /** @type {number} */ from, /** @type {number} */ to) => insertKey(view, { lead, name, field, place, from, to }),
    }));
}

/**
 * Insert a key with what must follow it: a space before a value, a new deeper line before fields or items.
 * @param {any} view
 * @param {{ lead: string, name: string, field: any, place: any, from: number, to: number }} choice
 */
function insertKey(view, { lead, name, field, place, from, to }) {
  const rest = view.state.doc.sliceString(to, view.state.doc.lineAt(to).to);
  const hasColon = /^\s*:/.test(rest);
  const indent = " ".repeat(place.column + lead.length);
  const opens = !hasColon && !place.flow && rest.trim() === "";
  const after = hasColon ? "" : !opens ? ": " : field.type === "object" && field.of && /^[A-Z]/.test(field.of) ? `:\n${indent}  ` : field.type === "map" ? `:\n${indent}  ` : field.type === "list" ? `:\n${indent}- ` : ": ";
  const insert = lead + name + after;
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete", scrollIntoView: true });
  if (valuesNamed(field).length || field.type === "boolean" || after.includes("\n")) startCompletion(view);
}

/** @param {any} place @param {any} reference */
function blocksOf(place, reference) {
  if (place.flow) return [];
  const path = place.path.join(".");
  return SNIPPETS.filter((snippet) => snippet.on.test(path) && !place.siblings.includes(snippet.key))
    .filter((snippet) => fieldAt(reference, [...place.path, snippet.key]))
    .map((snippet) => snippetCompletion(laidOut(snippet.body, place), { label: snippet.label, detail: message("editor.block"), type: "text", boost: -5 }));
}

/**
 * A block with its indentation written out. CodeMirror indents every further line like the first; a dash before the key is not part of
 * that.
 * @param {string} body @param {any} place
 */
function laidOut(body, place) {
  const more = " ".repeat(place.column - place.indent);
  return body.replace(/\n(\t*)/g, (_, tabs) => `\n${more}${"  ".repeat(tabs.length)}`);
}

/** @param {any} field */
function valuesOf(field) {
  const values = field.type === "boolean" ? ["true", "false"] : valuesNamed(field);
  const own = values.map((/** @type {string} */ label) => ({ label: quoted(label), type: "constant", detail: String(field.default ?? "") === label ? message("editor.default") : "" }));
  if (field.default !== undefined && !values.includes(String(field.default)) && typeof field.default !== "object") own.push({ label: quoted(String(field.default)), type: "constant", detail: message("editor.default") });
  return own;
}

/** The values a field may have; if they are not listed, those its description names. @param {any} field @returns {string[]} */
function valuesNamed(field) {
  if (field.values?.length) return field.values;
  const [, list = ""] = /\b(?:[Oo]ne of|[Mm]ust be) ((?:"?[A-Z]\w+"?(?:, or |, | or )?){2,})/.exec(field.doc ?? "") ?? [];
  return list.match(/[A-Z]\w+/g) ?? [];
}

/** @param {string} word */
function quoted(word) {
  return word === "" ? '""' : word;
}

/**
 * Describe a field, for completion and hover.
 * @param {string} name @param {any} field @param {{ change?: string }} [more]
 */
export function explained(name, field, { change } = {}) {
  const facts = [typeText(field)];
  if (field.required) facts.push(message("editor.required"));
  if (field.default !== undefined) facts.push(`${message("editor.default_is")} ${JSON.stringify(field.default)}`);
  if (field.since) facts.push(message("editor.since", { version: field.since }));
  const parts = [make("div", { class: "field-doc__head" }, [make("code", { text: name }), make("span", { class: "muted", text: facts.join(" · ") })])];
  // The text of the API reference, which exists only in English.
  if (field.doc) parts.push(make("p", { lang: "en", text: field.doc }));
  if (field.values?.length) parts.push(make("p", { class: "field-doc__values" }, field.values.map((/** @type {string} */ value) => make("code", { text: value || '""' }))));
  if (field.modelled === false) parts.push(make("p", { class: "muted", text: message("editor.not_modelled") }));
  if (change) parts.push(make("p", { class: "field-doc__change", text: change }));
  return make("div", { class: "field-doc" }, parts);
}
