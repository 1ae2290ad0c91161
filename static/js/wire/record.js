// @ts-check
/**
 * One record as the scripts see it, and how to parse its subject.
 *
 * On the wire a record is [seq, at_ms, kind, subject, machine, source, trigger, target, cause, rule, [[name, value], …]].
 */

/**
 * @typedef {object} Rec
 * @property {number} seq
 * @property {number} at_ms
 * @property {string} kind  transition | attempt | decision | event | command | note
 * @property {string} subject
 * @property {string} machine
 * @property {string} source
 * @property {string} trigger
 * @property {string} target
 * @property {number} cause
 * @property {string} rule
 * @property {Record<string, any>} data
 */

/**
 * @typedef {object} Subject
 * @property {string} type  pod | container | probe | condition | node | image | run
 * @property {string} pod   `namespace/name`, or empty
 * @property {string} container
 * @property {string} name  last word: the probe, the condition, the container or the pod's own name
 */

/**
 * @param {any[]} row
 * @returns {Rec}
 */
export function decode(row) {
  const [seq, at_ms, kind, subject, machine, source, trigger, target, cause, rule, data] = row;
  return { seq, at_ms, kind, subject, machine, source, trigger, target, cause, rule, data: Object.fromEntries(data || []) };
}

/** @type {Map<string, Subject>} */
const parsed = new Map();

/**
 * Parse a subject. Pod keys have two words (`default/web`); whatever comes after belongs to the part.
 * @param {string} subject
 * @returns {Subject}
 */
export function parseSubject(subject) {
  const known = parsed.get(subject);
  if (known) return known;
  const words = subject.split("/");
  const [type] = words;
  const ofPod = type === "pod" || type === "container" || type === "probe" || type === "condition";
  const result = {
    type,
    pod: ofPod ? words.slice(1, 3).join("/") : "",
    container: type === "container" || type === "probe" ? words[3] || "" : "",
    name: words[words.length - 1],
  };
  // The same few subjects come in every record; beyond this many, further ones are parsed each time.
  if (parsed.size < 5000) parsed.set(subject, result);
  return result;
}

/**
 * `default/web` → `web`; other namespaces stay visible.
 * @param {string} key
 */
export function shortPod(key) {
  return key.startsWith("default/") ? key.slice(8) : key;
}
