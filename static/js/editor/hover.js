// @ts-check
/** The meaning of a field, shown while the pointer rests on its name or on a key press (Ctrl-I). */

import { text as message } from "../base/i18n.js";
import { StateEffect, StateField, hoverTooltip, keymap, showTooltip } from "./cm.js";
import { explained } from "./complete.js";
import { keyAt } from "./place.js";
import { changeOf, fieldAt } from "./schema.js";

/**
 * @param {any} schemas
 * @param {() => boolean} isLive  whether the text is of an object that exists
 */
export function hoverDocs(schemas, isLive) {
  const about = async (/** @type {any} */ view, /** @type {number} */ position) => {
    const key = keyAt(view.state.doc.toString(), position);
    const reference = key && (await schemas.of(key.part.kind));
    const found = reference && key && fieldAt(reference, key.path);
    if (!key || !found?.field) return null;
    const change = isLive() && Object.keys(reference.mutable).length ? message(`editor.change.${changeOf(reference, key.path)}`) : "";
    const name = key.path[key.path.length - 1];
    return { pos: key.from, end: key.to, above: true, create: () => ({ dom: explained(name, found.field, { change }) }) };
  };
  return [hoverTooltip(about, { hoverTime: 350 }), asked, keymap.of([{ key: "Mod-i", run: (/** @type {any} */ view) => (ask(view, about), true) }])];
}

const answer = StateEffect.define();

/** The card opened by keyboard; the next change or movement closes it. */
const asked = StateField.define({
  create: () => null,
  update(/** @type {any} */ shown, /** @type {any} */ change) {
    for (const effect of change.effects) if (effect.is(answer)) return effect.value;
    return change.docChanged || change.selection ? null : shown;
  },
  provide: (/** @type {any} */ field) => showTooltip.from(field),
});

/** @param {any} view @param {(view: any, position: number) => Promise<any>} about */
async function ask(view, about) {
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  const found = (await about(view, head)) ?? (await about(view, line.from + Math.max(0, line.text.search(/[^\s-]/))));
  if (found && view.state.selection.main.head === head) view.dispatch({ effects: answer.of(found) });
}
