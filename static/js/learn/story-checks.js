// @ts-check
/**
 * Whether a step of a story has come true in the records of a run: simulator/scenarios/expect.py for the browser, record by record.
 * tests/scenarios/checks.json holds the two together.
 */

/** @typedef {import("../wire/record.js").Rec} Rec */

/**
 * @typedef {object} Pattern  which records are meant; what is missing or empty matches everything
 * @property {string} [kind]
 * @property {string} [machine]
 * @property {string} [subject]  each `*` stands for anything
 * @property {string} [source]
 * @property {string} [target]
 * @property {string} [rule]
 * @property {Record<string, string | number | boolean>} [data]
 */

/** @typedef {Pattern & { by?: string, times?: number, never?: boolean, after?: Pattern | null, within?: string }} Check */
/** @typedef {"open" | "done" | "broken"} Verdict */

const FIELDS = /** @type {const} */ (["kind", "machine", "source", "target", "rule"]);

/**
 * @param {Pattern} pattern
 * @param {Rec} record
 */
export function matches(pattern, record) {
  if (FIELDS.some((field) => pattern[field] && pattern[field] !== record[field])) return false;
  const { subject = "", data = {} } = pattern;
  const isAbout = subject.includes("*") ? fits(subject.split("*"), record.subject) : !subject || subject === record.subject;
  return isAbout && Object.entries(data).every(([name, value]) => record.data[name] === value);
}

/**
 * Whether a text is these parts in their order with anything between them.
 * @param {string[]} parts  two at least
 * @param {string} whole
 */
function fits(parts, whole) {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!whole.startsWith(first) || !whole.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = whole.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= whole.length - last.length;
}

/** A check on its way through the records of one run. What is done or broken stays so. */
export class CheckProgress {
  /** @param {Check} check */
  constructor(check) {
    this.check = check;
    this.until_ms = check.by ? spanMs(check.by) : Infinity;
    this.within_ms = check.within ? spanMs(check.within) : Infinity;
    this.since_ms = check.after ? Infinity : -Infinity;
    this.count = 0;
    this.verdict = /** @type {Verdict} */ ("open");
  }

  /** @param {Rec} record the next record of the run */
  add(record) {
    // Everything before this record has been added: deadlines that passed in between decide first.
    this.reach(record.at_ms - 1);
    if (this.verdict !== "open" || record.at_ms > this.until_ms) return;
    const { after, never, times = 1 } = this.check;
    // The last one counts: a new beginning starts the time again.
    if (after && matches(after, record)) this.since_ms = record.at_ms;
    else if (matches(this.check, record) && this.isInTime(record)) this.count += 1;
    if (never && this.count) this.verdict = "broken";
    else if (!never && this.count >= times) this.verdict = "done";
  }

  /** @param {Rec} record */
  isInTime(record) {
    return !this.check.after || record.at_ms - this.since_ms <= this.within_ms && this.since_ms !== Infinity;
  }

  /** @param {number} now_ms everything up to this moment has been added */
  reach(now_ms) {
    if (this.verdict === "open" && now_ms >= this.until_ms) this.verdict = this.check.never ? "done" : "broken";
  }
}

/** @param {string} span `90s` or `20.5s` */
function spanMs(span) {
  return Math.round(Number.parseFloat(span) * 1000);
}
