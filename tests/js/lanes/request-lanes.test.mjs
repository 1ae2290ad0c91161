import assert from "node:assert/strict";
import { test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { requestText } from "../../../static/js/lanes/request-lanes.js";
import { row, storeOf } from "../records.mjs";

addTexts({ "requests.answered": "answered", "requests.error": "errors", "requests.number": "{n} {words}" });

let seq = 0;
/** Records of requests to a pod, each [at_ms, outcome, counts]; the source is the previous outcome. */
function requests(...steps) {
  seq = 0;
  const before = {};
  const rows = steps.map(([at_ms, pod, target, data = {}]) => {
    const made = row((seq += 1), at_ms, { machine: "requests", subject: `requests/default/shop/${pod}`, target, data });
    made[5] = before[pod] ?? "";
    before[pod] = target;
    return made;
  });
  return storeOf(...rows).lanes.services.get("default/shop");
}
const shown = (lane) => lane.spans.map(({ t0, text, tone }) => `${t0} ${text} ${tone}`);

test("a Service shows the worst of what its pods do now", () => {
  const { head } = requests([0, "a", "answered"], [10, "b", "error"], [20, "a", "retried"], [30, "b", ""], [40, "a", ""]);
  assert.deepEqual(shown(head), ["0 answered ready", "10 error failed", "30 retried notready", "40  absent"]);
});

test("each pod has a lane, and what reaches none has one too", () => {
  const service = requests([0, "a", "answered"], [10, "-", "refused"]);
  assert.deepEqual(service.members().map(({ subject }) => subject), ["requests/default/shop/a", "requests/default/shop/-"]);
  assert.notEqual(service.members()[1].name, "-");
});

test("of many pods only those have a lane that some requests failed at", () => {
  const calm = (count) => Array.from({ length: count }, (_, index) => [0, `p${index}`, "answered"]);
  assert.equal(requests(...calm(8)).members().length, 8);
  assert.deepEqual(requests(...calm(9)).members(), []);
  assert.deepEqual(requests(...calm(9), [5, "p3", "timeout"], [9, "p3", "answered"]).members().map(({ name }) => name), ["p3"]);
});

test("rows are built again when trouble adds a lane, not with each failure", () => {
  const versions = [[[0, "a", "answered"]], [[0, "a", "answered"], [1, "a", "error"]], [[0, "a", "answered"], [1, "a", "error"], [2, "a", "timeout"]]].map((steps) => requests(...steps).set.version);
  assert.deepEqual([versions[1] - versions[0], versions[2] - versions[1]], [1, 0]);
});

test("a stretch of failures has one flag with its number, the next series another", () => {
  const { pods } = requests([0, "a", "answered"], [10, "a", "error"], [20, "a", "timeout", { ended: 3 }], [30, "a", "answered", { ended: 2 }], [40, "a", "error"], [50, "a", "answered", { ended: 4 }]);
  assert.deepEqual(pods.get("a").flags.map(({ t, text }) => [t, text]), [[10, "✕ 5"], [40, "✕ 4"]]);
});

test("a stretch that goes well has no flag however many it counts", () => {
  const { pods } = requests([0, "a", "answered"], [10, "a", "", { ended: 9 }]);
  assert.deepEqual(pods.get("a").flags, []);
});

test("requests that began in a stretch and ended in the next belong to the next", () => {
  const { pods } = requests([0, "a", "answered"], [10, "a", "error", { ended: 5, count: 2 }], [20, "a", "answered", { ended: 1 }]);
  assert.deepEqual(pods.get("a").spans.map(({ data }) => data.total), [3, 3, 0]);
});

test("a Service counts requests under way at a change only where they come to what the Service shows", () => {
  const total = (...steps) => requests([0, "a", "error"], ...steps).head.spans.at(-1).data.total;
  assert.equal(total([10, "b", "timeout", { count: 2 }]), 2);
  assert.equal(total([10, "a", "refused", { count: 3 }], [20, "b", "answered", { count: 2 }]), 3);
});

test("a Service counts what its stretch came to: of answers by the counts so far, of failures by the pod's own", () => {
  const totals = (...steps) => requests(...steps).head.spans.map(({ data }) => data.total);
  assert.deepEqual(totals([0, "a", "answered", { answered: 2 }], [10, "a", "retried", { answered: 7, retried: 1 }], [20, "a", "answered", { answered: 7, retried: 4 }]), [5, 3, 0]);
  assert.deepEqual(totals([0, "a", "error"], [10, "a", "answered", { ended: 3 }]), [3, 0]);
  assert.deepEqual(totals([0, "a", "error"], [10, "b", "timeout", { ended: 9 }], [20, "b", "error", { ended: 4 }]), [0, 4, 0]);
});

test("what requests came to so far is kept in order of time", () => {
  assert.deepEqual(requests([0, "a", "answered", { answered: 1 }], [10, "b", "answered", { answered: 4 }]).counts, [{ t: 0, data: { answered: 1 } }, { t: 10, data: { answered: 4 } }]);
});

test("a stretch says what its requests came to, with their number once it is known", () => {
  assert.deepEqual([requestText({ text: "", data: {} }), requestText({ text: "answered", data: {} }), requestText({ text: "error", data: { total: 3 } })], ["–", "answered", "3 errors"]);
});

test("a Service of another namespace is named with it", () => {
  const name = (subject) => [...storeOf(row(1, 0, { machine: "requests", subject, target: "answered" })).lanes.services.values()][0].head.name;
  assert.deepEqual([name("requests/default/shop/a"), name("requests/team/shop/a")], ["shop", "team/shop"]);
});
