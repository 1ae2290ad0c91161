// @ts-nocheck
/** The vendored bundle under one short name. Rewritten by `make editor-bundle`. */

export * from "../../vendor/codemirror@6.43.15/editor.min.js";
