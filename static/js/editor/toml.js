// @ts-check
/** The editor in place of a TOML field: line numbers, colours, and the server's findings at their lines. */

import { find, findAll } from "../base/dom.js";
import { Decoration, EditorView } from "./cm.js";
import { drawFindings, showFindings } from "./diagnostics.js";
import { tokensOf } from "./toml-tokens.js";
import { createView } from "./view.js";

/** A longer text stays uncoloured: each change would read all of it. */
const COLOURED_MAX = 200_000;
const COLOURS = EditorView.theme({
  ".toml-comment": { color: "var(--faint)", fontStyle: "italic" },
  ".toml-head": { color: "var(--tone-ok)", fontWeight: "600" },
  ".toml-key": { color: "var(--accent)" },
  ".toml-string": { color: "var(--text)" },
  ".toml-value": { color: "var(--tone-warn)" },
});

const coloured = EditorView.decorations.compute(["doc"], (/** @type {any} */ { doc }) => {
  const tokens = doc.length > COLOURED_MAX ? [] : tokensOf(doc.toString());
  return Decoration.set(tokens.map(({ from, to, name }) => Decoration.mark({ class: `toml-${name}` }).range(from, to)));
});

/**
 * Replace the field; it stays in the form, keeps the text and is what is submitted.
 * @param {HTMLTextAreaElement} field  problems with a line number are links with data-line on the page
 */
export function openToml(field) {
  const label = document.querySelector(`label[for="${field.id}"]`);
  const parent = document.createElement("div");
  parent.className = "bench level-edit__editor";
  field.before(parent);
  const hadFocus = document.activeElement === field;
  const view = createView({
    parent,
    text: field.value.replace(/\r\n?/g, "\n"),
    label: label?.textContent?.trim() ?? "",
    leave: () => find("button", /** @type {HTMLFormElement} */ (field.form))?.focus(),
    language: [coloured, COLOURS],
    extensions: [
      drawFindings(),
      EditorView.updateListener.of((/** @type {any} */ update) => {
        if (!update.docChanged) return;
        field.value = update.state.doc.toString();
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    ],
  });
  field.hidden = true;
  label?.removeAttribute("for"); // it names what is visible
  const lineAt = (/** @type {number} */ n) => view.state.doc.line(Math.min(Math.max(1, n), view.state.doc.lines));
  showFindings(view, findAll("[data-line]", /** @type {HTMLElement} */ (find("#problems") ?? parent)).map((link) => {
    const { from, to } = lineAt(Number(link.dataset.line));
    return { from, to, line: Number(link.dataset.line), col: 1, severity: "error", code: "", path: "", message: link.dataset.problem ?? "", quickfix: [] };
  }));
  label?.addEventListener("click", () => view.focus());
  field.addEventListener("editor:line", (event) => {
    event.preventDefault();
    view.dispatch({ selection: { anchor: lineAt(/** @type {CustomEvent} */ (event).detail).from }, scrollIntoView: true });
    view.focus();
  });
  if (hadFocus) view.focus();
  return view;
}
