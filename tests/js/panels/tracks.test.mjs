import assert from "node:assert/strict";
import { test } from "node:test";

import { bodyIn, firstMissing, partOf, Tracks } from "../../../static/js/panels/tracks.js";

/** A log with a new record at 1 s, a line without a record at 1.2 s, and a header that changes back at 3 s. */
const TOLD = {
  from_ms: 500,
  until_ms: 4000,
  last: 9,
  more: false,
  steps: [
    [2, 500, 0],
    [5, 1000, 1],
    [5, 1200, 2],
    [8, 3000, 0],
  ],
  lines: ["head", "end", "one", "two", "HEAD"],
  bodies: [
    [0, [0, 1], 0],
    [1, [2], 1],
    [0, [4, 2, 3], 1],
  ],
};

test("versions are put together from what differs", () => {
  assert.deepEqual(partOf(TOLD).bodies, [
    [0, 1],
    [0, 2, 1],
    [4, 2, 3, 1],
  ]);
});

test("a moment shows the version that began last", () => {
  const part = partOf(TOLD);
  const shown = [[2, 500], [4, 999.9], [5, 1000], [5, 1199.99], [6, 1200], [7, 2999], [8, 3000], [9, 4000]].map(([seq, t_ms]) => bodyIn(part, { seq, t_ms }));
  assert.deepEqual(shown, ["head\nend", "head\nend", "head\none\nend", "head\none\nend", "HEAD\none\ntwo\nend", "HEAD\none\ntwo\nend", "head\nend", "head\nend"]);
});

test("nothing is shown where the part does not reach", () => {
  const part = partOf(TOLD);
  assert.deepEqual([499, 4001].map((t_ms) => bodyIn(part, { seq: 5, t_ms })), [null, null]);
});

test("nothing is shown of records that the part does not know by then", () => {
  const part = partOf(TOLD);
  const asked = [[1, 600], [6, 999], [9, 2999], [10, 4000]];
  assert.deepEqual(asked.map(([seq, t_ms]) => bodyIn(part, { seq, t_ms })), [null, null, null, null]);
});

test("a record that changes nothing of the panel leaves its version", () => {
  assert.equal(bodyIn(partOf(TOLD), { seq: 8, t_ms: 2900 }), "HEAD\none\ntwo\nend");
});

test("what is missing begins where the parts that join end", () => {
  const parts = [partOf({ ...TOLD, from_ms: 4000, until_ms: 6000 }), partOf(TOLD), partOf({ ...TOLD, from_ms: 7000, until_ms: 8000 })];
  assert.deepEqual([0, 500, 4000, 6000, 7500].map((at) => firstMissing(parts, at)), [0, 6000, 6000, 6000, 8000]);
});

/** Answers of a server that sends this much at a time; `asked` has the requested stretches. */
function serve(context, step_ms, asked) {
  context.mock.method(globalThis, "fetch", async (url) => {
    const query = new URL(url, "http://x").searchParams;
    const [from_ms, to_ms] = [Number(query.get("from_ms")), Number(query.get("to_ms"))];
    asked.push([from_ms, to_ms, query.get("k")]);
    const until_ms = Math.min(to_ms, from_ms + step_ms);
    return { status: 200, json: async () => ({ ...TOLD, steps: [[0, from_ms, 0]], from_ms, until_ms, more: until_ms < to_ms }) };
  });
}

test("what lies around a moment is fetched beginning with the moment, and once", async (context) => {
  const asked = [];
  serve(context, 40_000, asked);
  const tracks = new Tracks("/track/");
  const what = { tab: "kubectl", sel: "", rec: 0, line: "get pods" };
  await tracks.want(what, 100_000);
  assert.deepEqual(asked, [[95_000, 160_000, "get pods"], [135_000, 160_000, "get pods"], [40_000, 95_000, "get pods"], [80_000, 95_000, "get pods"]]);
  await tracks.want(what, 130_000);
  assert.deepEqual(asked.slice(4), [[160_000, 190_000, "get pods"]]);
});

test("each line of kubectl has a track of its own", async (context) => {
  serve(context, 500_000, []);
  const tracks = new Tracks("/track/");
  await tracks.want({ tab: "kubectl", sel: "", rec: 0, line: "get pods" }, 10_000);
  const shown = ["get pods", "get nodes"].map((line) => tracks.body({ tab: "kubectl", sel: "", rec: 0, line }, { seq: 3, t_ms: 10_000 }));
  assert.deepEqual(shown, ["head\nend", null]);
});

test("Why of no record in particular is held as any other panel, that of a record as its causes", async (context) => {
  serve(context, 500_000, []);
  const tracks = new Tracks("/track/");
  const why = { tab: "why", sel: "", rec: 0, line: "" };
  await tracks.want(why, 10_000);
  tracks.causes.set(2, "the causes of record 2");
  const shown = (more) => tracks.body({ ...why, ...more }, { seq: 3, t_ms: 10_000 });
  assert.deepEqual([shown({}), shown({ rec: 2 }), shown({ rec: 3 }), shown({ rec: 4 })], ["head\nend", "the causes of record 2", null, "head\nend"]);
});
