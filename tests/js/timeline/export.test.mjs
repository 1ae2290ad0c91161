import assert from "node:assert/strict";
import { before, mock, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { LATER_MESSAGES } from "../../../static/js/later/messages.js";
import { cutTo, savePng, saveSvg } from "../../../static/js/timeline/export.js";
import { FakeElement } from "../page.mjs";
import { pen } from "../picture.mjs";

/** The saved files. */
const saved = [];

before(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  addTexts(LATER_MESSAGES);
  globalThis.document.createElement = /** @type {any} */ ((tag) => Object.assign(new FakeElement(tag), { click() { saved.push(this); }, getContext: () => ({ fillStyle: "" }) }));
  Object.assign(globalThis.document, { body: new FakeElement("body"), documentElement: { lang: "en" }, title: "Podscope" });
  globalThis.URL.createObjectURL = (blob) => blob;
});

const span = (t0, t1, tone, text) => ({ t0, t1, seq: 1, tone, text, data: {} });
const lane = (kind, more = {}) => ({ id: kind, kind, subject: "pod/default/web", pod: "default/web", name: "app", group: "app", spans: [], marks: [], flags: [], hooks: [], node: [], endings: new Map(), ...more });
const row = (own, y, more = {}) => ({ lane: own, y, rest_y: y, h: 40, old_h: 0, old: null, depth: 2, isPinned: false, isTwin: false, isOld: false, ...more });

/** A timeline with a pod, its phase and its Events, at 500 ms. */
function timeline(more = {}) {
  const { viewport, palette } = pen();
  const lanes = { commands: [], imported_ms: null, pods: new Map([["default/web", {}]]) };
  const visible = [row(lane("status", { spans: [span(0, Infinity, "ready", "Running")] }), 0, { depth: 1 }), row(lane("phase", { spans: [span(0, Infinity, "failed", "Failed")] }), 40), row(lane("events"), 80)];
  return {
    viewport,
    palette,
    visible,
    rows: visible,
    size: { top: 0 },
    top: { height: 500 },
    body: { scrollTop: 0 },
    labels: { width: () => 200 },
    view: { isOldShown: false },
    stretch: { chosen: null },
    gestures: {},
    clock: { text: (t_ms) => String(t_ms) },
    hover_ms: 100,
    focus: "",
    selected: null,
    groups: new Map(),
    targets: new Map(),
    run: { clock: { running: true }, ghost: null, playhead: { t_ms: 500, end_ms: 1000, live: true }, store: { lanes, pending: () => [] } },
    ...more,
  };
}

/** The picture as SVG. */
async function svg(own = timeline()) {
  saved.length = 0;
  saveSvg(own);
  return saved[0].href.text();
}
const text = (picture, words) => new RegExp(`<text x="([\\d.]+)"[^>]*font-size="([\\d.]+)" font-weight="(\\d+)"[^>]*>${words}</text>`).exec(picture)?.slice(1) ?? null;

test("a picture is as wide as the names and the lanes, and as high as the lanes on screen", async () => {
  const size = async (more) => /width="(\d+)" height="(\d+)"/.exec(await svg(timeline(more))).slice(1, 3);
  assert.deepEqual([await size(), await size({ top: { height: 100 } }), await size({ body: { scrollTop: 30 } })], [["1200", "180"], ["1200", "154"], ["1200", "150"]]);
});

test("its file is named by the moment", async () => {
  await svg();
  assert.equal(saved[0].download, "timeline-0-00.5.svg");
});

test("its description says what each lane shows, but for Events and lanes that stand twice", async () => {
  const own = timeline();
  own.visible[1].isTwin = true;
  const [, desc] = /<desc id="d">(.*?)<\/desc>/.exec(await svg(own));
  assert.match(desc, /^1 pod at 0:00\.5\. default\/web: Running$/);
});

test("its description names a pod's lane by the pod, any other by its own name, a pinned one by both", async () => {
  const own = timeline();
  own.visible = [row(lane("status"), 0, { depth: 1 }), row(lane("phase", { name: "phase" }), 40), row(lane("container", { name: "app" }), 80, { isPinned: true })];
  const [, lanes] = /<desc id="d">1 pod at 0:00\.5\. (.*?)<\/desc>/.exec(await svg(own));
  assert.deepEqual(lanes.split("; ").map((each) => each.split(":")[0]), ["default/web", "phase", "web ▸ app"]);
});

test("names of pods and containers are larger, those of parts stand further in", async () => {
  const picture = await svg(timeline());
  assert.deepEqual([text(picture, "web"), text(picture, "phase")], [["12", "13", "640"], ["28", "12", "450"]]);
});

test("what lanes say stands beside their names, with a dot of their tone", async () => {
  const picture = await svg();
  assert.deepEqual(text(picture, "Running"), ["188", "11", "560"]);
  assert.equal(picture.split('fill="ready"').length > 1, true);
});

test("names of pods and containers, and what a pod's lane says, are in the colour of texts, all else is muted", async () => {
  const own = timeline();
  own.visible.push(row(lane("container", { name: "app", spans: [span(0, Infinity, "ready", "Started")] }), 120));
  const picture = await svg(own);
  const colour = (words) => new RegExp(`fill="(\\w+)"[^>]*>${words}</text>`).exec(picture)?.[1];
  assert.deepEqual(["web", "Running", "app", "Started", "phase", "Failed"].map(colour), ["text", "text", "text", "muted", "muted", "muted"]);
});

test("a lane that shows nothing has no dot", async () => {
  const dots = async (tone) => {
    const own = timeline();
    own.visible = [row(lane("phase", { spans: [span(0, Infinity, tone, "x")] }), 0)];
    return (await svg(own)).split("a3.5 3.5 0 1 0 7 0").length - 1;
  };
  assert.deepEqual([await dots("ready"), await dots("absent")], [1, 0]);
});

test("a picture that begins before the run says that it begins with it", async () => {
  const own = timeline();
  own.viewport.start_ms = -500;
  assert.match(await svg(own), /<title id="t">[^<]*from 0:00 to 0:00/);
  own.viewport.show(61_000, 122_000);
  assert.match(await svg(own), /<title id="t">[^<]*from 1:01 to 2:02/);
});

test("a name too long is cut", async () => {
  const own = timeline();
  own.visible = [row(lane("container", { name: "a".repeat(80) }), 0)];
  assert.match(await svg(own), />a{5,40}…<\/text>/);
});

test("the line under the pointer is not in a picture, the playhead is", async () => {
  const picture = await svg();
  assert.deepEqual([picture.includes("M100 0L100"), picture.includes("M500 0L500")], [false, true]);
});

test("a picture of a stretch shows that alone, as wide as the lanes are on screen", () => {
  const own = timeline();
  const cut = cutTo(own, { from_ms: 100, to_ms: 700 });
  assert.deepEqual([cut.viewport.range(), cut.viewport.width, cut.stretch.chosen, cut.palette === own.palette, own.viewport.range()], ["100:700", 1000, null, true, "0:1000"]);
});

test("a browser that cannot draw says so", () => {
  const told = [];
  globalThis.window = /** @type {any} */ ({ setTimeout() {} });
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "#toasts" ? { children: [], append: ({ attributes }) => told.push(attributes["data-tone"]) } : null));
  globalThis.document.createElement = /** @type {any} */ ((tag) => Object.assign(new FakeElement(tag), { getContext: () => null }));
  savePng(timeline());
  assert.deepEqual(told, ["bad"]);
});
