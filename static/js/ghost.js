// @ts-check
/** The history that a branch was made from: what would have happened, shown under what happens instead. */

import { RecordStore } from "./record-store.js";

const PAGE_SIZE = 2000;
const RECORDS_MAX = 20_000;

/**
 * The records of the run that this page's run was branched from, null where it is no branch or they cannot be read.
 * @param {HTMLElement} main
 * @returns {Promise<{ store: RecordStore, from_ms: number } | null>}
 */
export async function readGhost(main) {
  const { parentRecords, branchMs } = main.dataset;
  if (!parentRecords) return null;
  const store = new RecordStore();
  try {
    for (let held = -1; held < store.headSeq && store.headSeq < RECORDS_MAX; ) {
      held = store.headSeq;
      const response = await fetch(`${parentRecords}?after=${held}&limit=${PAGE_SIZE}`, { credentials: "same-origin" });
      if (!response.ok) return null;
      store.append((await response.json()).records);
    }
  } catch {
    return null; // The branch is whole without it.
  }
  return { store, from_ms: Number(branchMs) };
}
