// @ts-check
/** The server's findings, drawn in the text: an underline, a sign in the gutter, and for defaults a text at the end of the line. */

import { make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { SIGNS } from "../base/tones-table.js";
import { Compartment, Decoration, EditorView, GutterMarker, RangeSet, StateEffect, StateField, WidgetType, gutter, setDiagnostics } from "./cm.js";
import { ORDER } from "./severity.js";

const GHOSTS_MAX = 3;

/**
 * @typedef {{ from: number, to: number, line: number, col: number, severity: "error" | "warning" | "info", code: string, path: string,
 *   message: string, why?: string, doc?: string, hint?: string, ghost?: string[], quickfix: Fix[] }} Found
 * @typedef {{ title: string, edits: { from: number, to: number, insert: string }[] }} Fix
 */

/** Replaces all findings. */
const learn = StateEffect.define();

/** The findings, with their positions kept up to date with what is typed. */
export const findings = StateField.define({
  create: () => /** @type {Found[]} */ ([]),
  update(/** @type {Found[]} */ known, /** @type {any} */ change) {
    for (const effect of change.effects) if (effect.is(learn)) return effect.value;
    if (!change.docChanged) return known;
    // Until the next answer they move with the text, and shrink at both ends rather than include what is typed next to them.
    return known.map((found) => ({ ...found, from: change.changes.mapPos(found.from, 1), to: change.changes.mapPos(found.to, -1) }));
  },
});

class SignMarker extends GutterMarker {
  /** @param {Found[]} here */
  constructor(here) {
    super();
    this.here = here;
  }

  /** @param {SignMarker} other */
  eq(other) {
    return other.here.length === this.here.length && other.here.every((found, index) => found.message === this.here[index].message && found.severity === this.here[index].severity);
  }

  toDOM() {
    const [worst] = this.here;
    const words = this.here.map((found) => `${message(`editor.severity.${found.severity}`)}: ${found.message}`).join("\n");
    return make("span", { class: "sign", "data-severity": worst.severity, title: words, text: SIGNS[worst.severity] });
  }
}

const signs = gutter({
  class: "cm-signs",
  markers: (/** @type {any} */ view) => {
    const { doc } = view.state;
    /** @type {Map<number, Found[]>} */
    const lines = new Map();
    for (const found of view.state.field(findings).filter((/** @type {Found} */ each) => !each.ghost)) {
      const { from } = doc.lineAt(Math.min(found.from, doc.length));
      lines.set(from, [...(lines.get(from) ?? []), found]);
    }
    const marks = [...lines].map(([from, here]) => new SignMarker([...here].sort((a, b) => ORDER[a.severity] - ORDER[b.severity])).range(from));
    return RangeSet.of(marks, true);
  },
  initialSpacer: () => new SignMarker([/** @type {Found} */ ({ severity: "info", message: "" })]),
});

class GhostWidget extends WidgetType {
  /** @param {string} words @param {string} title */
  constructor(words, title) {
    super();
    Object.assign(this, { words, title });
  }

  /** @param {any} other */
  eq(other) {
    return other.words === this.words;
  }

  toDOM() {
    return make("span", { class: "ghost", title: this.title, text: this.words, "aria-hidden": "true" });
  }
}

/** @param {any} state */
function ghostMarks(state) {
  /** @type {Map<number, Found[]>} */
  const lines = new Map();
  for (const found of state.field(findings)) {
    if (!found.ghost) continue;
    const { to } = state.doc.lineAt(Math.min(found.from, state.doc.length));
    lines.set(to, [...(lines.get(to) ?? []), found]);
  }
  const marks = [...lines].map(([to, here]) => {
    const all = here.flatMap((found) => found.ghost ?? []);
    const more = all.length > GHOSTS_MAX ? ` +${all.length - GHOSTS_MAX}` : "";
    return Decoration.widget({ widget: new GhostWidget(`# ${all.slice(0, GHOSTS_MAX).join(", ")}${more}`, `${message("editor.defaults_list", { n: all.length })}\n${all.join("\n")}`), side: 1 }).range(to);
  });
  return Decoration.set(marks, true);
}

const ghosts = EditorView.decorations.compute([findings], ghostMarks);
const ghostSwitch = new Compartment();

/** Extensions that draw the findings. */
export function drawFindings() {
  return [findings, signs, ghostSwitch.of(ghosts)];
}

/** @param {any} view @param {boolean} on  whether defaults are shown in the text */
export function showDefaults(view, on) {
  view.dispatch({ effects: ghostSwitch.reconfigure(on ? ghosts : []) });
}

/**
 * @param {any} view
 * @param {Found[]} found  all of them relative to the current text
 */
export function showFindings(view, found) {
  // CodeMirror would throw on a finding at a position that is gone.
  const { length } = view.state.doc;
  const inside = found.filter((item) => item.from <= length);
  view.dispatch({ effects: learn.of(inside) });
  view.dispatch(setDiagnostics(view.state, inside.filter((item) => !item.ghost).map(marked)));
}

/** @param {Found} found */
function marked(found) {
  return {
    from: found.from,
    to: found.to,
    severity: found.severity,
    renderMessage: () => explained(found),
    message: found.message,
    // CodeMirror passes the finding's current position; the edits are relative to the original one.
    actions: found.quickfix.map((fix) => ({ name: fix.title, apply: (/** @type {any} */ view, /** @type {number} */ from) => applyFix(view, fix, from - found.from) })),
  };
}

/** @param {Found} found */
export function explained(found) {
  const parts = [
    make("span", { class: "finding__head" }, [
      make("span", { class: "sign", "data-severity": found.severity, "aria-hidden": "true", text: SIGNS[found.severity] }),
      make("strong", { text: message(`editor.severity.${found.severity}`) }),
    ]),
    make("span", { class: "finding__message", text: found.message }),
  ];
  if (found.path) parts.push(make("code", { text: found.path }));
  if (found.why) parts.push(make("span", { class: "finding__why", text: found.why }));
  if (found.doc) parts.push(make("a", { href: found.doc, target: "_blank", rel: "noreferrer", text: message("editor.docs") }));
  return make("span", { class: "finding" }, parts);
}

/**
 * @param {any} view
 * @param {Fix} fix
 * @param {number} [moved]  how far the position has moved since the text was checked
 */
export function applyFix(view, fix, moved = 0) {
  const changes = fix.edits.map(({ from, to, insert }) => ({ from: from + moved, to: to + moved, insert }));
  view.dispatch({ changes, userEvent: "input.fix", scrollIntoView: true });
  view.focus();
}
