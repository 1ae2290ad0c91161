import assert from "node:assert/strict";
import { before, test } from "node:test";

import { Labels } from "../../../static/js/timeline/labels.js";
import { saidOf, wholeName } from "../../../static/js/timeline/pins.js";
import { FakeElement, makeElements, wordsOf } from "../page.mjs";

before(() => {
  makeElements();
  globalThis.Element = /** @type {any} */ (FakeElement);
  globalThis.HTMLElement = /** @type {any} */ (FakeElement);
  globalThis.Text = /** @type {any} */ (class {});
});

const lane = (kind, more = {}) => ({ id: `${kind}:1`, kind, subject: "container/default/web/app", pod: "default/web", name: "app", group: "app", spans: [], marks: [], ...more });
const row = (own, more = {}) => ({ lane: own, y: 10, rest_y: 10, h: 20, depth: 2, hidden: 0, old: null, old_h: 0, isPinned: false, isTwin: false, isOld: false, pod: { key: "default/web" }, ...more });

/** The labels of a page that has a server for panels. */
function labels({ folded = false, open = [], logs = false, panelBase = "/at/" } = {}) {
  const view = { isFolded: () => folded, open: new Set(open), showsLogs: () => logs, isGoneOpen: true };
  const ghost = { names: { old: "main" }, from_ms: 100 };
  return new Labels(new FakeElement("div"), { view, run: { panelBase, ghost }, fold: null, rows: [], choices: {} });
}
const built = (own, more, view) => labels(view).build(row(own, more)).element;
const fold = (element) => {
  const button = element.children.find(({ className }) => className === "lane-label__fold");
  return button ? `${button.attributes["data-fold"]} ${button.attributes["data-pod"]} ${button.attributes["aria-expanded"]}` : "";
};

test("a label stands where its row rests, and says what kind of lane it is", () => {
  const { attributes, style } = built(lane("phase"), { y: 500 });
  assert.deepEqual([attributes["data-kind"], attributes["data-depth"], style.set.top, style.set.height], ["phase", "2", "10px", "20px"]);
});

test("a pod, a workload of several and a node are folded and unfolded at their own label", () => {
  assert.deepEqual([fold(built(lane("status"), { depth: 1 })), fold(built(lane("status"), { depth: 1 }, { folded: true })), fold(built(lane("node"), { depth: 1 })), fold(built(lane("phase")))], ["collapsed default/web true", "collapsed default/web false", "collapsed default/web true", ""]);
});

test("requests are folded where they are a group, and have no lines of their own below one", () => {
  assert.deepEqual([1, 2].map((depth) => fold(built(lane("requests"), { depth }))), ["collapsed default/web true", ""]);
  assert.equal(fold(built(lane("probe"), { depth: 1 })), "");
});

test("the lines of a container are shown at its label, not those of the old future or without a server", () => {
  assert.deepEqual([fold(built(lane("container"))), fold(built(lane("container"), {}, { logs: true })), fold(built(lane("container"), { isOld: true })), fold(built(lane("container"), {}, { panelBase: "" }))], ["logs container/default/web/app false", "logs container/default/web/app true", "", ""]);
});

test("conditions that are hidden are shown at Ready, and hidden again", () => {
  const ready = lane("condition", { name: "Ready" });
  assert.deepEqual([fold(built(ready, { hidden: 3 })), fold(built(ready, { hidden: 0 })), fold(built(ready, { hidden: 0 }, { open: ["default/web"] })), fold(built(ready, { hidden: 3, depth: 3 }))], ["open default/web false", "", "open default/web true", ""]);
});

test("a pinned lane has a pin in place of what folds it, and the name of its pod", () => {
  const pinned = built(lane("container"), { isPinned: true });
  assert.deepEqual([fold(pinned), pinned.dataset.pinned, wordsOf([pinned], "lane-label__owner")], ["", "part", ["web"]]);
  assert.equal(pinned.children[0].attributes["data-unpin"], "container:1");
  const whole = built(lane("status"), { isPinned: true });
  assert.deepEqual([whole.dataset.pinned, wordsOf([whole], "lane-label__owner")], ["whole", []]);
});

test("a twin, an old lane and one of two futures are marked", () => {
  assert.deepEqual([{}, { isTwin: true }, { isOld: true }, { old: lane("phase"), old_h: 12 }].map((more) => built(lane("phase"), more).dataset), [{}, { twin: "true" }, { future: "old" }, { future: "both" }]);
  assert.deepEqual(wordsOf([built(lane("phase"), { isOld: true })], "lane-label__badge"), ["▽ main"]);
});

test("the focused lane is marked, when its label is built and when the focus moves", () => {
  const own = labels();
  own.focus = "phase:1";
  assert.deepEqual([own.build(row(lane("phase"))).element.attributes["data-focus"], own.build(row(lane("status"))).element.attributes["data-focus"]], ["true", "false"]);
  own.shown.set("a", own.build(row(lane("status"))));
  own.mark("status:1");
  assert.equal(own.shown.get("a").element.dataset.focus, "true");
});

test("a name that is cut keeps its end where that tells pods apart", () => {
  const tail = (own) => wordsOf([built(own)], "lane-label__tail");
  assert.deepEqual([tail(lane("status", { pod: "default/web-6d5f-x7k2p" })), tail(lane("workload", { name: "web-6d5f" })), tail(lane("container", { name: "web-x7k2p" })), tail(lane("status", { pod: "default/web" }))], [["-x7k2p"], ["-6d5f"], [], []]);
});

test("a badge says what is special to a lane", () => {
  const badge = (own) => wordsOf([built(own)], "lane-label__badge").length;
  assert.deepEqual([badge(lane("workload", { group: "Job" })), badge(lane("requests", { group: "Service" })), badge(lane("requests")), badge(lane("container")), badge(lane("container", { group: "init" })), badge(lane("probe", { group: "init" }))], [1, 1, 0, 0, 1, 0]);
});

test("a lane is filled with what it says at the moment, and with its tone once", () => {
  const own = labels();
  const element = new FakeElement("span");
  own.fill(element, lane("phase", { spans: [{ t0: 0, t1: 100, tone: "ready", text: "Running", data: {} }] }), 50);
  assert.deepEqual([element.textContent, element.dataset.tone], ["Running", "ready"]);
});

test("what the Tab key stops at is worked out again when labels have come, and only then", async () => {
  let asked = 0;
  globalThis.requestAnimationFrame = /** @type {any} */ ((task) => ((asked += 1), task()));
  const own = labels();
  const [first, second] = [row(lane("phase"), { y: 0 }), row(lane("status"), { y: 20 })];
  const after = async (...rows) => {
    Object.assign(own.timeline, { rows, stuck: 0, element: { querySelectorAll: () => [] } });
    own.show(50, { top: 0, height: 100 });
    await new Promise((resolve) => setTimeout(resolve));
    return [asked, [...own.shown.values()].map(({ element }) => element.attributes["data-kind"])];
  };
  assert.deepEqual([await after(first), await after(first), await after(first, second), await after(second)], [[1, ["phase"]], [1, ["phase"]], [2, ["phase", "status"]], [2, ["status"]]]);
});

test("what the old future says is told from where the futures part", () => {
  const own = labels();
  const old = lane("phase", { spans: [{ t0: 0, t1: Infinity, tone: "failed", text: "Failed", data: {} }] });
  const { element } = own.build(row(lane("phase"), { old, old_h: 12 }));
  const told = (t_ms) => {
    own.fillOld(element, old, t_ms);
    return wordsOf([element], "lane-label__old")[0];
  };
  assert.notEqual(told(100), told(99));
  assert.match(told(100), /Failed/);
});

test("a lane is named with its owner where its name does not say whose it is", () => {
  const names = [lane("status"), lane("container"), lane("probe", { subject: "probe/default/web/app/liveness", name: "liveness" }), lane("part", { pod: "", subject: "node/n1", name: "kubelet" }), lane("requests", { pod: "", subject: "requests/default/shop/web", name: "web", group: "app" }), lane("requests", { pod: "", subject: "service/default/shop", name: "shop", group: "Service" }), lane("workload", { pod: "", subject: "deployment/default/api", name: "api" })].map((own) => wholeName(own, own.name));
  assert.deepEqual(names, ["app", "web ▸ app", "web ▸ app ▸ liveness", "n1 ▸ kubelet", "shop ▸ web", "shop", "api"]);
});

test("a pinned lane is said to be one", () => assert.notEqual(saidOf("web", { isPinned: true }), saidOf("web", {})));

/** The effect of a click on a label, and which button gets the focus back. */
function click(dataset, { old = null } = {}) {
  const done = [];
  const button = (fold, pod) => ({ dataset: { fold, pod }, focus: () => done.push(`focus ${fold} ${pod}`) });
  const run = { store: { lanes: { byId: new Map([["status:a", { subject: "pod/default/a" }]]) } }, select: (subject) => done.push(`select ${subject}`), ghost: { names: { old: "main" } } };
  const choices = { pin: (lane) => done.push(`pin ${lane}`), toggle: (fold, pod) => done.push(`toggle ${fold} ${pod}`) };
  const clicked = new Labels(new FakeElement("div"), { view: {}, run, rows: old ? [{ lane: old }] : [], choices, draw: () => done.push("draw"), overlays: [] });
  clicked.holder = /** @type {any} */ ({ querySelectorAll: () => [button("logs", "a"), button("open", "b"), button("open", "a")] });
  clicked.tellOld = (found) => done.push(`old ${found?.id}`);
  const target = dataset && Object.assign(new FakeElement("button"), { dataset });
  clicked.clicked(/** @type {any} */ ({ target: Object.assign(new FakeElement("span"), { closest: () => target }) }));
  return done;
}

test("a click on a label chooses its lane, unpins it or folds what is below, and the focus stays on its button", () => {
  assert.deepEqual(click({ lane: "status:a" }), ["select pod/default/a"]);
  assert.deepEqual(click({ unpin: "status:a", lane: "status:a" }), ["pin status:a"]);
  assert.deepEqual(click({ fold: "open", pod: "a" }), ["toggle open a", "draw", "focus open a"]);
});

test("a click beside the labels does nothing, and one on a lane that is gone tells whose it was", () => {
  assert.deepEqual(click(null), []);
  assert.deepEqual(click({ lane: "status:old" }, { old: { id: "status:old" } }), ["old status:old"]);
});
