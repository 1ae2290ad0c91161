// @ts-check
/** The editor in the place of a field of TOML: its lines have numbers and colours, and what the server found stands at its line. */

import { find, findAll } from "../base/dom.js";
import { Decoration, EditorView } from "./cm.js";
import { drawFindings, showFindings } from "./diagnostics.js";
import { tokensOf } from "./toml-tokens.js";
import { createView } from "./view.js";

/** A longer text stays without colours: each change would read all of it. */
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
 * The field stays in the form, keeps the text and is what is sent.
 * @param {HTMLTextAreaElement} field  problems that name a line stand on the page as links with data-line
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
  label?.removeAttribute("for"); // it names what can be seen
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
