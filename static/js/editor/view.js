// @ts-check
/** A CodeMirror view for YAML with the site's key bindings. Escape leaves it, so that it is never a keyboard trap. */

import { text as message } from "../base/i18n.js";
import {
  EditorState,
  EditorView,
  Prec,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  codeFolding,
  defaultKeymap,
  drawSelection,
  dropCursor,
  foldGutter,
  foldKeymap,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSelectionMatches,
  highlightSpecialChars,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  indentOnInput,
  indentUnit,
  keymap,
  lineNumbers,
  rectangularSelection,
  search,
  searchKeymap,
  yamlLanguage,
} from "./cm.js";
import { look } from "./theme.js";

/** What every YAML view shares, including read-only ones. */
export function plainYaml(/** @type {any} another language may take its place */ language = yamlLanguage()) {
  return [lineNumbers(), highlightSpecialChars(), language, look, EditorState.phrases.of(phrases())];
}

/** @param {any} view */
function tab(view) {
  const { state } = view;
  if (state.selection.ranges.some((/** @type {any} */ range) => !range.empty)) return indentMore(view);
  view.dispatch(state.update(state.replaceSelection("  "), { scrollIntoView: true, userEvent: "input" }));
  return true;
}

/**
 * @param {object} options
 * @param {HTMLElement} options.parent
 * @param {string} options.text
 * @param {string} options.label  the field's accessible name
 * @param {() => void} options.leave  moves focus out of the view
 * @param {{ anchor: number, head: number }} [options.selection]  the selection at the source of the text
 * @param {any} [options.language]  YAML by default
 * @param {any[]} [options.extensions]
 */
export function createView({ parent, text, label, leave, selection, language, extensions = [] }) {
  const within = (/** @type {number} */ at) => Math.min(at, text.length);
  const state = EditorState.create({
    doc: text,
    selection: selection && { anchor: within(selection.anchor), head: within(selection.head) },
    extensions: [
      ...extensions,
      selection ? keptUntilTouched(parent, () => view) : [],
      plainYaml(language),
      foldGutter({ markerDOM: foldMark }),
      codeFolding(),
      history(),
      drawSelection(),
      dropCursor(),
      EditorState.allowMultipleSelections.of(true),
      EditorState.tabSize.of(2),
      indentUnit.of("  "),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      rectangularSelection(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      search({ top: true }),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
      keymap.of([...closeBracketsKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, { key: "Tab", run: tab, shift: indentLess }, ...defaultKeymap]),
      Prec.lowest(keymap.of([{ key: "Escape", run: () => (leave(), true) }])),
    ],
  });
  /** @type {any} */
  const view = new EditorView({ state, parent });
  return view;
}

/**
 * A selection that was handed over stays until the reader presses a key or points. A browser puts the caret at the start of an element that
 * gets the focus, and of a line that is redrawn; for a moment after getting the focus, CodeMirror takes the former for the latter and
 * leaves the caret there.
 * @param {HTMLElement} parent
 * @param {() => any} view
 */
function keptUntilTouched(parent, view) {
  let isTouched = false;
  const touch = (/** @type {Event} */ event) => {
    if (!isTouched && event.type === "keydown") caretAsStated(view());
    isTouched = true;
  };
  for (const name of ["keydown", "pointerdown", "beforeinput"]) parent.addEventListener(name, touch, { capture: true, once: true });
  return EditorState.transactionFilter.of((/** @type {any} */ change) => (isTouched || change.docChanged || !change.selection || !change.isUserEvent("select") ? change : []));
}

/** @param {any} view */
function caretAsStated(view) {
  const { anchor, head } = view.state.selection.main;
  const [from, to] = [view.domAtPos(anchor), view.domAtPos(head)];
  document.getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

/** @param {boolean} open */
function foldMark(open) {
  const mark = document.createElement("span");
  mark.textContent = open ? "⌄" : "›";
  mark.title = message(open ? "editor.fold" : "editor.unfold");
  return mark;
}

/** CodeMirror's own texts in the reader's language. */
function phrases() {
  return {
    Find: message("editor.find"),
    Replace: message("editor.replace"),
    next: message("editor.next"),
    previous: message("editor.previous"),
    all: message("editor.all"),
    "match case": message("editor.match_case"),
    "by word": message("editor.by_word"),
    regexp: message("editor.regexp"),
    replace: message("editor.replace_one"),
    "replace all": message("editor.replace_all"),
    close: message("dialog.close"),
    "$ unchanged lines": message("editor.unchanged_lines", { n: "$" }),
  };
}
