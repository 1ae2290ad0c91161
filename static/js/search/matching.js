// @ts-check
/** Which lanes match a query: pods by name, label and state, and those in which a result occurred. Pure. */

import { spanAt } from "../lanes/lane-search.js";
import { TROUBLED } from "./instants.js";
import { isScopeOnly } from "./query.js";

/** @typedef {{ pods: Set<string>, others: Set<string> }} Kept  keys of pods, subjects of workloads, Services and nodes */

/**
 * Pods within the scope of the query.
 * @param {any} lanes
 * @param {any} query
 * @param {number} t_ms  the moment shown
 * @param {Set<string> | null} labelled  keys of the pods that match the query's selector
 * @returns {Set<string>}
 */
export function podsInScope(lanes, query, t_ms, labelled) {
  const found = new Set();
  for (const pod of lanes.pods.values()) {
    if (labelled && !labelled.has(pod.key)) continue;
    if (query.pod && !pod.key.toLowerCase().includes(query.pod)) continue;
    if (query.container && ![...pod.containers.values()].some((lane) => lane.name.toLowerCase().includes(query.container))) continue;
    if (query.node && !(nodeAt(pod, t_ms) ?? "").toLowerCase().includes(query.node)) continue;
    if (query.is.every((/** @type {string} */ word) => isInState(pod, word, t_ms))) found.add(pod.key);
  }
  return found;
}

/** @param {any} pod @param {number} t_ms its node as of then */
function nodeAt({ nodes }, t_ms) {
  return spanAt(nodes, t_ms)?.text ?? null;
}

/**
 * Whether the pod, or one of its containers, is in a state: a tone, `trouble` for any bad one, or a word that kubectl prints.
 * @param {any} pod
 * @param {string} word  in lower case
 * @param {number} t_ms
 */
function isInState(pod, word, t_ms) {
  const status = spanAt(pod.status.spans, t_ms);
  if (!status || status.tone === "absent") return false;
  const spans = [status, ...[...pod.containers.values()].map((lane) => spanAt(lane.spans, t_ms)).filter(Boolean)];
  if (word === "trouble") return spans.some(({ tone }) => TROUBLED.has(tone));
  return spans.some(({ tone, text }) => tone === word || text.toLowerCase() === word);
}

/**
 * Lanes that stay while a query filters.
 * @param {any} lanes
 * @param {any} query
 * @param {Set<string>} scope
 * @param {{ pod: string, subject: string }[]} found  instants
 * @param {number} t_ms
 * @returns {Kept}
 */
export function lanesKept(lanes, query, scope, found, t_ms) {
  const words = query.words.map((/** @type {string} */ word) => word.toLowerCase());
  const named = (/** @type {string} */ text) => words.every((/** @type {string} */ word) => text.toLowerCase().includes(word));
  const pods = new Set(found.map(({ pod }) => pod).filter((pod) => scope.has(pod)));
  const others = new Set(found.filter(({ pod }) => !pod).map(({ subject }) => ownerOf(subject)));
  const plain = query.lasting === null && query.which === "all";
  for (const key of scope) {
    const pod = lanes.pods.get(key);
    if (isScopeOnly(query) || (plain && named(`${key} ${[...pod.containers.values()].map((lane) => lane.name).join(" ")} ${spanAt(pod.status.spans, t_ms)?.text ?? ""}`))) pods.add(key);
  }
  if (plain && words.length) for (const subject of [...lanes.workloads.keys(), ...[...lanes.services.values()].map((/** @type {any} */ each) => each.key), ...[...lanes.nodes.values()].map((/** @type {any} */ each) => each.key)]) if (named(subject)) others.add(subject);
  if (query.node && !words.length) for (const node of lanes.nodes.values()) if (node.key.toLowerCase().includes(query.node)) others.add(node.key);
  return { pods, others };
}

/** The Service whose requests a record counts; otherwise what it is about. @param {string} subject */
function ownerOf(subject) {
  const parts = subject.split("/");
  return parts[0] === "requests" ? `service/${parts[1]}/${parts[2]}` : subject;
}
