// @ts-check
/** The possible labels of bars, the longest first. */

import { lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { CONDITION_STATUSES, GLYPHS } from "../base/tones-table.js";
import { requestText } from "../lanes/request-lanes.js";

const INFERRED = "≈ ";
const STALE = "⊘ ";

/**
 * @param {any} lane
 * @param {any} span
 * @param {number} end_ms  newest moment
 * @returns {string[]}
 */
export function labelsOf(lane, span, end_ms) {
  const words = plain(lane, span, end_ms);
  // The sign precedes even the shortest label: what the API server shows is out of date.
  if (span.data.stale) return [...(lane.kind === "status" ? [`${STALE}${text("lane.stale", { word: words[0] })}`] : []), ...words.map((word) => STALE + word)];
  return span.data.inferred ? words.map((word) => INFERRED + word) : words;
}

/** @param {any} lane @param {any} span @param {number} end_ms @returns {string[]} */
function plain(lane, span, end_ms) {
  const glyph = GLYPHS[span.tone] || "";
  switch (lane.kind) {
    case "condition":
      return [CONDITION_STATUSES[span.text] ?? CONDITION_STATUSES.Unknown];
    case "phase":
      return [span.text, span.text.charAt(0)];
    case "status":
      return [...(span.data.ready ? [`${glyph} ${span.text} ${span.data.ready}`] : []), `${glyph} ${span.text}`, glyph];
    case "node":
    case "part":
    case "workload":
      return [`${glyph} ${span.text.replaceAll("_", " ")}`, glyph];
    case "requests":
      return [`${glyph} ${requestText(span)}`, `${glyph} ${span.data.total || ""}`, glyph];
    default:
      return containerLabels(glyph, span, end_ms);
  }
}

/** @param {string} glyph @param {any} span @param {number} end_ms */
function containerLabels(glyph, span, end_ms) {
  // Instances count from 0, as restarts do.
  const instance = span.data.instance ?? 0;
  if (span.text === "Running") return [`#${instance} Running`, `#${instance}`];
  if (span.tone === "failed" && span.data.exit_code !== undefined) return [`${glyph} ${span.text} ${span.data.exit_code}`, String(span.data.exit_code), glyph];
  if (span.tone !== "backoff") return [`${glyph} ${span.text}`, glyph];
  // In tenths, so that the label, and with it the layout, does not change in every frame.
  const length = lengthText(Math.round((Math.min(span.t1, end_ms) - span.t0) / 100) * 100);
  return [`${glyph} ${span.text} ${length}`, `${glyph} ${length}`, glyph];
}
