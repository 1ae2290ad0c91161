import assert from "node:assert/strict";
import { before, test } from "node:test";

import { addTexts, takeRules } from "../../../static/js/base/i18n.js";
import { LATER_MESSAGES } from "../../../static/js/later/messages.js";
import { HoverCard } from "../../../static/js/timeline/hover-card.js";
import { FakeElement, makeElements, wordsOf } from "../page.mjs";
import { row, storeOf } from "../records.mjs";

before(() => {
  addTexts(LATER_MESSAGES);
  makeElements();
  globalThis.addEventListener = () => {};
  globalThis.window = /** @type {any} */ ({ setTimeout });
});

const APP = "container/default/web/app";
const STORE = storeOf(
  row(1, 0, { machine: "container_status", subject: APP, target: "waiting", data: { reason: "ContainerCreating" } }),
  row(2, 500, { machine: "container", subject: APP, target: "running" }),
  row(3, 1000, { machine: "container_status", subject: APP, target: "running", data: { instance: 1 } }),
  row(4, 4000, { machine: "container_status", subject: APP, target: "terminated", data: { exit_code: 3, reason: "Error", message: "m".repeat(200) } }),
  row(5, 5000, { kind: "event", target: "Killing", data: { count: 3, component: "kubelet", message: "Stopping" } }),
  row(6, 6000, { kind: "event", target: "Killing", data: { message: "Stopping" } }),
  row(7, 7000, { kind: "attempt", subject: "probe/default/web/app/liveness", target: "failure", data: { took_ms: 1000 } }),
  row(8, 8000, { machine: "container", subject: APP, target: "exited" }),
  row(9, 8500, { kind: "event", target: "Killing", data: { count: 1, message: "Stopping" } }),
);
const GHOST = { store: storeOf(row(1, 0, { machine: "phase", target: "Running" })), end_ms: 2000, from_ms: 1500, words: "the old future", address: (t_ms) => `/old?t=${t_ms}` };

function card(run = {}) {
  const parent = Object.assign(new FakeElement("div"), { clientWidth: 1000, clientHeight: 500 });
  return new HoverCard(parent, { store: STORE, ghost: GHOST, playhead: { end_ms: 9000, t_ms: 9000, onFrame() {} }, ...run });
}
/** The facts of a card, name and value. */
const facts = (elements) => Object.fromEntries(elements.flatMap((element) => [element, ...(element.children ?? [])]).filter(({ tag, className }) => tag === "dl" && className === "hover-card__facts").flatMap(({ children }) => children.map(({ children: [name, value] }) => [name.textContent, value.textContent])));
const lane = (id) => STORE.lanes.byId.get(id);
const ofSpan = (own, span, end_ms = 9000) => facts(card().ofSpan({ lane: own, span }, end_ms));

test("a span tells since when, for how long and until when it lasted, and what the node did at its end", () => {
  const [waiting, running, ended] = lane(APP).spans;
  const told = (span) => Object.values(ofSpan(lane(APP), span)).slice(0, 3);
  assert.deepEqual([running, ended].map(told), [["0:01.0", "3 s", "0:04.0"], ["0:04.0", "5 s", "still"]]);
  assert.equal(ofSpan(lane(APP), waiting)["on the node"], "running");
  assert.equal(ofSpan({ ...lane(APP), kind: "phase" }, waiting)["on the node"], undefined);
});

test("a message is told as far as it can be read at a glance", () => assert.equal(ofSpan(lane(APP), lane(APP).spans[2]).message.length, 180));

test("a span is titled by what it shows", () => {
  const title = (span, own = lane(APP)) => wordsOf(card().ofSpan({ lane: own, span }, 9000), "tone")[0];
  const [waiting, running, ended] = lane(APP).spans;
  assert.deepEqual([title(waiting), title(running), title(ended)], ["ContainerCreating", "Running #1", "Error 3"]);
  assert.equal(title(ended, { ...lane(APP), kind: "status" }), "Error");
  assert.equal(title({ ...running, text: "", tone: "unknown" }, { ...lane(APP), kind: "phase" }), "?");
});

test("a hook tells its exit code, and nothing of the node", () => {
  const hook = { t0: 500, t1: 900, seq: 2, tone: "failed", text: "preStop", data: { exit_code: 1 } };
  const told = ofSpan({ ...lane(APP), hooks: [hook] }, hook);
  assert.deepEqual([told["exit code"], told["on the node"], ofSpan(lane(APP), lane(APP).spans[2])["exit code"]], ["1", undefined, undefined]);
});

test("the field of a STATUS is said to be derived, that of another lane is its own", () => {
  const store = storeOf(row(1, 0, { machine: "status_word", target: "Pending" }), row(2, 0, { machine: "phase", target: "Pending" }));
  const names = ["status", "phase"].map((kind) => {
    const own = store.lanes.byId.get(`${kind}:pod/default/web`);
    return Object.keys(facts(card({ store }).ofSpan({ lane: own, span: own.spans[0] }, 9000))).at(-1);
  });
  assert.deepEqual(names, ["derived by kubectl from", "field"]);
});

test("what the API server cannot know better says so", () => {
  const [, running] = lane(APP).spans;
  assert.deepEqual([ofSpan(lane(APP), { ...running, data: { stale: true } }).disconnected === undefined, ofSpan(lane(APP), running).disconnected], [false, undefined]);
});

const events = () => lane("events:pod/default/web");
const ofMarks = (own, ...marks) => card().ofMarks({ lane: own, marks });

test("a mark tells when it was to the ms, where it is from, and how often it was counted", () => {
  const [counted, once, alone] = events().marks.map((mark) => facts(ofMarks(events(), mark)));
  assert.equal(alone.count, undefined);
  assert.deepEqual([counted.at, counted.source, counted.count], ["0:05.000", "kubelet", "3"]);
  assert.deepEqual([once.at, once.source, once.count], ["0:06.000", undefined, undefined]);
});

test("an attempt tells how long it took", () => {
  const probe = lane("probe/default/web/app/liveness");
  assert.equal(facts(ofMarks(probe, probe.marks[0])).for, "1 s");
});

test("marks in one place are counted by what they say, from the first to the last", () => {
  const cluster = ofMarks(events(), ...events().marks);
  assert.match(cluster[0].textContent, /3.*3 × Killing/);
  assert.equal(facts(cluster).at, "0:05.0 … 0:08.5");
});

test("an end that is known tells when it will be", () => {
  const told = ofMarks(lane(APP), { t: 4000, seq: 4, type: "known-end", text: "backoff", data: {}, until_ms: 12_000 });
  assert.equal(facts(told).until, "0:12.0");
  assert.match(told[0].textContent, /3 s/);
});

test("a card of the old future tells of its store, and how long is measured to where that is known", () => {
  const own = card();
  const phase = GHOST.store.lanes.byId.get("phase:pod/default/web");
  own.place = () => {};
  own.show({ isOld: true, lane: phase, span: phase.spans[0], marks: null }, { x: 0, y: 0 }, 9000);
  assert.equal(own.element.dataset.future, "old");
  assert.deepEqual(wordsOf(own.element.children, "hover-card__future"), ["▽ the old future"]);
  assert.equal(facts(own.element.children).for, "2 s");
  const hint = wordsOf(own.element.children, "hover-card__hint")[0];
  own.show({ isOld: false, lane: lane(APP), span: lane(APP).spans[1], marks: null }, { x: 0, y: 0 }, 9000);
  assert.deepEqual([own.element.dataset.future, wordsOf(own.element.children, "hover-card__future")], ["", []]);
  assert.notEqual(wordsOf(own.element.children, "hover-card__hint")[0], hint);
});

/** The position of a card of 200 × 100 px. */
function placed(point, { body = null, height = 100 } = {}) {
  const own = card();
  Object.assign(own.element, { offsetWidth: 200, offsetHeight: height });
  own.parent.querySelector = () => body;
  own.place(point);
  return own.element.style.set;
}

test("a card stands right below the pointer, on the other side where it has no room", () => {
  const at = (x, y) => placed({ x, y }).transform;
  assert.deepEqual([at(100, 100), at(784, 100), at(785, 100)], ["translate(116px, 118px)", "translate(800px, 118px)", "translate(571px, 118px)"]);
  assert.deepEqual([at(100, 382), at(100, 383), at(100, 490)], ["translate(116px, 400px)", "translate(116px, 271px)", "translate(116px, 378px)"]);
});

test("no card reaches over the left or the upper edge", () => {
  assert.equal(placed({ x: -50, y: 100 }).transform, "translate(4px, 118px)");
  assert.equal(placed({ x: 0, y: 95 }, { height: 480 }).transform, "translate(16px, 4px)");
});

test("a card that is kept open leaves what it is about in sight, and scrolls where it has no room", () => {
  const body = { offsetTop: 0, offsetHeight: 400 };
  assert.deepEqual(placed({ x: 100, y: 100, over: 30 }, { body }), { "max-height": "292px", transform: "translate(116px, 104px)" });
  assert.deepEqual(placed({ x: 900, y: 350, over: 30 }, { body }), { "max-height": "312px", transform: "translate(794px, 216px)" });
  assert.deepEqual(placed({ x: 100, y: 100, over: 80 }, { body, height: 350 }), { "max-height": "292px", transform: "translate(116px, 104px)" });
  assert.deepEqual(placed({ x: 100, y: 395, over: 380 }, { body, height: 350 })["max-height"], "90px");
});

test("the same marks are the same card though they are another group", () => {
  const own = card();
  const mark = {};
  own.target = [mark];
  assert.deepEqual([own.isSame([mark]), own.isSame([{}]), own.isSame({}), own.isSame(own.target)], [true, false, false, true]);
});

test("a card that is kept open lists the marks of its place, the newest of many", async () => {
  const own = card();
  own.place = () => {};
  const marks = Array.from({ length: 14 }, (_, index) => ({ t: 1000 * index, seq: 5, type: "Normal", text: "Killing", data: {} }));
  await own.pin({ lane: events(), marks, row: { y: 0, h: 20 } }, 5);
  assert.equal(wordsOf(own.element.children, "linkbtn").length, 12);
  assert.deepEqual([own.pinned, [...own.about]], [true, [5]]);
});

test("a card says why: the rule of the record, or else its cause, and a decision is no cause to tell of", () => {
  const caused = (kind) => {
    const cause = row(1, 0, { kind, machine: "phase", target: "Running" });
    const effect = row(2, 0, { machine: "phase", target: "Failed" });
    effect[8] = 1;
    const store = storeOf(cause, effect);
    return wordsOf(card({ store }).because(store.get(2)), "hover-card__because").length;
  };
  assert.deepEqual([caused("transition"), caused("decision"), wordsOf(card().because(STORE.get(1)), "hover-card__because").length, card().because(null).length], [1, 0, 0, 1]);
});

test("the line that an act was typed as is told of one act alone, of this run, while the card still shows it", async () => {
  const own = card({ store: storeOf(row(1, 0, { kind: "command", machine: "command", target: "accepted" }), row(2, 10)) });
  const asked = [];
  const places = [];
  own.typed = /** @type {any} */ ({ of: async (seq, head) => (asked.push([seq, head]), "kubectl delete pod web"), element: (line) => line });
  own.place = () => places.push(1);
  own.element = /** @type {any} */ ({ querySelector: (selector) => (selector === ".hover-card__title" ? { after: (line) => told.push(line) } : null) });
  const told = [];
  own.store = own.run.store;
  for (const hit of [{ marks: [{ seq: 1 }], isOld: true }, { marks: [{ seq: 1 }, { seq: 2 }] }, { marks: [{ seq: 2 }] }, {}]) await own.tellTyped(hit, { x: 0, y: 0 });
  assert.deepEqual([asked, told], [[], []]);
  await own.tellTyped({ marks: [{ seq: 1 }] }, { x: 0, y: 0 });
  assert.deepEqual([asked, told, places], [[[1, 2]], ["kubectl delete pod web"], [1]]);
  const late = own.tellTyped({ marks: [{ seq: 1 }] }, { x: 0, y: 0 });
  own.target = /** @type {any} */ ("another");
  await late;
  assert.equal(told.length, 1);
});

test("from a record one can go to its causes, where there is a drawer to show them, and to the documentation", () => {
  const ways = (run, record) => {
    const own = card(run);
    const title = Object.assign(new FakeElement("p"), { className: "hover-card__title" });
    own.element.append(title);
    own.linkOn(record);
    return title.children[0].children.map(({ tag, attributes }) => `${tag} ${attributes["data-rec"] ?? attributes.href}`);
  };
  takeRules({ rules: {}, docs: { "A-RULE": "/docs" }, headlines: {}, acts: {} });
  const record = STORE.get(3);
  assert.deepEqual([ways({ drawer: {} }, record), ways({}, record), ways({ drawer: {} }, undefined)], [["button 3", "a /docs"], ["a /docs"], []]);
  takeRules({ rules: {}, docs: {}, headlines: {}, acts: {} });
  assert.deepEqual(ways({ drawer: {} }, record), ["button 3"]);
});
