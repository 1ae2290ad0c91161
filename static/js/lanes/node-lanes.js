// @ts-check
/** Lanes of nodes: the condition of each node, and which of its parts do not work. A node that was always healthy has no lanes on the page. */

import { MACHINES, NODE_READY } from "../base/tones-table.js";
import { open } from "./spans.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */

/** The state machines of a node's parts. */
const PARTS = new Set(["kubelet", "runtime", "network", "uplink", "shutdown"]);

const CORDON = "node.kubernetes.io/unschedulable";

export class NodeLanes {
  /**
   * @param {any} set  the LaneSet, which owns the lanes
   * @param {string} name
   */
  constructor(set, name) {
    this.set = set;
    this.key = `node/${name}`;
    this.status = set.lane("node", this.key, this.key, "", name);
    this.events = set.lane("events", `events:${this.key}`, this.key, "", name);
    /** @type {Map<string, any>} */
    this.parts = new Map();
    /** @type {Set<string>} */
    this.taints = new Set();
    this.ready = "True";
    this.gone = false;
    this.noteworthy = false;
    this.deadline_ms = Infinity;
  }

  /** @param {Rec} record */
  add(record) {
    const { machine, target, data } = record;
    if (record.kind === "event") this.events.marks.push({ t: record.at_ms, seq: record.seq, type: String(data.type || "Normal"), text: target, data });
    else if (machine === "node_condition") this.condition(record);
    else if (machine === "taint") this.taint(record);
    else if (machine === "object") this.object(record);
    else if (PARTS.has(machine)) this.part(record, machine, target, MACHINES[machine][target] ?? "unknown");
  }

  /** @param {Rec} record */
  condition(record) {
    const { condition, status } = record.data;
    // Ready is the node's own lane; a pressure or an unavailable network gets one when it first occurs.
    if (condition === "Ready") {
      this.ready = String(status);
      this.refresh(record);
    } else if (status !== "False" || this.parts.has(condition)) this.part(record, condition, String(status), status === "False" ? "ready" : status === "True" ? "failed" : "unknown");
  }

  /** @param {Rec} record */
  taint(record) {
    const words = String(record.data.taint || record.data.key);
    if (record.target === "present") this.taints.add(words);
    else this.taints.delete(words);
    this.note();
    this.refresh(record);
  }

  /** @param {Rec} record */
  object(record) {
    this.gone = record.target === "gone";
    if (this.gone) this.note();
    this.refresh(record);
  }

  /** @param {Rec} record @param {string} name @param {string} word @param {string} tone */
  part(record, name, word, tone) {
    let lane = this.parts.get(name);
    if (!lane) {
      lane = this.set.lane("part", `${name}:${this.key}`, this.key, "", name);
      this.parts.set(name, lane);
    }
    open(lane.spans, record, tone, word);
    if (tone !== "ready") this.note();
  }

  /** From now on the node has something to show. */
  note() {
    if (this.noteworthy) return;
    this.noteworthy = true;
    this.set.version += 1;
  }

  /** @param {Rec} record */
  refresh(record) {
    // `kubectl cordon` sets the field and the taint; kubectl get shows it in the status column.
    const cordoned = [...this.taints].some((taint) => taint.startsWith(CORDON));
    const word = this.ready === "True" ? "Ready" : "NotReady";
    const tone = this.ready === "True" && cordoned ? "notready" : (NODE_READY[this.ready] ?? "unknown");
    if (this.ready !== "True") this.note();
    if (this.gone) open(this.status.spans, record, "absent", "");
    else open(this.status.spans, record, tone, cordoned ? `${word},SchedulingDisabled` : word);
  }
}
