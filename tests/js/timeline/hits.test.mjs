import assert from "node:assert/strict";
import { test } from "node:test";

import { hitAt, marksOf, nearSpan } from "../../../static/js/timeline/hits.js";
import { Viewport } from "../../../static/js/timeline/viewport.js";

const span = (t0, t1, tone = "ready", text = "Running") => ({ t0, t1, seq: t0, tone, text, data: {} });

/** What is under x on a lane, on a page whose newest moment is at 500; one ms per pixel. */
function under(x, { lane = {}, row = {}, groups = [], targets = [], pending = [], live = true, ghost = null } = {}) {
  const viewport = new Viewport();
  viewport.width = 1000;
  viewport.show(0, 1000);
  const own = { id: "a", kind: "container", subject: "container/default/web/app", spans: [], hooks: [], ...lane };
  const run = { ghost, playhead: { live, t_ms: 500, end_ms: 500 }, store: { pending: () => pending } };
  const rows = [{ lane: own, y: 0, h: 40, old_h: 0, old: null, isOld: false, ...row }];
  return hitAt({ rows, body: { scrollTop: 0 }, viewport, groups: new Map([["a", groups]]), targets: new Map([["a", targets]]), run }, x, 10);
}
const hit = (x, options) => {
  const { span: of, marks } = under(x, options);
  return of ? `span ${of.text} ${of.t0}` : marks ? `marks ${marks.map(({ text }) => text)}` : "";
};

test("a bar is under the pointer from its beginning to the newest moment, and what is not there never", () => {
  const spans = [span(0, 100, "absent", ""), span(100, Infinity)];
  assert.deepEqual([50, 99, 100, 500, 501].map((x) => hit(x, { lane: { spans } })), ["", "", "span Running 100", "span Running 100", ""]);
});

test("nothing is under a point below the last row", () => {
  const viewport = new Viewport();
  assert.equal(hitAt({ rows: [], body: { scrollTop: 0 }, viewport }, 5, 5), null);
});

test("marks lie over flags, flags over known ends, those over hooks, and hooks over bars", () => {
  const lane = { spans: [span(0, Infinity)], hooks: [span(0, 900, "starting", "preStop")] };
  const layers = { lane, groups: [{ x0: 500, x1: 500, marks: [{ text: "mark" }] }], targets: [{ x0: 495, x1: 505, marks: [{ text: "flag" }] }] };
  assert.deepEqual([hit(500, layers), hit(500, { ...layers, groups: [] }), hit(500, { lane }), hit(500, { lane: { ...lane, hooks: [] } })], ["marks mark", "marks flag", "span preStop 0", "span Running 0"]);
});

test("a flag is hit on its edges, and not beside them", () => {
  const targets = [{ x0: 200, x1: 210, marks: [{ text: "flag" }] }];
  assert.deepEqual([199, 200, 210, 211].map((x) => hit(x, { targets })), ["", "marks flag", "marks flag", ""]);
});

test("a hook is hit while it runs, up to the newest moment", () => {
  const hooks = [span(100, 200, "starting", "preStop"), span(300, Infinity, "starting", "preStop")];
  assert.deepEqual([99, 100, 199, 200, 500, 501].map((x) => hit(x, { lane: { hooks } })), ["", "span preStop 100", "span preStop 100", "", "span preStop 300", ""]);
});

test("an end that is known is hit between the newest moment and where it stands, on its own lane", () => {
  const end = { kind: "backoff", subject: "container/default/web/app", from_ms: 400, until_ms: 700, seq: 9 };
  assert.deepEqual([500, 501, 700, 701].map((x) => hit(x, { pending: [end] })), ["", "marks backoff", "marks backoff", ""]);
  assert.deepEqual([hit(600, { pending: [{ ...end, subject: "container/default/web/other" }] }), hit(600, { pending: [{ ...end, kind: "deadline" }] }), hit(600, { pending: [end], live: false })], ["", "", ""]);
  const [mark] = under(600, { pending: [end] }).marks;
  assert.deepEqual([mark.t, mark.seq, mark.type, mark.until_ms], [400, 9, "known-end", 700]);
});

test("a probe's next attempt is hit around its ring", () => {
  const lane = { kind: "probe", subject: "probe/default/web/app/liveness" };
  const pending = [{ kind: "probe", subject: lane.subject, from_ms: 400, until_ms: 520, seq: 9 }];
  assert.deepEqual([511, 512, 528, 529].map((x) => hit(x, { lane, pending })), ["", "marks probe", "marks probe", ""]);
  assert.equal(hit(496, { lane, pending: [{ ...pending[0], until_ms: 498 }] }), "marks probe");
  assert.equal(hit(492, { lane, pending: [{ ...pending[0], until_ms: 498 }] }), "");
});

test("a probe's result is hit though it has no tone", () => {
  const spans = [span(100, 200, "absent", "success")];
  assert.deepEqual([hit(150, { lane: { kind: "probe", spans } }), hit(150, { lane: { kind: "phase", spans } })], ["span success 100", ""]);
});

test("of a lane with two futures the lower part after the branch is the old one's", () => {
  const ghost = { from_ms: 300, hitAt: () => "old" };
  const at = (x, y, row) => {
    const viewport = new Viewport();
    viewport.width = 1000;
    viewport.show(0, 1000);
    const lane = { id: "a", kind: "container", subject: "s", spans: [], hooks: [] };
    const run = { ghost, playhead: { live: false, t_ms: 0, end_ms: 500 }, store: { pending: () => [] } };
    return hitAt({ rows: [{ lane, y: 0, h: 40, old_h: 15, old: {}, isOld: false, ...row }], body: { scrollTop: 0 }, viewport, groups: new Map(), targets: new Map(), run }, x, y) === "old";
  };
  assert.deepEqual([at(299, 30), at(300, 24), at(300, 25), at(300, 39)], [false, false, true, true]);
  assert.deepEqual([at(10, 5, { old: null, isOld: true }), at(400, 30, { old: null })], [true, false]);
});

test("a short failure is hit from a little beside it, a long one or another state is not", () => {
  const near = (t_ms, ...spans) => nearSpan({ msPerPx: 1 }, { spans }, t_ms)?.t0 ?? null;
  const short = [span(0, 100, "absent"), span(100, 102, "failed", "Error"), span(102, 300, "absent")];
  assert.deepEqual([95, 96, 101, 105, 106].map((t_ms) => near(t_ms, ...short)), [0, 100, 100, 100, 102]);
  assert.equal(near(96, span(0, 100, "absent"), span(100, 104, "failed")), 0);
  assert.equal(near(96, span(0, 100, "absent"), span(100, 102, "ready")), 0);
  assert.equal(near(96, span(0, 100, "ready"), span(100, 102, "failed")), 0);
});

test("instants of a lane are its marks, its flags and how its instances ended, in order", () => {
  const marks = [{ t: 5, seq: 2 }];
  assert.equal(marksOf({ marks, flags: [], endings: new Map() }), marks);
  assert.deepEqual(marksOf({ marks, flags: [{ t: 5, seq: 1 }], endings: new Map([[0, { t: 1, seq: 9 }]]) }).map(({ seq }) => seq), [9, 1, 2]);
});
