// @ts-check
/** The history that a branch was made from: what would have happened, beside what happens instead. */

import { find } from "./dom.js";
import { RecordStore } from "./record-store.js";
import { Futures } from "./timeline/futures.js";

const PAGE_SIZE = 2000;
const RECORDS_MAX = 20_000;

/**
 * Both futures of this page's run, null where it is no branch or the old one cannot be read.
 * @param {any} run  the RunPage
 * @returns {Promise<Futures | null>}
 */
export async function readFutures(run) {
  const { parentRecords, branchMs } = run.main.dataset;
  if (!parentRecords) return null;
  const store = new RecordStore();
  let until_ms = 0;
  try {
    for (let held = -1; held < store.headSeq && store.headSeq < RECORDS_MAX; ) {
      held = store.headSeq;
      const response = await fetch(`${parentRecords}?after=${held}&limit=${PAGE_SIZE}`, { credentials: "same-origin" });
      if (!response.ok) return null;
      const page = await response.json();
      store.append(page.records);
      until_ms = Math.max(until_ms, page.now_ms);
    }
  } catch {
    return null; // The branch is whole without it.
  }
  const [now = "", old = ""] = (find("[data-branch-path]")?.textContent ?? "").split(" ▸ ").reverse();
  return new Futures(run, { store, from_ms: Number(branchMs), until_ms }, { now, old });
}
