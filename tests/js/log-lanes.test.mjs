import assert from "node:assert/strict";
import { test } from "node:test";

const { markOf, Printed, PIECE_MS, piecesOf } = await import("../../static/js/log-lanes/printed.js");
const { buildRows } = await import("../../static/js/timeline/rows.js");
const { LogLanes } = await import("../../static/js/log-lanes/log-lanes.js");
const { View } = await import("../../static/js/timeline/view.js");

const WEB = "container/default/web/app";

/** A server that knows of the first `until_ms`, with a line every minute; `asked` are the questions. */
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

/** Containers below which log lines are shown. */
function shown(view) {
  return buildRows(LANES, view).rows.filter(({ lane: { kind } }) => kind === "logs").map(({ lane: { subject } }) => subject);
}

/** The lanes of what containers print, as the page has them. */
function logLanes(view) {
  view.logs = new LogLanes({ view, run: { panelBase: "", store: { lanes: LANES } }, choices: { changed: () => {} } });
  return view.logs;
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
  assert.equal(view.openWord(), `logs,${WEB}`);
  logs.show(true);
  assert.deepEqual([shown(view), view.openWord()], [[], ""]);
});

test("an address holds as much of what is opened as it can", () => {
  const view = new View(false);
  for (let n = 0; n < 60; n += 1) view.open.add(`container/default/web-${n}/app`);
  const word = view.openWord();
  assert.ok(word.length <= 600 && word.endsWith("/app"));
});
