// @ts-check
/** The numbers of a stretch of time as a table: its Services, its pods, and their containers. */

import { make } from "../dom.js";
import { lengthText } from "../format.js";
import { text } from "../i18n.js";
import { shortPod } from "../record.js";
import { statsOf } from "./stretch-stats.js";

/** So many pods are told of one by one. */
const PODS_MAX = 60;

/**
 * @param {any} lanes
 * @param {{ from_ms: number, to_ms: number }} stretch
 * @param {Set<string>} [only]  the pods that are shown; all without
 */
export function stretchTable(lanes, { from_ms, to_ms }, only) {
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
  return line([name, share(ready_ms, length_ms), String(restarts), exits.join(", "), tried, lasted], { "data-select": subject });
}

/** @param {string[]} cells @param {Record<string, string>} [attributes] */
function line(cells, attributes = {}) {
  return make("tr", attributes, cells.map((words) => make("td", { text: words })));
}
