// @ts-check
/** Opens the editor: in place of a form's field, or in the dialog of a run. This module imports everything else. */

import { find } from "../base/dom.js";
import { Bar } from "./bar.js";
import { Bench } from "./bench.js";

export { openDialog } from "./dialog.js";
export { openToml } from "./toml.js";

/** @type {WeakMap<HTMLTextAreaElement, any>} */
const benches = new WeakMap();

/**
 * Put the editor in the place of a field. The field stays in the form, keeps the text and is what is submitted.
 * @param {HTMLTextAreaElement} field
 * @param {HTMLFormElement} form  has data-check-url and data-schema-base, and may have fields named `kubernetes` and `feature_gates`
 */
export function openField(field, form) {
  const known = benches.get(field);
  if (known) return known;
  const frame = /** @type {HTMLElement} */ (field.closest(".editor") ?? field);
  const version = /** @type {HTMLSelectElement | null} */ (form.elements.namedItem("kubernetes"));
  const gates = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("feature_gates"));
  const hadFocus = document.activeElement === field;
  const { selectionStart, selectionEnd } = field;
  const bar = new Bar(["yaml", "form", "behaviour"], "new", () => {}, () => {});
  const bench = new Bench({
    text: field.value.replace(/\r\n?/g, "\n"),
    // Text that was selected before the editor was loaded stays selected.
    selection: { anchor: selectionStart, head: selectionEnd },
    id: "new",
    bar,
    checkUrl: form.dataset.checkUrl || "",
    schemaBase: form.dataset.schemaBase || "",
    version: () => version?.value || "",
    fields: () => ({ kubernetes: version?.value || "", feature_gates: gates?.value || "" }),
    onText: (text) => {
      field.value = text;
      find("#problems")?.replaceChildren();
    },
    apply: () => form.requestSubmit(),
  });
  benches.set(field, bench);
  frame.before(bench.element);
  frame.hidden = true;
  field.dispatchEvent(new CustomEvent("editor:opened"));
  form.addEventListener("submit", () => {
    bench.flush();
    field.value = bench.text;
  }, true);
  version?.addEventListener("change", () => bench.versionChanged());
  gates?.addEventListener("change", () => bench.versionChanged());
  document.querySelector(`label[for="${field.id}"]`)?.addEventListener("click", () => bench.view.focus());
  field.addEventListener("editor:line", (event) => {
    event.preventDefault();
    bench.goToLine(/** @type {CustomEvent} */ (event).detail);
  });
  if (!hadFocus) return bench;
  bench.view.focus();
  bench.view.dispatch({ scrollIntoView: true });
  return bench;
}
