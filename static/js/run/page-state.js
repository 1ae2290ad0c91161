// @ts-check
/** The state a run page publishes: attributes that tests read, counts, and the address that people copy. */

import { findAll, setAttributes, setText } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { momentQuery } from "../shares/address.js";

/** Write it; the address only when the playhead stands still in the past, or is back at the newest moment. @param {any} page  the RunPage */
export function writeState(page) {
  const { main, store, timeline } = page;
  const { live, t_ms, seq } = page.playhead;
  setAttributes(main, { "data-playhead": String(Math.round(t_ms)), "data-live": String(live), "data-seq": String(seq), "data-head-seq": String(store.headSeq), "data-current-sel": page.sel });
  if (timeline) setAttributes(main, { "data-view": timeline.viewport.range() });
  page.transport.showLive();
  const pods = store.lanes.pods.size;
  for (const place of findAll('[data-count="records"]')) setText(place, text("count.records", { n: store.headSeq }));
  for (const place of findAll('[data-count="pods"]')) setText(place, text(pods === 1 ? "count.pod" : "count.pods", { n: pods }));
  // Some browsers would refuse an address that changes many times a second; it is written when time stands still.
  if (main.matches(".run--landing, .run--embed") || page.playhead.moving || page.target_ms !== null) return;
  const url = live ? location.pathname : `${location.pathname}?${momentQuery(page.moment())}`;
  if (url !== location.pathname + location.search) history.replaceState(history.state, "", url);
}
