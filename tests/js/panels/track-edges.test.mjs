import assert from "node:assert/strict";
import { test } from "node:test";

import { bodyIn, partOf, Tracks } from "../../../static/js/panels/tracks.js";

const told = (from_ms, until_ms, more = false) => ({ from_ms, until_ms, last: 9, more, steps: [[1, from_ms, 0]], lines: ["body"], bodies: [[0, [0], 0]] });
const WHAT = { tab: "yaml", sel: "pod/default/web", rec: 0 };

/** Tracks whose server answers with a function of (tab, query); `asked` has the queries. */
function tracks(context, answer = (_tab, query) => ({ json: told(Number(query.get("from_ms")), Number(query.get("to_ms"))) })) {
  const asked = [];
  context.mock.method(globalThis, "fetch", async (url) => {
    const { pathname, searchParams } = new URL(url, "http://x");
    const tab = pathname.split("/").at(-2);
    asked.push([tab, searchParams]);
    const { status = 200, json = null } = answer(tab, searchParams);
    return { status, json: async () => json };
  });
  return { own: new Tracks("/track/"), asked };
}

test("a part reaches from its first whole millisecond to its last, and not beyond", () => {
  assert.deepEqual([99.9, 100, 200.9, 201].map((t_ms) => bodyIn(partOf(told(100, 200)), { seq: 5, t_ms })), [null, "body", "body", null]);
});

test("a panel that has no track is asked for once", async (context) => {
  for (const status of [204, 404]) {
    const { own, asked } = tracks(context, () => ({ status }));
    await own.want(WHAT, 100);
    const once = asked.length;
    await own.want(WHAT, 500_000);
    assert.equal(asked.length, once);
  }
});

test("a server in trouble is asked again", async (context) => {
  const { own, asked } = tracks(context, () => ({ status: 503 }));
  await own.want(WHAT, 100);
  const once = asked.length;
  await own.want(WHAT, 100);
  assert.ok(asked.length > once);
});

test("a page without tracks asks for none", async (context) => {
  const { asked } = tracks(context);
  await new Tracks("").want(WHAT, 100);
  await new Tracks("").wantCauses([1]);
  assert.deepEqual(asked, []);
});

test("nothing is asked for twice at a time", async (context) => {
  const { own, asked } = tracks(context);
  await Promise.all([own.want(WHAT, 100_000), own.want(WHAT, 100_000)]);
  assert.equal(asked.length, 2);
});

test("what is asked about goes with the question, and nothing else", async (context) => {
  const { own, asked } = tracks(context);
  await own.want({ ...WHAT, rec: 7, part: "status", line: "get pods", did: 3 }, 100_000);
  await own.want(WHAT, 100_000);
  const said = (query) => ["sel", "rec", "part", "k", "did"].map((name) => query.get(name));
  assert.deepEqual([said(asked[0][1]), said(asked.at(-1)[1])], [["pod/default/web", "7", "status", "get pods", "3"], ["pod/default/web", "", null, null, null]]);
});

test("a stretch comes in four answers at most", async (context) => {
  const { own, asked } = tracks(context, (_tab, query) => ({ json: told(Number(query.get("from_ms")), Number(query.get("from_ms")) + 10, true) }));
  await own.want(WHAT, 0);
  assert.deepEqual(asked.map(([, query]) => query.get("from_ms")), ["0", "10", "20", "30"]);
});

test("twelve panels are held, and of more the one is forgotten that was asked for longest ago", async (context) => {
  const { own } = tracks(context);
  const panel = (number) => ({ ...WHAT, sel: `pod/default/p${number}` });
  for (let number = 0; number < 12; number += 1) await own.want(panel(number), 0);
  await own.want(panel(0), 200_000);
  await own.want(panel(12), 0);
  assert.deepEqual([0, 1, 12].map((number) => own.body(panel(number), { seq: 5, t_ms: 0 })), ["body", null, "body"]);
});

test("why a record came to be is asked for once, and known from the record on", async (context) => {
  const { own, asked } = tracks(context, () => ({ json: { causes: { 3: "because" } } }));
  await own.wantCauses([3, 4]);
  await own.wantCauses([3]);
  const why = (rec, seq, more = {}) => own.body({ tab: "why", sel: "", rec, ...more }, { seq, t_ms: 0 });
  assert.deepEqual([asked.length, asked[0][1].get("recs")], [1, "3,4"]);
  assert.deepEqual([why(3, 3), why(3, 2), why(4, 9), why(3, 9, { part: "chain" })], ["because", null, null, null]);
});

test("the panel Why without a known cause is that of no record, any other that of its own", async (context) => {
  const { own } = tracks(context);
  const held = async (tab, rec) => {
    await own.want({ tab, sel: "", rec }, 0);
    return own.body({ tab, sel: "", rec: 99 }, { seq: 5, t_ms: 0 });
  };
  assert.deepEqual([await held("why", 0), await held("yaml", 0)], ["body", null]);
});
