import { RecordStore } from "../../static/js/lanes/record-store.js";

/** A row in wire format. */
export function row(seq, at_ms, { kind = "transition", subject = "pod/default/web", machine = "phase", target = "", data = {} } = {}) {
  return [seq, at_ms, kind, subject, machine, "", "", target, 0, "A-RULE", Object.entries(data)];
}

/** A store that holds these rows. */
export function storeOf(...rows) {
  const store = new RecordStore();
  store.append(rows);
  return store;
}
