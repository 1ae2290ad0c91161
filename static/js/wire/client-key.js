// @ts-check
/**
 * Keys of acts whose answer never came: a retry of the same act carries the same key, so that the server does it once.
 *
 * Every act is sent with a key that the server remembers. If the answer is lost, the reader cannot know whether the act was carried out,
 * and presses the button again; with the same key the server answers as it did the first time. So a key is kept only for acts whose outcome
 * is unknown, and only for a minute.
 */

import { randomKey } from "../base/dom.js";

const KEPT_MS = 60_000;

/** @type {Map<string, { key: string, until: number }>} by deed */
const unanswered = new Map();
/** @type {Map<string, string>} the deeds that are under way, by key */
const underWay = new Map();

/**
 * The key to send an act with: that of the last attempt if its outcome is unknown, else a new one.
 * @param {string} url
 * @param {Iterable<[string, any]>} fields  the act's fields
 */
export function keyFor(url, fields) {
  // What is new in each form does not make it another act.
  const relevant = [...fields].filter(([name]) => name !== "client_key" && name !== "csrfmiddlewaretoken");
  const action = JSON.stringify([url, relevant.map(([name, value]) => [name, name === "target" ? named(value) : value])]);
  const kept = unanswered.get(action);
  const key = kept && kept.until > Date.now() ? kept.key : randomKey();
  underWay.set(key, action);
  return key;
}

/** A pod's role changes once an act has reached it, and it is still the same pod. @param {any} target */
function named(target) {
  return typeof target === "string" ? target.replace(/^[^[]*\[[^\]]*\]=/, "") : target;
}

/**
 * Note the answer to an act, or its absence: 0 means that nothing came back; from 500 on it is unknown what was done before the failure.
 * @param {string} key
 * @param {number} status
 */
export function answered(key, status) {
  const deed = underWay.get(key);
  if (!deed) return;
  underWay.delete(key);
  // A key lasts only a minute: the same act later is meant as a second one.
  if (status === 0 || status >= 500) unanswered.set(deed, { key, until: Date.now() + KEPT_MS });
  else unanswered.delete(deed);
}
