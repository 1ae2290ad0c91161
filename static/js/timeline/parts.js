// @ts-check
/** The elements that the timeline is made of. */

import { make } from "../dom.js";
import { text } from "../i18n.js";
import { Layer } from "./canvas.js";

/** @param {boolean} recorded  a recording has an end where a run has a now */
export function buildParts(recorded) {
  const corner = make("div", { class: "timeline__corner", role: "toolbar", "aria-label": text("timeline.tools"), "data-roving": true });
  const head = make("div", { class: "timeline__ruler" });
  const stage = make("div", { class: "timeline__stage" });
  const content = make("div", { class: "timeline__content" }, [stage]);
  const body = make("div", { class: "timeline__body" }, [content]);
  const pill = make("button", { type: "button", class: "timeline__pill", "data-do": "last", title: recorded ? undefined : text("act.past"), hidden: true }, [text(recorded ? "live.jump_end" : "live.jump")]);
  const empty = make("p", { class: "timeline__empty", text: text("timeline.empty") });
  const signs = ["≈ ", " · ┆ "].map((sign) => make("span", { "aria-hidden": "true", text: sign }));
  const legend = make("p", { class: "timeline__legend", hidden: true }, [signs[0], text("timeline.inferred_legend"), signs[1], text("timeline.imported")]);
  return { corner, head, stage, content, body, pill, empty, legend, base: new Layer(stage, "base"), top: new Layer(stage, "top"), ruler: new Layer(head, "ruler") };
}
