import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { addTexts } from "../../../static/js/base/i18n.js";
import { CLASS_MESSAGES } from "../../../static/js/classroom/messages.js";
import { ClassWork } from "../../../static/js/classroom/together.js";
import { FakeElement, makeElements } from "../page.mjs";

/** The requests to the site and its answers; the page's messages; where it goes. */
let asked;
let answers;
let told;
let gone;
let kept;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  makeElements();
  addTexts(CLASS_MESSAGES);
  [asked, answers, told, gone, kept] = [[], [], [], [], {}];
  globalThis.Text = /** @type {any} */ (class {});
  globalThis.window = /** @type {any} */ (globalThis);
  globalThis.location = /** @type {any} */ ({ pathname: "/r/teacher/", assign: (url) => gone.push(url) });
  globalThis.sessionStorage = /** @type {any} */ ({ getItem: (name) => kept[name] ?? null, setItem: (name, value) => (kept[name] = value) });
  globalThis.document.body = /** @type {any} */ ({ dataset: {} });
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "#toasts" ? { children: [], append: ({ attributes, textContent }) => told.push(`${attributes["data-tone"]}: ${textContent}`) } : null));
  globalThis.fetch = /** @type {any} */ (async (url, { body } = {}) => {
    asked.push(`${url} ${body ?? ""}`.trimEnd());
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) throw answer;
    return typeof answer === "number" ? { ok: answer < 400, status: answer, json: async () => ({ text: "no" }) } : { ok: true, status: 200, json: async () => answer };
  });
});

afterEach(() => mock.timers.reset());

const me = (more = {}) => ({ name: "Ann", hand: false, run: "", apart: false, start: 0, begun: false, wait_ms: 0, ask: null, ...more });
const ask = (more = {}) => ({ id: 4, question: "What?", choices: ["yes", "no"], round: 1, open: true, mine: null, right: null, counts: [], ...more });
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

function together(known = null) {
  const classroom = { code: "abc", page: { main: { dataset: { run: "r1" } } }, alone: () => gone.push("alone") };
  const own = new ClassWork(classroom);
  if (known) own.take(known);
  return own;
}
/** Every element below some of these, in order. */
const all = (elements) => elements.flatMap((each) => (each instanceof FakeElement ? [each, ...all(each.children)] : []));
const ofTag = (own, tag) => all([own.panel]).filter((each) => each.tag === tag);

test("news of the class are asked for once, and not by who leads it", async () => {
  const own = together();
  for (const room of [{ leads: true, news: 1 }, { leads: false, news: 1 }, { leads: false, news: 1 }, { leads: false, news: 2 }]) own.onRoom(room);
  await settled();
  assert.deepEqual(asked, ["/class/abc/me/?run=r1", "/class/abc/me/?run=r1"]);
});

test("a page that is told of its own run goes there when it is its turn, and asks for nothing", async () => {
  const own = together();
  own.onRoom({ leads: false, news: 3, own: { url: "/r/mine/", start: 2, wait_ms: 40 } });
  mock.timers.tick(39);
  assert.deepEqual(gone, []);
  mock.timers.tick(1);
  await settled();
  assert.deepEqual([asked, gone, kept], [[], ["alone", "/r/mine/"], { "podscope.class.start": "abc:2" }]);
  own.onRoom({ leads: false, news: 4, own: { url: "/r/mine/", start: 2, wait_ms: 0 } });
  await settled();
  assert.deepEqual([asked.length, gone.length], [1, 2]);
});

test("a page whose run is made already goes there without asking for it", async () => {
  together(me({ apart: true, start: 2, begun: true, run: "/r/mine/", wait_ms: 20 }));
  mock.timers.tick(20);
  await settled();
  assert.deepEqual([asked, gone], [[], ["alone", "/r/mine/"]]);
});

test("a page says twice a minute that it is there", async () => {
  together().ask();
  await settled();
  mock.timers.tick(29_999);
  assert.equal(asked.length, 1);
  mock.timers.tick(1);
  assert.equal(asked.length, 2);
});

test("who has no name is asked for it, and then has a hand to raise and a run to go to", () => {
  const parts = (known) => (({ joining, hand, mine }) => [joining.hidden, hand.hidden, mine.hidden])(together(known));
  assert.deepEqual(parts(null), [true, true, true]);
  assert.deepEqual(parts(me({ name: "" })), [false, true, true]);
  assert.deepEqual(parts(me({ run: "/r/mine/" })), [true, false, false]);
  assert.deepEqual(parts(me({ run: "/r/teacher/" })), [true, false, true]);
});

test("a hand that is up is taken down by the same button", async () => {
  for (const [hand, sent, words] of [[false, "1", "class.hand"], [true, "0", "class.hand_down"]]) {
    const own = together(me({ hand }));
    answers.push(me({ hand: !hand }));
    assert.deepEqual([own.hand.attributes["aria-pressed"], own.hand.textContent], [String(hand), CLASS_MESSAGES[words]]);
    own.hand.listeners.click();
    await settled();
    assert.equal(asked.at(-1), `/class/abc/me/ hand=${sent}`);
    assert.equal(own.hand.attributes["aria-pressed"], String(!hand));
  }
});

test("a vote is sent with its question, and the page says that it counts", async () => {
  const own = together(me({ ask: ask() }));
  const [form] = ofTag(own, "form");
  form.querySelectorAll = () => [{ checked: false }, { checked: true }];
  answers.push(me({ ask: ask({ mine: 1 }) }));
  form.listeners.submit({ preventDefault() {} });
  await settled();
  assert.deepEqual([asked, told], [["/class/abc/vote/ ask=4&choice=1"], [`ok: ${CLASS_MESSAGES["class.voted"]}`]]);
  form.querySelectorAll = () => [{ checked: false }, { checked: false }];
  form.listeners.submit({ preventDefault() {} });
  await settled();
  assert.equal(asked.length, 1);
});

test("each answer can be voted for, the first as well", async () => {
  for (const choice of [0, 1]) {
    const [form] = ofTag(together(me({ ask: ask() })), "form");
    form.querySelectorAll = () => [0, 1].map((n) => ({ checked: n === choice }));
    form.listeners.submit({ preventDefault() {} });
    await settled();
    assert.equal(asked.filter((each) => each.includes("vote")).at(-1), `/class/abc/vote/ ask=4&choice=${choice}`);
  }
});

test("a vote that is refused is told in the site's words, and nothing is said to count", async () => {
  const own = together(me({ ask: ask() }));
  answers.push(409);
  await own.vote(0);
  answers.push(new TypeError("no line"));
  await own.vote(0);
  assert.deepEqual(told, ["bad: no", `bad: ${CLASS_MESSAGES["class.failed"]}`]);
});

test("what was chosen is marked, and who has no name may only look", () => {
  const inputs = (own) => ofTag(own, "input").map(({ attributes }) => ["checked" in attributes, "disabled" in attributes]);
  assert.deepEqual(inputs(together(me({ ask: ask({ mine: 1 }) }))), [[false, false], [true, false]]);
  assert.deepEqual(inputs(together(me({ name: "", ask: ask() }))), [[false, true], [false, true]]);
});

test("a vote says whether it was given, is given alone or once more", () => {
  const says = (known) => ofTag(together(known), "small")[0].textContent;
  const words = (...names) => names.map((name) => CLASS_MESSAGES[`class.${name}`]);
  assert.deepEqual([me({ name: "", ask: ask({ mine: 1 }) }), me({ ask: ask({ mine: 0, round: 2 }) }), me({ ask: ask({ round: 2 }) }), me({ ask: ask() })].map(says), words("vote_name", "vote_given", "vote_again", "vote_alone"));
});

test("a vote that is closed shows how often each answer was given, the own one and the right one marked", () => {
  const rows = (more) => ofTag(together(me({ ask: ask({ open: false, counts: [[3, 1]], ...more }) })), "tr").map(({ attributes, textContent }) => [textContent.trim(), "data-mine" in attributes, "data-right" in attributes]);
  assert.deepEqual(rows({}), [["yes 3", false, false], ["no 1", false, false]]);
  const [yes, no] = rows({ mine: 0, right: 1 });
  assert.deepEqual([yes.slice(1), no.slice(1), no[0].startsWith("✓ no (")], [[true, false], [false, true], true]);
});

test("two rounds stand beside each other, by the scale of the greatest count", () => {
  const own = together(me({ ask: ask({ open: false, counts: [[3, 1], [0, 5]] }) }));
  assert.deepEqual(ofTag(own, "progress").map(({ attributes: { max, value } }) => `${value}/${max}`), ["3/5", "0/5", "1/5", "5/5"]);
  assert.equal(ofTag(own, "th").filter(({ attributes }) => attributes.scope === "col").length, 2);
  const none = together(me({ ask: ask({ open: false, counts: [[0, 0]] }) }));
  assert.deepEqual(ofTag(none, "progress").map(({ attributes: { max } }) => max), ["1", "1"]);
});

test("who is sent to a run of their own asks for it when it is their turn, and once", async () => {
  const own = together();
  own.take(me({ apart: true, start: 2, wait_ms: 700 }));
  own.take(me({ apart: true, start: 2, wait_ms: 700 }));
  answers.push({ url: "/r/mine/", start: 2 });
  mock.timers.tick(699);
  assert.deepEqual(asked, []);
  mock.timers.tick(1);
  await settled();
  assert.deepEqual([asked, gone, kept], [["/class/abc/mine/"], ["alone", "/r/mine/"], { "podscope.class.start": "abc:2" }]);
  own.take(me({ apart: true, start: 2 }));
  mock.timers.tick(1000);
  assert.equal(asked.length, 1);
});

test("who has no name, or is there already, is sent nowhere", async () => {
  together(me({ name: "", apart: true, start: 2 }));
  together(me({ apart: false, start: 2 }));
  mock.timers.tick(1000);
  assert.deepEqual(asked, []);
  answers.push({ url: "/r/teacher/", start: 3 });
  together(me({ apart: true, start: 3 }));
  mock.timers.tick(0);
  await settled();
  assert.deepEqual(gone, ["alone"]);
});

test("a site that is busy is asked again every three seconds, twenty times, and then says so", async () => {
  const own = together(me());
  answers.push(429, 503, new TypeError("no line"), ...Array(18).fill(503));
  own.begin();
  for (let turn = 0; turn < 30; turn += 1) {
    await settled();
    mock.timers.tick(3000);
  }
  assert.deepEqual([asked.length, told, gone], [21, ["bad: no"], []]);
});
