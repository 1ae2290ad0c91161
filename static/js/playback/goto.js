// @ts-check
/** Go to a moment that was typed. */

import { parseMoment } from "../base/format.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** @param {any} transport  the Transport @param {string} written  a moment, as people write it */
export function goTo(transport, written) {
  const { run } = transport;
  const { playhead, store } = run;
  const moment = parseMoment(written, playhead.t_ms);
  const record = moment && "seq" in moment ? store.get(moment.seq) : null;
  if (!moment || ("seq" in moment && !record)) {
    toast(text("goto.bad"), "warn");
    return;
  }
  transport.closeGoTo();
  if (record) run.select(record.subject, record.seq);
  const t_ms = record ? record.at_ms : /** @type {{ t_ms: number }} */ (moment).t_ms;
  if (t_ms > playhead.end_ms && transport.owns) {
    playhead.goLive();
    transport.control({ do: "run_to", to_ms: String(t_ms) });
  } else playhead.seek(t_ms);
  run.timeline?.reveal(playhead.t_ms);
}
