// @ts-check
/** The history that a branch was made from: what would have happened, next to what happens instead. */

import { find } from "../base/dom.js";
import { RecordStore } from "../lanes/record-store.js";
import { fetchRecorded } from "../wire/log-fetch.js";
import { Futures } from "./futures.js";

const RECORDS_MAX = 20_000;

/**
 * Both futures of this page's run; null if it is not a branch or the old one cannot be read.
 * @param {any} run  the RunPage
 * @returns {Promise<Futures | null>}
 */
export async function readFutures(run) {
  const { parentRecords, branchMs } = run.main.dataset;
  if (!parentRecords) return null;
  const store = new RecordStore();
  let until_ms = 0;
  const onRecords = (/** @type {any[][]} */ rows, /** @type {number} */ now_ms) => {
    store.append(rows);
    until_ms = Math.max(until_ms, now_ms);
  };
  await fetchRecorded(parentRecords, { headSeq: () => store.headSeq, onRecords, onState: () => {} }, RECORDS_MAX);
  if (!store.headSeq) return null;
  const [now = "", old = ""] = (find("[data-branch-path]")?.textContent ?? "").split(" ▸ ").reverse();
  return new Futures(run, { store, from_ms: Number(branchMs), until_ms }, { now, old });
}
