// @ts-check
/** What is drawn over a container's bar: hooks while they run, and flags for the signals sent. */

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */
/** @typedef {any} Lane */

/** @type {Record<string, string>} */
const HOOKS = { post_start: "postStart", pre_stop: "preStop" };

/** @type {Record<number, string>} */
const SIGNALS = { 1: "HUP", 2: "INT", 3: "QUIT", 6: "ABRT", 9: "KILL", 11: "SEGV", 15: "TERM" };

/**
 * A hook begins or ends.
 * @param {Lane} lane
 * @param {Rec} record
 */
export function addHook(lane, record) {
  if (record.target === "running") {
    const word = HOOKS[String(record.data.hook)] || String(record.data.hook);
    lane.hooks.push({ t0: record.at_ms, t1: Infinity, seq: record.seq, tone: "starting", text: word, data: record.data });
    return;
  }
  const last = endHook(lane, record);
  if (last && record.target === "failed") last.tone = "failed";
  if (last) last.data = { ...last.data, ...record.data };
}

/**
 * End any hook that is still running.
 * @param {Lane} lane
 * @param {Rec} record
 */
export function endHook(lane, record) {
  const last = lane.hooks[lane.hooks.length - 1];
  if (!last || last.t1 !== Infinity) return null;
  last.t1 = record.at_ms;
  return last;
}

/**
 * A step of the stop machine that sent a signal.
 * @param {Lane} lane
 * @param {Rec} record
 */
export function addStopFlag(lane, record) {
  if (record.target === "term") flag(lane, record, String(record.data.signal || "TERM"), "Normal");
  else if (record.target === "killed") flag(lane, record, "KILL", "Warning");
}

/**
 * A startup probe has succeeded: the running instance counts as started from here on. Called before the record's span is opened.
 * @param {Lane} lane
 * @param {Rec} record
 */
export function addStarted(lane, record) {
  const last = lane.spans[lane.spans.length - 1];
  // Only when the same instance goes from not started to started: a restart begins with started unset as well.
  const isSame = last?.text === "Running" && last.data.instance === record.data.instance && record.target === "running";
  if (isSame && last.data.started === false && record.data.started) flag(lane, record, "started", "Normal");
}

/**
 * What a visitor did to the container's process.
 * @param {Lane} lane
 * @param {Rec} record
 */
export function addActFlag(lane, record) {
  const { do: what, signal, exit_code: code } = record.data;
  if (record.target !== "accepted") return;
  if (what === "signal_container") flag(lane, record, SIGNALS[Number(signal)] || String(signal), "accepted");
  else if (what === "exit_container") flag(lane, record, `exit ${code}`, "accepted");
  else if (what === "oom_container") flag(lane, record, "OOM", "accepted");
  else if (what === "exec") flag(lane, record, "exec", "accepted");
}

/** @param {Lane} lane @param {Rec} record @param {string} text @param {string} type */
function flag(lane, record, text, type) {
  lane.flags.push({ t: record.at_ms, seq: record.seq, type, text, data: record.data });
}
