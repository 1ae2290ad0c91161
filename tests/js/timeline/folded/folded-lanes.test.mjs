import assert from "node:assert/strict";
import { test } from "node:test";

const { markOf, Printed, PIECE_MS, piecesOf } = await import("../../../../static/js/timeline/folded/printed.js");
const { EndpointLanes } = await import("../../../../static/js/timeline/folded/endpoints.js");
const { buildRows } = await import("../../../../static/js/timeline/rows.js");
const { FoldedLanes } = await import("../../../../static/js/timeline/folded/folded-lanes.js");
const { LaneSet } = await import("../../../../static/js/lanes/lane-set.js");
const { lookOf } = await import("../../../../static/js/shares/view-address.js");
const { View } = await import("../../../../static/js/timeline/view.js");

const WEB = "container/default/web/app";

/** A server that knows the first `until_ms`, with a line every minute; `asked` has the requests. */
function served(until_ms) {
  const asked = [];
  globalThis.fetch = async (url) => {
    const query = new URLSearchParams(url.split("?")[1]);
    const [from_ms, to_ms] = [Number(query.get("from_ms")), Math.min(Number(query.get("to_ms")), served.until_ms)];
    asked.push([query.get("pod"), from_ms, to_ms]);
    const times = Array.from({ length: 60 }, (_, n) => n * 60_000).filter((t) => from_ms <= t && t <= to_ms);
    return { ok: true, status: 200, json: async () => ({ from_ms, until_ms: to_ms, containers: { app: times.map((t) => [t, 0, 1, 0, `at ${t}`]) } }) };
  };
  served.until_ms = until_ms;
  return asked;
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a mark says the first line, how many came with it, and whether any went to stderr", () => {
  assert.deepEqual(markOf([5, 2, 3, 1, "oh no"]), { t: 5, seq: 0, type: "Warning", text: "oh no +2", data: { instance: 2, count: 3, errors: 1, line: "oh no" } });
  assert.deepEqual(markOf([5, 2, 1, 0, "fine"]), { t: 5, seq: 0, type: "Normal", text: "fine", data: { instance: 2, count: 1, errors: 0, line: "fine" } });
  const long = markOf([5, 0, 1, 0, "x".repeat(100)]);
  assert.equal(long.text, `${"x".repeat(59)}…`);
  assert.equal(long.data.line.length, 100);
});

test("a stretch is asked for in pieces, the last first, and never in more than some", () => {
  assert.deepEqual(piecesOf(PIECE_MS * 2 - 1, PIECE_MS * 2), [2, 1]);
  assert.equal(piecesOf(0, PIECE_MS * 500).length, 12);
});

test("what is in sight is asked for once, piece by piece", async () => {
  const asked = served(10 * PIECE_MS);
  const printed = new Printed("/printed/", () => {});
  printed.want("default/web", 0, PIECE_MS + 5);
  await settled();
  assert.deepEqual(asked, [["default/web", PIECE_MS, 2 * PIECE_MS - 1], ["default/web", 0, PIECE_MS - 1]]);
  assert.deepEqual(printed.of(WEB).map(({ t }) => t), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => n * 60_000));
  printed.want("default/web", 0, PIECE_MS + 5);
  await settled();
  assert.equal(asked.length, 2);
});

test("a piece that goes on is asked for from where it is known, and no line is there twice", async () => {
  const asked = served(120_000);
  const printed = new Printed("/printed/", () => {});
  printed.ask = () => printed.askAll();
  printed.want("default/web", 0, 120_000);
  await settled();
  served.until_ms = 200_000;
  printed.want("default/web", 0, 200_000);
  await settled();
  assert.deepEqual(asked.map(([, from_ms]) => from_ms), [0, 120_000]);
  assert.deepEqual(printed.of(WEB).map(({ t }) => t), [0, 60_000, 120_000, 180_000]);
});

test("a run that has none to tell is not asked again", async () => {
  let count = 0;
  globalThis.fetch = async () => ({ status: 204, ok: true, count: (count += 1) });
  const printed = new Printed("/printed/", () => {});
  printed.ask = () => printed.askAll();
  for (const to_ms of [1000, 2000]) {
    printed.want("default/web", 0, to_ms);
    await settled();
  }
  assert.equal(count, 1);
});

const lane = (kind, subject) => ({ id: subject, kind, subject, pod: "default/web", name: kind, spans: [], marks: [] });
const POD = { key: "default/web", status: lane("status", "s"), phase: lane("phase", "p"), events: lane("events", "e"), conditions: new Map(), containers: new Map([["a", lane("container", WEB)], ["b", lane("container", "container/default/web/b")]]), probes: new Map() };
const LANES = { byId: new Map(), workloads: new Map(), services: new Map(), nodes: new Map(), pods: new Map([[POD.key, POD]]) };

/** The containers whose log lines are shown. */
function shown(view) {
  return buildRows(LANES, view).rows.filter(({ lane: { kind } }) => kind === "logs").map(({ lane: { subject } }) => subject);
}

/** The records of a run, as stored by the page. */
function storeOf(records) {
  return { lanes: LANES, get headSeq() { return records.length; }, get: (seq) => records[seq - 1] };
}

/** The log lanes of containers, as used by the page. */
function logLanes(view) {
  view.more = new FoldedLanes({ view, run: { panelBase: "", store: storeOf([]), playhead: { onFrame: () => {} } }, choices: { changed: () => {} } });
  return view.more;
}

test("log lines are folded at first, opened one by one, or all but those that were folded", () => {
  const view = new View(false);
  const logs = logLanes(view);
  assert.deepEqual(shown(view), []);
  view.toggle("logs", WEB);
  assert.deepEqual(shown(view), [WEB]);
  logs.show(true);
  assert.equal(shown(view).length, 2);
  view.toggle("logs", WEB);
  assert.deepEqual(shown(view), ["container/default/web/b"]);
  assert.deepEqual([...view.open], ["logs", WEB]);
  logs.show(true);
  assert.deepEqual([shown(view), [...view.open]], [[], []]);
});

test("an address holds as much of what is opened as the server takes", () => {
  const view = new View(false);
  for (let n = 0; n < 60; n += 1) view.open.add(`container/default/web-${n}/app`);
  const timeline = { view, viewport: { range: () => "0:1" }, search: { input: {} }, stretch: {}, notes: {}, clock: {} };
  assert.equal(lookOf(timeline).open.length, 700);
});

const round = (at_ms, pods, more = {}) => ({ at_ms, kind: "note", machine: "note", rule: "ENDPOINTSLICE-SYNC", subject: "service/default/web", data: { pods }, ...more });
const sequenced = (records) => records.map((record, at) => ({ ...record, seq: at + 1 }));

function endpointsOf(records) {
  const lanes = new EndpointLanes({ run: { store: storeOf(sequenced(records)) } });
  lanes.follow();
  return lanes;
}

test("rounds of the controller become the spans of each pod's endpoint", () => {
  const lanes = endpointsOf([round(50, ""), round(1500, "a:ready+serving b:"), round(2000, "b:ready+serving"), round(9000, "a:serving+terminating"), round(9500, "a:terminating"), round(9900, "a:-")]);
  const told = (pod) => lanes.of(pod).flatMap(({ spans }) => spans.map(({ t0, tone, text }) => [t0, tone, text]));
  assert.deepEqual(told("default/a"), [[1500, "ready", "ready"], [9000, "terminating", "serving terminating"], [9500, "terminating", "terminating"], [9900, "absent", ""]]);
  assert.deepEqual(told("default/b"), [[1500, "notready", "ready: false"], [2000, "ready", "ready"]]);
  assert.deepEqual(told("default/c"), []);
});

test("a pod has a lane for each Service that it belongs to, and other records make none", () => {
  const lanes = endpointsOf([round(1, "a:ready"), round(2, "a:ready", { subject: "service/default/old" }), round(3, "a:-", { rule: "OTHER" })]);
  assert.deepEqual(lanes.of("default/a").map(({ name }) => name), ["endpoint web", "endpoint old"]);
  assert.deepEqual(lanes.of("default/a").map(({ spans }) => spans.length), [1, 1]);
});

test("only a lane that is new makes rows be built anew", () => {
  const records = sequenced([round(1, "a:ready")]);
  const lanes = new EndpointLanes({ run: { store: storeOf(records) } });
  assert.equal(lanes.follow(), true);
  records.push(...sequenced([...records, round(2, "a:")]).slice(1));
  assert.equal(lanes.follow(), false);
  records.push(...sequenced([...records, round(3, "b:ready")]).slice(2));
  assert.equal(lanes.follow(), true);
});

test("endpoints stand below the conditions of a pod that are opened", () => {
  const view = new View(false);
  const more = logLanes(view);
  more.endpoints.add({ ...round(1, "web:ready"), seq: 1 });
  const kinds = () => buildRows(LANES, view).rows.map(({ lane: { kind } }) => kind);
  assert.ok(!kinds().includes("endpoint"));
  view.toggle("open", "default/web");
  assert.ok(kinds().indexOf("endpoint") > 0 && kinds().indexOf("endpoint") < kinds().indexOf("container"));
});

test("other records that count pods make no lane of a Service", () => {
  const lanes = new LaneSet("");
  lanes.add({ seq: 1, at_ms: 0, kind: "transition", machine: "import", subject: "cluster", source: "", target: "began", rule: "IMPORT-BEGAN", data: { pods: 1 } });
  assert.deepEqual([...lanes.services.keys()], []);
});

test("a Service that will get requests has the lanes of its ready pods before the first one, others have none", () => {
  const records = [round(50, "a: b:ready+serving", { target: "endpoints" }), round(60, "c:ready", { subject: "service/default/calm", target: "endpoints" })];
  const lanes = new LaneSet("default/web");
  for (const record of sequenced(records)) lanes.add(record);
  assert.deepEqual([...lanes.services.keys()], ["default/web"]);
  assert.deepEqual(lanes.services.get("default/web").members().map(({ id }) => id), ["requests/default/web/b"]);
  const { version } = lanes;
  lanes.add({ seq: 3, at_ms: 90, kind: "transition", machine: "requests", subject: "requests/default/web/b", source: "", target: "answered", rule: "", data: {} });
  assert.equal(lanes.version, version);
});

test("a line of sixty letters stands beside its mark as a whole", () => {
  assert.deepEqual([60, 61].map((length) => markOf([5, 0, 1, 0, "x".repeat(length)]).text.at(-1)), ["x", "…"]);
});
