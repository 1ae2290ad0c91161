import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { SearchBox } from "../../../static/js/search/box.js";
import { row, storeOf } from "../records.mjs";
import { placeFrom } from "../../../static/js/search/instants.js";

/** The parts of an element that a box with a closed list touches. */
const element = () => ({ value: "", textContent: "", hidden: true, after() {}, prepend() {}, append() {}, setAttribute() {}, addEventListener() {}, replaceChildren() {} });
const pod = (key) => [key, { key, nodes: [], containers: new Map(), status: { spans: [{ t0: 0, t1: Infinity, tone: "ready", text: "Running" }] } }];

beforeEach(() => {
  globalThis.document.createElement = element;
});

/** A search over the pods aa and bb, whose requests are answered by hand: `asked` has the requests, `shown` the pods whose lanes are left. */
function search() {
  const asked = [];
  globalThis.fetch = (url) => new Promise((resolve) => asked.push({ url, answer: (status, body) => resolve({ ok: status === 200, status, json: async () => body }) }));
  const lanes = { pods: new Map([pod("aa"), pod("bb")]), workloads: new Map(), services: new Map(), nodes: new Map() };
  const run = { panelBase: "/at/", store: { lanes, headSeq: 0, get: () => null }, playhead: { seq: 1, t_ms: 1000, onFrame() {} }, looked() {} };
  const shown = { pods: null };
  const view = { filter: (kept) => (shown.pods = kept && [...kept.pods]) };
  const box = new SearchBox({ run, view, invalidate() {} }, { input: element(), list: element(), panel: element(), element: element() });
  return { box, asked, shown };
}

test("lanes are left by the labels in the field, whichever answer comes last", async () => {
  const { box, asked, shown } = search();
  const asks = [box.set("label:app=a is:running"), box.set("label:app=b is:running")];
  asked[1].answer(200, { pods: ["bb"] });
  asked[0].answer(200, { pods: ["aa"] });
  await Promise.all(asks);
  box.refresh();
  assert.deepEqual(shown.pods, ["bb"]);
});

test("a late failure of labels that are asked for no more is not told", async () => {
  const { box, asked } = search();
  const asks = [box.set("label:app=a"), box.set("label:app=b")];
  asked[1].answer(200, { pods: ["bb"] });
  asked[0].answer(422, { error: "unable to parse" });
  await Promise.all(asks);
  assert.notEqual(box.summary(false), "unable to parse");
});

test("until labels are answered, lanes are not filtered by those before", async () => {
  const { box, asked, shown } = search();
  const first = box.set("label:app=a");
  asked[0].answer(200, { pods: ["aa"] });
  await first;
  shown.pods = "as they were";
  box.set("label:app=b is:running");
  box.refresh();
  assert.equal(shown.pods, "as they were");
});

test("labels that were not answered are asked for by the same words again", async () => {
  const { box, asked, shown } = search();
  const failed = box.set("label:app=a");
  asked[0].answer(503, {});
  await failed;
  const again = box.set("label:app=a");
  assert.equal(asked.length, 2);
  asked[1].answer(200, { pods: ["aa"] });
  await again;
  assert.deepEqual(shown.pods, ["aa"]);
});

test("labels that were not answered hide no lane, and why is still told when more of the run comes", async () => {
  const { box, asked, shown } = search();
  const failed = box.set("label:app=a is:running");
  asked[0].answer(503, { text: "Try again in a few seconds." });
  await failed;
  box.refresh();
  assert.deepEqual([shown.pods, box.summary(false)], [null, "Try again in a few seconds."]);
});

test("labels that were not answered are asked for by Enter", async () => {
  const { box, asked } = search();
  const failed = box.set("label:app=a");
  asked[0].answer(503, {});
  await failed;
  assert.equal(box.isStale(), true);
});

test("labels that were answered are asked for once", async () => {
  const { box, asked } = search();
  const first = box.set("label:app=a");
  asked[0].answer(200, { pods: ["aa"] });
  await first;
  await box.set("label:app=a is:running");
  assert.equal(asked.length, 1);
});

test("a step goes to the nearest instant on its side, and from an end to the other", () => {
  const found = [75, 150, 225].map((at_ms) => ({ at_ms }));
  const steps = [[0, 1], [75, 1], [225, 1], [-Infinity, 1], [300, -1], [150, -1], [75, -1], [Infinity, -1]];
  assert.deepEqual(steps.map(([t_ms, step]) => placeFrom(found, t_ms, step)), [0, 1, 0, 0, 2, 0, 2, 2]);
});

test("records are searched only in what the states, the labels or the container leave", async () => {
  const killing = (pod, seq) => row(seq, 900, { kind: "event", subject: `pod/default/${pod}`, target: "Killing", data: { message: "x" } });
  const status = (pod, seq, target) => row(seq, 100, { machine: "status_word", subject: `pod/default/${pod}`, target });
  const store = storeOf(status("aa", 1, "Running"), status("bb", 2, "Error"), row(3, 100, { machine: "container_status", subject: "container/default/aa/app", target: "running" }), killing("aa", 4), killing("bb", 5), row(6, 950, { machine: "container", subject: "container/default/aa/app", target: "killing" }));
  const found = async (typed, labelled) => {
    const { box, asked } = search();
    Object.assign(box.timeline.run, { store });
    const set = box.set(typed);
    asked[0]?.answer(200, { pods: labelled });
    await set;
    return box.found.map(({ seq }) => seq);
  };
  assert.deepEqual([await found("killing"), await found("killing is:error"), await found("killing label:app=b", ["default/bb"]), await found("killing container:app")], [[4, 5, 6], [5], [5], [6]]);
});
