// @ts-check
/**
 * Lanes: records folded into spans (something lasted) and marks (something happened), kept up to
 * date record by record.
 *
 * A run is a list of records, and a record is one step of one state machine of one object:
 * `container/default/web/app` went from `pulling` to `creating` at 1,370 ms. A lane collects the
 * steps of one machine of one object and turns them into something that can be drawn. A step closes
 * the span that is open and opens the next, which ends at Infinity until the step after it comes; a
 * probe's attempt or an Event becomes a mark. A lane is never recomputed: each record touches only
 * the lanes it is about, and a run with 100,000 records opens about as quickly as they can be read.
 *
 * Records come in order and are never taken back. Three things follow. A span's start never
 * changes, and only the last span of a lane can still end, so spans and marks are always sorted and
 * can be found by binary search (lane-search.js). A lane, once made, stays: rows, pins, selection
 * and focus refer to lanes by id. And `version` is raised only when a lane is added or moves to
 * another group, because nothing else changes which rows there are.
 *
 * A container has two truths: `spans` is what the API server shows (container_status), `node` is what is true on its node (container). They
 * differ for as long as the kubelet takes to report, and while a node is cut off; many stories are about that difference, so both are kept
 * and neither is derived from the other. What is known in advance (the end of a back-off or of a grace period) has not happened and so is
 * not a span: known-ends.js holds it.
 *
 * One model feeds the canvas, the hover card, the table twin, the search and the keyboard. None of them writes to it. Other LaneSets are
 * made for histories that are not the run's own: the old future of a branch, and what a gesture would lead to (gestures/hollow.js).
 */

import { MACHINES } from "../base/tones-table.js";
import { conditionTone, containerTone, nodeTone, phaseTone, statusTone } from "../base/tones.js";
import { parseSubject } from "../wire/record.js";
import { addActFlag, addHook, addStarted, addStopFlag, endHook } from "./container-flags.js";
import { apiLanes, bound, isCut, turnNode } from "./cut-off.js";
import { KnownEnds } from "./known-ends.js";
import { NodeLanes } from "./node-lanes.js";
import { RequestLanes, ROUND } from "./request-lanes.js";
import { capital, mark, open } from "./spans.js";

/** @typedef {{ seq: number, at_ms: number, kind: string, subject: string, machine: string, source: string, trigger: string, target: string, cause: number, rule: string, data: Record<string, any> }} Rec */
/** @typedef {{ t0: number, t1: number, seq: number, tone: string, text: string, data: Record<string, any> }} Span */
/** @typedef {{ t: number, seq: number, type: string, text: string, data: Record<string, any> }} Mark */

/**
 * @typedef {object} Lane
 * @property {string} id
 * @property {"status" | "phase" | "condition" | "container" | "probe" | "events" | "node" | "part" | "workload" | "requests" | "logs" | "endpoint"} kind
 * @property {string} subject
 * @property {string} pod
 * @property {string} name
 * @property {Span[]} spans
 * @property {Span[]} node  what is true on the node, containers only
 * @property {Mark[]} marks
 * @property {Span[]} hooks  postStart and preStop while they run, containers only
 * @property {Mark[]} flags  signals sent and acts on the process, containers only
 * @property {string} group  init | sidecar | app | ephemeral
 * @property {Map<number, Mark>} endings  exits by instance, as the node saw them
 */

/**
 * @typedef {object} PodLanes
 * @property {string} key
 * @property {Lane} status
 * @property {Lane} phase
 * @property {Lane} events
 * @property {Map<string, Lane>} conditions
 * @property {Map<string, Lane>} containers
 * @property {Map<string, Lane>} probes
 * @property {Span[]} nodes  the nodes it was bound to
 * @property {number} deadline_ms  end of the grace period; Infinity when none runs
 */

export class LaneSet {
  /** @param {string} [loads]  Services that are known to get requests */
  constructor(loads = "") {
    /** @type {Map<string, PodLanes>} in order of first appearance */
    this.pods = new Map();
    /** @type {Map<string, Lane>} */
    this.byId = new Map();
    /** @type {Mark[]} the visitor's commands */
    this.commands = [];
    /** @type {Map<string, NodeLanes>} by name */
    this.nodes = new Map();
    /** @type {Map<string, Lane>} replicas that workloads have and want, by subject */
    this.workloads = new Map();
    /** @type {Map<string, RequestLanes>} requests of Services, by namespace and name */
    this.services = new Map();
    this.loads = new Set(loads.split(" "));
    this.ends = new KnownEnds();
    this.cut = /** @type {Set<string>} */ (new Set()); // nodes that are cut off
    this.imported_ms = /** @type {number | null} */ (null); // where an imported past ends
    /** @type {Map<string, PodLanes>} that have gone at least once, by key */
    this.left = new Map();
    /** @type {number[]} moments at which the set of pods that are gone may have changed (gone.js), ascending */
    this.turns = [];
    /** Raised whenever a lane is added. */
    this.version = 0;
  }

  /** @param {Rec} record */
  add(record) {
    const subject = parseSubject(record.subject);
    if (record.machine === "import") this.imported_ms = record.at_ms;
    // A command is also a record about its target: it goes on to the lanes of its pod below.
    if (record.kind === "command") this.commands.push(mark(record, record.target, String(record.data.do || "")));
    if (subject.type === "node") this.node(subject.name).add(record);
    if (record.machine === "kubelet") this.ends.endBackoffsOf(record, [...this.pods.values()].filter(({ nodes }) => nodes.at(-1)?.text === subject.name));
    if (record.machine === "uplink") turnNode(this, record, subject.name);
    if (record.machine === "workload") this.workload(record);
    if (record.machine === "requests") RequestLanes.of(this, record).add(record);
    if (record.rule === ROUND && this.loads.has(record.subject.slice(8))) RequestLanes.of(this, record).expect(record);
    // An act on a pod that never existed makes no lanes: a mistyped name is not a pod.
    if (!subject.pod || (record.kind === "command" && !this.pods.has(subject.pod))) return;
    const pod = this.pod(subject.pod);
    if (record.machine === "object" && record.target === "gone") this.left.set(pod.key, pod);
    if (this.left.has(pod.key) && (record.machine === "object" || record.machine === "container")) this.turns.push(record.at_ms);
    if (record.kind === "command" && subject.type === "container") addActFlag(this.container(pod, record), record);
    if (record.kind === "attempt") this.attempt(pod, record);
    else if (record.kind === "event") pod.events.marks.push(mark(record, String(record.data.type || "Normal"), record.target));
    else this.transition(pod, record, subject);
  }

  /**
   * @param {PodLanes} pod
   * @param {Rec} record
   * @param {{ type: string, pod: string, container: string, name: string }} subject
   */
  transition(pod, record, subject) {
    switch (record.machine) {
      case "object":
        this.object(pod, record);
        break;
      case "status_word":
        open(pod.status.spans, record, statusTone(record.target, record.data), record.target, isCut(this, pod));
        break;
      case "phase":
        open(pod.phase.spans, record, phaseTone(record.target), record.target, isCut(this, pod));
        if (["Succeeded", "Failed"].includes(record.target)) this.ends.endBackoffsOf(record, [pod]);
        break;
      case "condition":
        open(this.condition(pod, record).spans, record, conditionTone(subject.name, record.target), record.target, isCut(this, pod));
        break;
      case "container_status":
        this.containerStatus(pod, record);
        break;
      case "container":
        this.containerNode(pod, record);
        break;
      case "stop":
        this.ends.stop(record);
        addStopFlag(this.container(pod, record), record);
        break;
      case "hook":
        addHook(this.container(pod, record), record);
        break;
      case "probe":
        open(this.probe(pod, record).spans, record, "absent", record.target);
        break;
      case "taint_eviction":
        this.ends.make("taint", record, Number(record.data.until_ms || 0)); // an end at 0 withdraws the previous one
        break;
      case "scheduling":
        if (record.target !== "unschedulable") bound(this, pod, record);
        break;
      default:
        break;
    }
  }

  /** @param {PodLanes} pod @param {Rec} record */
  object(pod, record) {
    if (record.target !== "present") {
      this.ends.end("taint", record);
      this.ends.endBackoffsOf(record, [pod]);
    }
    // A pod that is imported, or created with spec.nodeName, is bound without a step of the scheduler.
    if (record.data.node && !pod.nodes.length) open(pod.nodes, record, "absent", String(record.data.node));
    if (record.target === "terminating") {
      const deadline_ms = Number(record.data.deadline_ms ?? record.at_ms + 1000 * Number(record.data.grace_s ?? 0));
      pod.deadline_ms = deadline_ms;
      this.ends.make("deadline", record, deadline_ms);
      // A kubelet goes on probing readiness while a pod terminates, and stops the other two kinds.
      this.unprobed(pod, record, ({ name }) => name !== "readiness");
    // The API server does not show what the node still does after that: `node` spans of containers stay open.
    } else if (record.target === "gone") {
      this.ends.end("deadline", record);
      this.unprobed(pod, record, () => true);
      for (const lane of [...apiLanes(pod), ...pod.probes.values()]) open(lane.spans, record, "absent", "");
    }
  }

  /** These probes make no further attempts. @param {PodLanes} pod @param {Rec} record @param {(lane: Lane) => boolean} which */
  unprobed(pod, { at_ms }, which) {
    for (const lane of pod.probes.values()) if (which(lane)) this.ends.end("probe", { subject: lane.subject, at_ms });
  }

  /** @param {PodLanes} pod @param {Rec} record */
  containerStatus(pod, record) {
    const lane = this.container(pod, record);
    // Among init containers only a sidecar is ready while it runs.
    const sidecar = record.data.group === "init" && record.target === "running" && record.data.ready;
    const group = sidecar || lane.group === "sidecar" ? "sidecar" : String(record.data.group || lane.group);
    if (lane.group !== group) {
      lane.group = group;
      this.version += 1;
    }
    const reason = String(record.data.reason || "");
    // Before the span is opened: it compares the record with the span that is still open.
    addStarted(lane, record);
    const word = record.target === "running" ? "Running" : reason || capital(record.target);
    open(lane.spans, record, containerTone(record.target, record.data), word, isCut(this, pod));
  }

  /** @param {PodLanes} pod @param {Rec} record */
  containerNode(pod, record) {
    const lane = this.container(pod, record);
    open(lane.node, record, nodeTone(record.target), record.target);
    if (record.target === "exited") this.exited(pod, lane, record);
    // With the end of the instance before, from which a back-off is measured.
    this.ends.backoff(record, lane.endings.get(Number(record.data.instance) - 1)?.t ?? 0);
  }

  /**
   * The process is gone: keep its exit code for the instance; the last results of its probes no longer hold.
   * @param {PodLanes} pod
   * @param {Lane} lane
   * @param {Rec} record
   */
  exited(pod, lane, record) {
    endHook(lane, record);
    lane.endings.set(Number(record.data.instance ?? 0), mark(record, "exit", String(record.data.exit_code ?? 0)));
    const prefix = `probe/${record.subject.slice("container/".length)}/`;
    this.unprobed(pod, record, ({ subject }) => subject.startsWith(prefix));
    for (const probe of pod.probes.values()) {
      if (probe.subject.startsWith(prefix) && probe.spans.length) open(probe.spans, record, "absent", "");
    }
  }

  /** @param {PodLanes} pod @param {Rec} record */
  attempt(pod, record) {
    const lane = this.probe(pod, record);
    lane.marks.push(mark(record, record.target, record.target));
    this.ends.attempt(record);
  }

  /**
   * @param {string} key
   * @returns {PodLanes}
   */
  pod(key) {
    let pod = this.pods.get(key);
    if (pod) return pod;
    const subject = `pod/${key}`;
    pod = {
      key,
      status: this.lane("status", `status:${subject}`, subject, key, key),
      phase: this.lane("phase", `phase:${subject}`, subject, key, "phase"),
      events: this.lane("events", `events:${subject}`, subject, key, "events"),
      conditions: new Map(),
      containers: new Map(),
      probes: new Map(),
      nodes: [],
      deadline_ms: Infinity,
    };
    this.pods.set(key, pod);
    return pod;
  }

  /** @param {string} name */
  node(name) {
    const node = this.nodes.get(name) ?? new NodeLanes(this, name);
    this.nodes.set(name, node);
    return node;
  }

  /**
   * How many replicas a workload has of those it wants.
   * @param {Rec} record
   */
  workload(record) {
    let lane = this.workloads.get(record.subject);
    if (!lane) {
      lane = this.lane("workload", record.subject, record.subject, "", record.subject.split("/").slice(-1)[0]);
      lane.group = String(record.data.kind || "");
      this.workloads.set(record.subject, lane);
    }
    // Not every workload has a desired number.
    const { wanted, there } = record.data;
    open(lane.spans, record, MACHINES.workload[record.target] ?? "unknown", wanted === null || wanted === undefined ? String(there) : `${there}/${wanted}`);
  }

  /** @param {PodLanes} pod @param {Rec} record */
  condition(pod, record) {
    return this.member(pod.conditions, "condition", record.subject, pod.key);
  }

  /** @param {PodLanes} pod @param {Rec} record */
  container(pod, record) {
    return this.member(pod.containers, "container", record.subject, pod.key);
  }

  /** @param {PodLanes} pod @param {Rec} record */
  probe(pod, record) {
    return this.member(pod.probes, "probe", record.subject, pod.key);
  }

  /**
   * @param {Map<string, Lane>} members
   * @param {"condition" | "container" | "probe"} kind
   * @param {string} subject
   * @param {string} pod
   */
  member(members, kind, subject, pod) {
    const known = members.get(subject);
    if (known) return known;
    const lane = this.lane(kind, subject, subject, pod, parseSubject(subject).name);
    members.set(subject, lane);
    return lane;
  }

  /**
   * @param {Lane["kind"]} kind
   * @param {string} id
   * @param {string} subject
   * @param {string} pod
   * @param {string} name
   * @returns {Lane}
   */
  lane(kind, id, subject, pod, name) {
    /** @type {Lane} */
    const lane = { id, kind, subject, pod, name, spans: [], node: [], marks: [], hooks: [], flags: [], group: "app", endings: new Map() };
    this.byId.set(id, lane);
    this.version += 1;
    return lane;
  }
}
