// @ts-check
/** The editor's look: the page's design tokens, so that it follows the page's theme automatically. */

import { EditorView, HighlightStyle, syntaxHighlighting, tags } from "./cm.js";

const LOOK = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--bg)", color: "var(--text)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", scrollbarWidth: "thin" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 12px" },
  ".cm-gutters": { border: "0", borderInlineEnd: "1px solid var(--border)", backgroundColor: "var(--panel)", color: "var(--faint)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.6em", padding: "0 8px 0 4px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 5%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 10%, transparent)", color: "var(--text)" },
  ".cm-cursor, .cm-dropCursor": { borderInlineStart: "2px solid var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 24%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--tone-warn-soft)", outline: "1px solid color-mix(in srgb, var(--tone-warn) 40%, transparent)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-foldPlaceholder": { border: "1px solid var(--border)", backgroundColor: "var(--panel)", color: "var(--muted)" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer" },

  ".cm-panels": { borderColor: "var(--border)", backgroundColor: "var(--panel)", color: "var(--text)" },
  ".cm-panel.cm-search": { padding: "8px 12px", fontFamily: "var(--font-ui)" },
  ".cm-panel.cm-search label, .cm-panel.cm-search [name=close]": { fontSize: "0.75rem" },
  ".cm-panel.cm-search [name=close]": { inset: "8px 10px auto auto", minWidth: "24px", minHeight: "24px" },
  ".cm-textfield": { padding: "3px 8px", border: "1px solid var(--border-strong)", borderRadius: "5px", backgroundColor: "var(--bg)", color: "var(--text)", fontSize: "0.75rem" },
  ".cm-button": { padding: "3px 9px", border: "1px solid var(--border)", borderRadius: "5px", background: "var(--raised)", color: "var(--text)", fontSize: "0.75rem" },

  ".cm-tooltip": {
    border: "1px solid var(--border)",
    borderRadius: "8px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    boxShadow: "var(--shadow-2)",
    overflow: "hidden",
    maxWidth: "min(480px, 90vw)",
  },
  // The description of a field is next to the list, inside the same box.
  ".cm-tooltip.cm-tooltip-autocomplete": { overflow: "visible" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { borderRadius: "7px", fontFamily: "var(--font-mono)", fontSize: "0.8125rem", maxHeight: "17em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px 3px 6px", lineHeight: "1.5" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal", fontSize: "0.75rem" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "10px 12px", maxWidth: "340px", whiteSpace: "normal" },
  ".cm-tooltip-lint": { padding: "0" },
  ".cm-diagnostic": { padding: "8px 12px", borderInlineStart: "3px solid var(--tone-bad)", fontFamily: "var(--font-ui)", fontSize: "0.8125rem", lineHeight: "1.45" },
  ".cm-diagnostic-warning": { borderInlineStartColor: "var(--tone-warn)" },
  ".cm-diagnostic-info": { borderInlineStartColor: "var(--tone-info)" },
  ".cm-diagnosticAction": {
    margin: "6px 6px 0 0",
    padding: "3px 9px",
    border: "1px solid var(--border-strong)",
    borderRadius: "6px",
    backgroundColor: "var(--bg)",
    color: "var(--accent)",
    fontWeight: "560",
    cursor: "pointer",
  },
  // Three severities, three kinds of underline: none is distinguished by its colour alone.
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "0", textDecorationThickness: "1.5px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--tone-bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline dashed var(--tone-warn)" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--tone-info)" },
  ".cm-lintRange-active": { backgroundColor: "color-mix(in srgb, var(--tone-warn) 14%, transparent)" },
  ".cm-lintPoint::after": { borderBottomColor: "var(--tone-bad)" },

  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--tone-bad) 10%, transparent)" },
  "&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "color-mix(in srgb, var(--tone-ok) 11%, transparent)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "color-mix(in srgb, var(--tone-bad) 24%, transparent)" },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in srgb, var(--tone-ok) 26%, transparent)" },
  ".cm-changeGutter": { width: "4px", paddingInlineStart: "0" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--tone-bad)" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--tone-ok)" },
  ".cm-collapsedLines": { padding: "3px 12px", background: "var(--panel)", color: "var(--muted)", fontFamily: "var(--font-ui)", fontSize: "0.75rem" },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: '"⋯"', margin: "0 6px" },
});

const WORDS = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: "var(--accent)" },
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string), tags.content], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--tone-warn)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.meta, tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--muted)" },
  { tag: [tags.labelName, tags.typeName], color: "var(--tone-ok)" },
]);

/** Extensions that style a view. */
export const look = [LOOK, syntaxHighlighting(WORDS)];
