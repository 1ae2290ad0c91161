// @ts-check
/**
 * Keys of acts whose answer never came: the same act sent once more carries the same key, so that
 * the server does it once.
 *
 * Every act is sent with a key that the server remembers. If the answer is lost, the reader cannot
 * know whether the act was carried out, and presses the button again; with the same key the server
 * answers as it did the first time. So a key is kept only for acts whose outcome is unknown, and
 * only for a minute.
 */

import { randomKey } from "../base/dom.js";

const KEPT_MS = 60_000;

/** @type {Map<string, { key: string, until: number }>} by deed */
const unanswered = new Map();
/** @type {Map<string, string>} the deeds that are under way, by key */
const underWay = new Map();

/**
 * The key to send an act with: that of its last sending if the outcome of that is unknown, else a new one.
 * @param {string} url
 * @param {Iterable<[string, any]>} fields  what the act asks for
 */
export function keyFor(url, fields) {
  // What is new in each form says nothing about whether the act is the same.
  const told = [...fields].filter(([name]) => name !== "client_key" && name !== "csrfmiddlewaretoken");
  const deed = JSON.stringify([url, told.map(([name, value]) => [name, name === "target" ? named(value) : value])]);
  const kept = unanswered.get(deed);
  const key = kept && kept.until > Date.now() ? kept.key : randomKey();
  underWay.set(key, deed);
  return key;
}

/** A pod has another role once an act has reached it, and stays the same pod. @param {any} target */
function named(target) {
  return typeof target === "string" ? target.replace(/^[^[]*\[[^\]]*\]=/, "") : target;
}

/**
 * An act was answered, or was not: 0 says that nothing came back, and after 500 and more it is unknown what was done before it failed.
 * @param {string} key
 * @param {number} status
 */
export function answered(key, status) {
  const deed = underWay.get(key);
  if (!deed) return;
  underWay.delete(key);
  // A key lasts for a minute only: the same act later is meant as a second one.
  if (status === 0 || status >= 500) unanswered.set(deed, { key, until: Date.now() + KEPT_MS });
  else unanswered.delete(deed);
}
