// @ts-check
/** Which records are meant: simulator/scenarios/grading/patterns.py for the browser. tests/scenarios/grading.json keeps the two in step. */

/** @typedef {import("../../wire/record.js").Rec} Rec */
/** @typedef {string | number | boolean} Value */

/**
 * @typedef {object} Pattern  which records are meant; a missing or empty part matches everything
 * @property {string} [kind]
 * @property {string} [machine]
 * @property {string} [subject]  each `*` matches anything, `#*` any incarnation of a pod
 * @property {string} [owner]  a controller that made it, directly or through others
 * @property {string} [source]
 * @property {string | string[]} [target]
 * @property {string} [rule]
 * @property {Record<string, Value | Value[] | { min?: number | null, max?: number | null }>} [data]
 * @property {boolean} [own]  only acts of the learner, not those of the level
 * @property {Pattern[]} [or]  alternatives
 */

const OWNERS = new Set(["deployment", "replicaset", "statefulset", "daemonset", "job", "cronjob"]);
const PARTS_OF_PODS = new Set(["pod", "container", "condition", "probe"]);

/** Who made what, according to the records: an object that a controller creates has a record of that controller as its cause. */
export class Lineage {
  /** @param {[number, string][]} [given]  the acts that a level carries out in every attempt: when, and what; no record says whose act it was */
  constructor(given = []) {
    /** @type {Map<string, number>} */
    this.left = new Map();
    for (const act of given) this.left.set(act.join(" "), (this.left.get(act.join(" ")) ?? 0) + 1);
    /** @type {Set<number>} */
    this.given = new Set();
    /** @type {string[]} */
    this.subjects = [];
    /** @type {Map<string, string>} */
    this.makers = new Map();
  }

  /** @param {Rec} record  the next one, from the first */
  add(record) {
    this.subjects.push(record.subject);
    if (this.left.size && record.kind === "command") this.take(record);
    if (record.target !== "present" || record.source !== "absent" || (record.machine !== "object" && record.machine !== "api_object")) return;
    const maker = this.subjects[record.cause - 1] ?? "";
    if (OWNERS.has(maker.split("/")[0])) this.makers.set(record.subject, maker);
  }

  /** @param {Rec} record  an act */
  take({ at_ms, seq, data }) {
    const act = `${at_ms} ${data.do}`;
    const left = this.left.get(act) ?? 0;
    if (!left) return;
    this.left.set(act, left - 1);
    this.given.add(seq);
  }

  /** Whether it is an act of the learner. @param {Rec} record  one that was added */
  isOwn({ kind, seq, data }) {
    return kind === "command" && data.do !== undefined && data.do !== null && !this.given.has(seq);
  }

  /** The owners of the object that a subject is about, the nearest first. @param {string} subject */
  owners(subject) {
    const found = [];
    for (let maker = this.makers.get(thingOf(subject)); maker; maker = this.makers.get(maker)) found.push(maker);
    return found;
  }
}

/** @param {Pattern} pattern @param {Rec} record @param {Lineage} lineage */
export function matches(pattern, record, lineage) {
  return eachOf(pattern).some((each) => isTarget(each, record) && isData(each, record) && isAbout(each, record, lineage));
}

/** The pattern itself and its alternatives. @param {Pattern} pattern @returns {Pattern[]} */
export const eachOf = (pattern) => (pattern.or ? [pattern, ...pattern.or] : [pattern]);

/** Whether a record is about something that is meant, whatever it says about it. @param {Pattern} pattern @param {Rec} record @param {Lineage} lineage */
export function isAbout(pattern, record, lineage) {
  const { owner, own, subject } = pattern;
  return (!own || lineage.isOwn(record)) && fits(subject ?? "", record.subject) && (!owner || lineage.owners(record.subject).some((each) => fits(owner, each)));
}

const FIELDS = /** @type {const} */ (["kind", "machine", "source", "rule"]);

/** @param {Pattern} pattern @param {Rec} record */
export function isTarget(pattern, record) {
  if (FIELDS.some((field) => pattern[field] && pattern[field] !== record[field])) return false;
  const { target } = pattern;
  return !target?.length || (typeof target === "string" ? target === record.target : target.includes(record.target));
}

/** @param {Pattern} pattern @param {Rec} record */
export function isData(pattern, record) {
  return Object.entries(pattern.data ?? {}).every(([name, wanted]) => isWanted(record.data[name], wanted));
}

/** @param {any} found @param {any} wanted  an empty text means that the field is empty or missing @returns {boolean} */
function isWanted(found, wanted) {
  if (Array.isArray(wanted)) return wanted.some((each) => isWanted(found, each));
  if (typeof wanted !== "object") return found === wanted || (wanted === "" && (found ?? null) === null);
  return typeof found === "number" && found >= (wanted.min ?? -Infinity) && found <= (wanted.max ?? Infinity);
}

/** The object that a subject is about or belongs to. @param {string} subject */
export function thingOf(subject) {
  const [type, namespace, name] = subject.split("/");
  return name !== undefined && PARTS_OF_PODS.has(type) ? `pod/${namespace}/${name}` : subject;
}

/** Whether the pattern can match more than one subject. @param {string | undefined} subject */
export const isOpen = (subject) => !subject || subject.includes("*");

/** @param {string} pattern @param {string} subject @returns {boolean} */
export function fits(pattern, subject) {
  if (!pattern.includes("*")) return !pattern || pattern === subject;
  if (pattern.includes("#*")) return fits(pattern.replaceAll("#*", ""), subject.split("/").map((part) => part.split("#")[0]).join("/"));
  return hasParts(pattern.split("*"), subject);
}

/** Whether a text consists of these parts in order, with anything between them. @param {string[]} parts @param {string} subject */
function hasParts(parts, subject) {
  const first = parts[0];
  const last = parts[parts.length - 1];
  if (subject.length < first.length + last.length || !subject.startsWith(first) || !subject.endsWith(last)) return false;
  const end = subject.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = subject.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
