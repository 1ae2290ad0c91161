// @ts-check
/** The numbers of a stretch of time as a table: its Services, its pods, and their containers. Above it, its first and last Event. */

import { find, make } from "../base/dom.js";
import { lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { shortPod } from "../wire/record.js";
import { cutTo, savePng, saveSvg } from "./export.js";
import { eventsOf, statsOf } from "./stretch-stats.js";

/** At most this many pods get rows of their own. */
const PODS_MAX = 60;

/**
 * Fill the panel of a stretch: its table, and buttons to save a picture of it.
 * @param {any} timeline
 * @param {{ from_ms: number, to_ms: number }} shown  the part of the stretch that has passed
 */
export function fillStretch(timeline, shown) {
  const { stretch, run, view, clock } = timeline;
  if (!find("[data-export]", stretch.element)) addExports(timeline);
  const { lanes } = run.store;
  const only = view.only?.pods;
  const { first, last } = eventsOf(lanes, shown.from_ms, shown.to_ms, only);
  const ends = [["first", first], ["last", last]].filter(([, mark]) => mark).map(([name, mark]) => eventLink(String(name), mark, clock));
  putEnds(stretch.body, ends);
  find("table", stretch.body)?.remove();
  stretch.body.append(stretchTable(lanes, shown, only));
}

/** Reuse the links, since one of them may have the focus. @param {HTMLElement} body @param {HTMLElement[]} ends */
function putEnds(body, ends) {
  const before = find(".stretch__ends", body);
  const next = make("p", { class: "stretch__ends cluster" }, ends);
  // Called again while the run goes on.
  if (before?.innerHTML === next.innerHTML) return;
  before?.remove();
  if (ends.length) body.prepend(next);
}

/** @param {string} name @param {any} mark @param {any} clock */
function eventLink(name, mark, clock) {
  const link = make("button", { type: "button", class: "linkbtn", "data-seek-seq": String(mark.seq), text: `${clock.text(mark.t, 1)} ${mark.text}` });
  return make("span", {}, [`${text(`stretch.${name}`)} `, link]);
}

/** Buttons that save a picture of the stretch, next to the existing ones. @param {any} timeline */
function addExports(timeline) {
  const { stretch } = timeline;
  const ways = /** @type {[string, (timeline: any) => void][]} */ ([["SVG", saveSvg], ["PNG", savePng]]);
  stretch.title.after(...ways.map(([kind, save]) => {
    const button = make("button", { type: "button", class: "button button--small button--quiet", "data-export": kind, title: text(`export.${kind.toLowerCase()}`), "aria-label": text(`export.${kind.toLowerCase()}`), text: kind });
    button.addEventListener("click", () => stretch.chosen && save(cutTo(timeline, stretch.chosen)));
    return button;
  }));
}

/**
 * @param {any} lanes
 * @param {{ from_ms: number, to_ms: number }} stretch
 * @param {Set<string>} [only]  the pods that are shown; all by default
 */
function stretchTable(lanes, { from_ms, to_ms }, only) {
  const { pods: all, services } = statsOf(lanes, from_ms, to_ms);
  const pods = only ? all.filter(({ key }) => only.has(key)) : all;
  const length_ms = to_ms - from_ms;
  const heads = ["object", "ready", "restarts", "exits", "probes", "states"].map((name) => make("th", { scope: "col", text: text(`stretch.${name}`) }));
  const lines = pods.slice(0, PODS_MAX).flatMap((pod) => [podLine(pod, length_ms), ...pod.containers.map((/** @type {any} */ part) => partLine(part, length_ms))]);
  const more = pods.length > PODS_MAX ? [line([text("stretch.more", { n: pods.length - PODS_MAX }), "", "", "", "", ""])] : [];
  const asked = services.map(({ name, failed, all, key }) => line([name, "", "", "", text("stretch.requests", { failed, all }), ""], { "data-select": key, "data-failed": String(failed) }));
  return make("table", { class: "table table--compact" }, [make("thead", {}, [make("tr", {}, heads)]), make("tbody", {}, [...asked, ...lines, ...more])]);
}

/** @param {number} ms @param {number} length_ms */
function share(ms, length_ms) {
  return `${lengthText(ms)} · ${length_ms > 0 ? Math.round((ms / length_ms) * 100) : 0} %`;
}

/** @param {any} pod @param {number} length_ms */
function podLine({ key, ready_ms, warnings, containers }, length_ms) {
  const restarts = containers.reduce((/** @type {number} */ total, /** @type {any} */ part) => total + part.restarts, 0);
  return line([shortPod(key), share(ready_ms, length_ms), String(restarts), "", "", warnings ? text("stretch.warnings", { n: warnings }) : ""], { class: "stretch__pod", "data-select": `pod/${key}` });
}

/** @param {any} part @param {number} length_ms */
function partLine({ subject, name, ready_ms, restarts, exits, probes, states }, length_ms) {
  const tried = Object.entries(probes).map(([kind, { ok, all }]) => `${text(`probe.${kind}`)} ${ok}/${all}`).join(", ");
  const lasted = states.map((/** @type {[string, number]} */ [word, ms]) => `${word} ${lengthText(ms)}`).join(", ");
  return line([name, share(ready_ms, length_ms), String(restarts), counted(exits), tried, lasted], { "data-select": subject });
}

/** @param {string[]} cells @param {Record<string, string>} [attributes] */
function line(cells, attributes = {}) {
  return make("tr", attributes, cells.map((words) => make("td", { text: words })));
}

/**
 * Exit codes in order, equal consecutive ones as one with their number: "1 × 38, 137".
 * @param {string[]} exits
 */
export function counted(exits) {
  /** @type {[string, number][]} */
  const runs = [];
  for (const code of exits) {
    const last = runs.at(-1);
    if (last?.[0] === code) last[1] += 1;
    else runs.push([code, 1]);
  }
  return runs.map(([code, times]) => (times > 1 ? `${code} × ${times}` : code)).join(", ");
}
