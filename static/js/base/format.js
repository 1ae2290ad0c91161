// @ts-check
/** Format numbers as text and parse them back. All times are integer simulated milliseconds. */

const YEAR_D = 365;

/**
 * `48000` → `0:48.0`; `3723456` → `1:02:03.4`. Further digits are cut off, never rounded up.
 * @param {number} at_ms
 * @param {number} [digits]  decimals of the second, 0 … 3
 */
export function clockText(at_ms, digits = 1) {
  const negative = at_ms < 0;
  const whole = Math.floor(Math.abs(at_ms));
  const seconds = Math.floor(whole / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = String(seconds % 60).padStart(2, "0");
  // Cut, not rounded: 0:59.97 must not be shown as 0:60.0, nor a moment before it is reached.
  const fraction = digits > 0 ? "." + String(whole % 1000).padStart(3, "0").slice(0, digits) : "";
  const head = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : String(minutes);
  return `${negative ? "−" : ""}${head}:${rest}${fraction}`;
}

/**
 * A duration in its shortest exact form: `850 ms`, `7.2 s`, `1 m 20 s`, `2 h 5 m`.
 * @param {number} length_ms
 */
export function lengthText(length_ms) {
  const value = Math.max(0, length_ms);
  if (value < 1000) return `${Math.round(value)} ms`;
  if (value < 60_000) return `${trim(value / 1000)} s`;
  const seconds = Math.floor(value / 1000);
  if (seconds < 3600) return join(Math.floor(seconds / 60), "m", seconds % 60, "s");
  return join(Math.floor(seconds / 3600), "h", Math.floor((seconds % 3600) / 60), "m");
}

/** @param {number} value */
function trim(value) {
  return value.toFixed(1).replace(/\.0$/, "");
}

/**
 * @param {number} big
 * @param {string} bigUnit
 * @param {number} small
 * @param {string} smallUnit
 */
function join(big, bigUnit, small, smallUnit) {
  return small ? `${big} ${bigUnit} ${small} ${smallUnit}` : `${big} ${bigUnit}`;
}

/**
 * Age as kubectl prints it (apimachinery's HumanDuration): `45s`, `2m5s`, `10m`, `3h4m`, `8h`, `2d3h`, `2y1d`. The server's
 * `human_duration` does the same; tests/engine/model/ages.json keeps the two in step.
 * @param {number} age_ms
 */
export function ageText(age_ms) {
  const seconds = Math.max(0, Math.floor(age_ms / 1000));
  // The same steps as in kubectl, including where it leaves out the smaller unit.
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 ? `${minutes}m${seconds % 60}s` : `${minutes}m`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 ? `${days}d${hours % 24}h` : `${days}d`;
  if (days < 2 * YEAR_D) return `${days}d`;
  const years = Math.floor(days / YEAR_D);
  return years < 8 && days % YEAR_D ? `${years}y${days % YEAR_D}d` : `${years}y`;
}

/**
 * `1000` → `1×`, `250` → `0.25×`.
 * @param {number} permille
 */
export function rateText(permille) {
  return `${permille / 1000}×`;
}

/**
 * A moment as a query parameter: seconds with at most three decimals.
 * @param {number} at_ms
 */
export function secondsText(at_ms) {
  return String(Math.round(at_ms) / 1000);
}

/**
 * Parse a moment as a person types it.
 * @param {string} written  `1:23.4`, `83.4`, `90s`, `2m`, `+30s`, `-5`, `#17`, `event 17`
 * @param {number} now_ms  what relative forms are relative to
 * @returns {{ t_ms: number } | { seq: number } | null}  null when it is not a moment
 */
export function parseMoment(written, now_ms) {
  const value = written.trim().toLowerCase().replace(/^t\+/, "");
  const numbered = /^(?:#|event\s+|record\s+)(\d+)$/.exec(value);
  if (numbered) return { seq: Number(numbered[1]) };
  const relative = /^[+\-−]/.exec(value);
  const amount = parseLength(relative ? value.slice(1) : value);
  if (amount === null) return null;
  if (!relative) return { t_ms: amount };
  return { t_ms: Math.max(0, relative[0] === "+" ? now_ms + amount : now_ms - amount) };
}

/**
 * @param {string} value
 * @returns {number | null}
 */
function parseLength(value) {
  const clock = /^(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d+)?)$/.exec(value);
  if (clock) return Math.round((Number(clock[1] || 0) * 3600 + Number(clock[2]) * 60 + Number(clock[3])) * 1000);
  const united = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(value);
  if (!united) return null;
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[united[2] || "s"] ?? 1000;
  return Math.round(Number(united[1]) * unit);
}
