// @ts-check
/** Next to every field of an object that exists: whether it may change in place, and how. */

import { make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { GutterMarker, RangeSet, StateEffect, StateField, gutter } from "./cm.js";
import { parts, readLine } from "./place.js";
import { changeOf } from "./schema.js";

/** @type {Record<string, string>} signs that differ in shape, not only in colour */
export const CHANGE_SIGNS = { yes: "✎", lower: "↓", add: "+", remove: "−", resize: "⇕", once: "1", never: "⊘" };

class ChangeMarker extends GutterMarker {
  /** @param {string} change */
  constructor(change) {
    super();
    this.change = change;
  }

  /** @param {ChangeMarker} other */
  eq(other) {
    return other.change === this.change;
  }

  toDOM() {
    return make("span", { class: "change-sign", "data-change": this.change, title: message(`editor.change.${this.change}`), text: CHANGE_SIGNS[this.change] ?? "" });
  }
}

const learn = StateEffect.define();

/** Marks by line start. */
const marks = StateField.define({
  create: () => RangeSet.empty,
  update(/** @type {any} */ known, /** @type {any} */ change) {
    for (const effect of change.effects) if (effect.is(learn)) return effect.value;
    return change.docChanged ? known.map(change.changes) : known;
  },
});

/** Extensions for an editor whose objects exist. */
export function changeGutter() {
  return [marks, gutter({ class: "cm-changes", markers: (/** @type {any} */ view) => view.state.field(marks), initialSpacer: () => new ChangeMarker("never") })];
}

/**
 * Recompute the marks.
 * @param {any} view
 * @param {any} schemas
 * @param {Set<number>} live  indexes of the documents that exist
 */
export async function showChanges(view, schemas, live) {
  const { doc } = view.state;
  const whole = doc.toString();
  const found = [];
  for (const part of parts(whole)) {
    const reference = live.has(part.index) ? await schemas.of(part.kind) : null;
    if (reference && Object.keys(reference.mutable).length) found.push(...linesOf(whole, part, reference));
  }
  // Schemas may have to be fetched; if the text has changed by then, its own call follows.
  if (view.state.doc !== doc) return;
  view.dispatch({ effects: learn.of(RangeSet.of(found, true)) });
}

/**
 * One pass over a document: the path grows and shrinks with the indentation.
 * @param {string} whole @param {any} part @param {any} reference
 */
function linesOf(whole, part, reference) {
  /** @type {{ column: number, step: string }[]} */
  let open = [];
  const found = [];
  let at = part.from;
  let textBelow = -1;
  for (const words of whole.slice(part.from, part.to).split("\n")) {
    const line = readLine(words);
    const start = at;
    at += words.length + 1;
    if (!line || (textBelow >= 0 && line.indent > textBelow)) continue;
    textBelow = -1;
    for (const dash of line.dashes) open = [...open.filter((level) => level.column < dash || (level.column === dash && level.step !== "[]")), { column: dash, step: "[]" }];
    if (line.key === null) continue;
    open = [...open.filter((level) => level.column < line.column), { column: line.column, step: line.key }];
    if (/[|>][+-]?\d*\s*$/.test(line.rest)) textBelow = line.dashes[0] ?? line.column;
    const path = open.map((level) => level.step);
    if (path.length < 2 || line.rest.trim() === "" || line.rest.trim().startsWith("#")) continue;
    found.push(new ChangeMarker(changeOf(reference, path)).range(start));
  }
  return found;
}
