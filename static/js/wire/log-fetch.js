// @ts-check
/** The log of a run over HTTP: what a socket has missed, and the whole log of a run behind a link, which has no socket. */

import { answerTimeout } from "../base/retry.js";

const PAGE_SIZE = 2000;
/** The first delay before asking again for a log that is still being written, or after no answer; it doubles each time, up to the maximum. */
const AGAIN_MS = 250;
const AGAIN_MAX_MS = 8000;
/** The run does not exist, and never will again. */
const GONE = new Set([404, 410]);

/**
 * @typedef {object} LogHandlers
 * @property {() => number} headSeq  last seq the page holds
 * @property {(rows: any[][], now_ms: number) => void} onRecords
 */

/**
 * Fetch what the page does not hold yet, part by part, up to `upTo` or the end of the log.
 * @param {string} url
 * @param {LogHandlers} handlers
 * @param {number} [upTo]
 * @returns {Promise<boolean>}  whether more is still being written
 */
export async function fetchLog(url, handlers, upTo = Infinity) {
  for (;;) {
    // Read again for each part: the socket may bring records in the meantime.
    const after = handlers.headSeq();
    const response = await fetch(`${url}?after=${after}&limit=${PAGE_SIZE}`, { credentials: "same-origin", signal: answerTimeout() });
    if (!response.ok) throw Object.assign(new Error(`records answered ${response.status}`), { status: response.status });
    const page = await response.json();
    handlers.onRecords(page.records, page.now_ms);
    const head = handlers.headSeq();
    // A part that brought nothing was the last one, whatever its length: the log may grow while it is read.
    if (head <= after || head >= upTo) return page.is_coming === true;
  }
}

/**
 * Fetch the whole log of a run that is no longer driven. The first reader of a link may come before its log is written, or while the site
 * is down: it asks again until nothing is missing, then reports "frozen".
 * @param {string} url
 * @param {LogHandlers & { onState: (state: "connecting" | "closed" | "frozen") => void }} handlers
 * @param {number} [upTo]  the last record that is wanted
 */
export async function fetchRecorded(url, handlers, upTo = Infinity) {
  for (let wait_ms = AGAIN_MS; ; wait_ms = Math.min(2 * wait_ms, AGAIN_MAX_MS)) {
    try {
      const isComing = (await fetchLog(url, handlers, upTo)) && handlers.headSeq() < upTo;
      handlers.onState(isComing ? "connecting" : "frozen");
      if (!isComing) return;
    } catch (error) {
      // Shown as a lost connection, which it is; the loop goes on unless the run is gone for good.
      handlers.onState("closed");
      if (GONE.has(/** @type {any} */ (error).status)) return;
    }
    await new Promise((done) => setTimeout(done, wait_ms));
  }
}
