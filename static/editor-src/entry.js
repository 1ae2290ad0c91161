/** What the bundle offers to static/js/editor. Its styles are adopted as sheets of the document, so that the page's policy needs no exception. */

import { StyleModule } from "style-mod";

export { autocompletion, completionKeymap, snippetCompletion, startCompletion, acceptCompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore, temporarilySetTabFocusMode, toggleTabFocusMode } from "@codemirror/commands";
export { yaml as yamlLanguage } from "@codemirror/lang-yaml";
export { HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { forEachDiagnostic, lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics, setDiagnosticsEffect } from "@codemirror/lint";
export { MergeView, unifiedMergeView } from "@codemirror/merge";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { Annotation, Compartment, EditorSelection, EditorState, Facet, Prec, RangeSet, RangeSetBuilder, StateEffect, StateField, Transaction } from "@codemirror/state";
export {
  Decoration,
  EditorView,
  GutterMarker,
  ViewPlugin,
  WidgetType,
  crosshairCursor,
  drawSelection,
  dropCursor,
  gutter,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
  rectangularSelection,
  showPanel,
  showTooltip,
  tooltips,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";
export { LineCounter, Pair, Scalar, YAMLMap, YAMLSeq, isAlias, isMap, isPair, isScalar, isSeq, parseAllDocuments, parseDocument, stringify, visit } from "yaml";

const SHEET = Symbol("editor sheet");

/** @param {Document | ShadowRoot} root @param {StyleModule[] | StyleModule} wanted in the order in which their rules apply */
StyleModule.mount = (root, wanted) => {
  const list = Array.isArray(wanted) ? wanted : [wanted];
  root[SHEET] ??= { modules: [], sheet: new (root.defaultView ?? root.ownerDocument.defaultView).CSSStyleSheet() };
  const kept = root[SHEET];
  const order = mergedOrder(kept.modules, list);
  if (order.length !== kept.modules.length || order.some((module, index) => module !== kept.modules[index])) {
    kept.modules = order;
    kept.sheet.replaceSync(order.map((module) => module.getRules()).join("\n"));
  }
  if (!root.adoptedStyleSheets.includes(kept.sheet)) root.adoptedStyleSheets = [kept.sheet, ...root.adoptedStyleSheets];
};

/** Both lists as one, each in its own order; where they disagree the second wins. */
function mergedOrder(before, wanted) {
  const order = [...before];
  let place = 0;
  for (const module of wanted) {
    let at = order.indexOf(module);
    if (at >= 0 && at < place) {
      order.splice(at, 1);
      place -= 1;
      at = -1;
    }
    if (at < 0) order.splice(place, 0, module);
    else place = at;
    place += 1;
  }
  return order;
}
