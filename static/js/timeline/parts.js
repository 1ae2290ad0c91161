// @ts-check
/** The elements that the timeline is made of. */

import { setHidden, make, setText } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { Layer } from "./canvas.js";

/** @param {boolean} recorded  a recording has an end instead of a now */
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

/** Nothing happens by itself in a paused run: tell readers who may start it how. @param {HTMLElement} empty @param {any} run */
export function showEmpty(empty, { clock, transport, playhead }) {
  const waits = clock?.frame && !clock.running && transport?.owns;
  setText(empty, waits ? text("timeline.paused", { time: clockText(playhead.t_ms) }) : text("timeline.empty"));
}

/** Maximum width of the button back to the newest moment, and of the two futures' names. */
const PILL_PX = 290;
const NAMES_PX = 240;

/**
 * Update the button back to the newest moment with the distance from the moment shown, or from the edge of the lanes.
 * @param {HTMLElement} pill
 * @param {import("../playback/playhead.js").Playhead} playhead
 * @param {import("./viewport.js").Viewport} viewport
 * @param {{ from_ms: number } | null} futures  their names are at the bottom of the lanes, where they part: the button goes to the other side
 */
export function showPill(pill, { live, isNewest, recorded, t_ms, end_ms }, viewport, futures) {
  const x = viewport.xOf(end_ms);
  const point = futures ? viewport.xOf(futures.from_ms) : 0;
  pill.classList.toggle("timeline__pill--start", point > PILL_PX && point + NAMES_PX > viewport.width - PILL_PX);
  setHidden(pill, isNewest && x >= 0 && x <= viewport.width);
  const ahead_s = Math.round((end_ms - (live ? viewport.end_ms : t_ms)) / 1000);
  if (!recorded) setText(pill, ahead_s > 0 ? text("live.ahead", { time: lengthText(ahead_s * 1000) }) : text("live.jump"));
}
