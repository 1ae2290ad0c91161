import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

/** @type {any[]} */
let lines = [];
/** @type {Record<string, ((event?: object) => void)[]>} the page's, by event */
let listeners = {};
const listen = (name, listener) => (listeners[name] ??= []).push(listener);
const happen = (name, event) => listeners[name].forEach((listener) => listener(event));
let random = 0.5;

class Line {
  static OPEN = 1;
  constructor(url) {
    Object.assign(this, { url, readyState: 0, sent: [], closed: 0 });
    lines.push(this);
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  say(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }

  send(words) {
    this.sent.push(JSON.parse(words));
  }

  close(code = 1005) {
    this.closed = code;
  }
}

Object.assign(globalThis, { window: globalThis, WebSocket: Line, location: { protocol: "http:", host: "here" }, addEventListener: listen });
globalThis.document.addEventListener = listen;
const { RunSocket } = await import("../../../static/js/wire/run-socket.js");

beforeEach(() => {
  lines = [];
  listeners = {};
  random = 0.5;
  globalThis.location.protocol = "http:";
  globalThis.document.hidden = false;
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  mock.method(Math, "random", () => random);
});

/** A page that holds this many records; `told` has the calls of its handlers. */
function page(held = 0) {
  const told = [];
  const state = { held };
  const tell = (what) => (value) => told.push(`${what} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  const handlers = {
    headSeq: () => state.held,
    onRecords: (rows) => {
      told.push(`rows ${rows.map(([seq]) => seq)}`);
      state.held = Math.max(state.held, ...rows.map(([seq]) => seq));
    },
    onClock: tell("clock"),
    onHello: tell("hello"),
    onPresence: tell("viewers"),
    onState: tell("state"),
    onRefused: tell("refused"),
  };
  const socket = new RunSocket({ socketPath: "/ws/", recordsUrl: "/records/", handlers });
  socket.start();
  return { told, socket, state };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const records = (from, to) => ({ type: "records", from, to, now_ms: 5, records: Array.from({ length: to - from }, (_, index) => [from + index + 1]) });

test("a line is asked for what the page does not hold, over TLS where the page is", () => {
  page(7);
  globalThis.location.protocol = "https:";
  page(0);
  assert.deepEqual(lines.map(({ url }) => url), ["ws://here/ws/?since=7", "wss://here/ws/?since=0"]);
});

test("rows are handed over once, and what a frame brings again is left out", async () => {
  const { told } = page(2);
  lines[0].open();
  lines[0].say(records(0, 4));
  lines[0].say(records(4, 5));
  await settled();
  assert.deepEqual(told.filter((words) => words.startsWith("rows")), ["rows 3,4", "rows 5"]);
});

test("a frame that begins later than the page stands is completed first, one that begins there is not", async (context) => {
  const asked = [];
  context.mock.method(globalThis, "fetch", async (url) => {
    asked.push(url);
    return { ok: false, status: 503, json: async () => ({}), headers: new Map() };
  });
  const { socket } = page(2);
  lines[0].open();
  lines[0].say(records(2, 3));
  await settled();
  assert.deepEqual(asked, []);
  lines[0].say(records(5, 6));
  await settled();
  assert.equal(asked.length > 0, true);
  socket.stop();
});

test("frames are acknowledged together: after some, or after a while", async () => {
  page(0);
  lines[0].open();
  const acks = () => lines[0].sent.filter(({ ack }) => ack !== undefined).map(({ ack }) => ack);
  lines[0].say(records(0, 1));
  await settled();
  assert.deepEqual(acks(), []);
  mock.timers.tick(250);
  assert.deepEqual(acks(), [1]);
  for (let seq = 1; seq < 6; seq += 1) lines[0].say(records(seq, seq + 1));
  await settled();
  assert.deepEqual(acks(), [1, 5]);
});

test("what the hello spoke of is fetched where it does not come, and nothing where all of it is there", async (context) => {
  const asked = [];
  context.mock.method(globalThis, "fetch", async (url) => {
    asked.push(url);
    return { ok: false, status: 503 };
  });
  const { socket } = page(2);
  lines[0].open();
  for (const [head_seq, count] of [[2, 0], [3, 1]]) {
    lines[0].say({ type: "hello", head_seq });
    await settled();
    mock.timers.tick(4000);
    await settled();
    assert.equal(asked.length, count);
  }
  socket.stop();
});

test("what the server says is handed on by its kind, and what is not known is left", async () => {
  const { told } = page();
  lines[0].open();
  for (const frame of [{ type: "hello", head_seq: 0 }, { type: "clock", now_ms: 5 }, { type: "presence", viewers: 3 }, { type: "other" }]) lines[0].say(frame);
  await settled();
  assert.deepEqual(told.slice(2), ['hello {"type":"hello","head_seq":0}', 'clock {"type":"clock","now_ms":5}', "viewers 3"]);
});

test("why a line was closed is told once until a line is sound again", () => {
  const { told, socket } = page();
  const refused = () => told.filter((words) => words.startsWith("refused"));
  const lose = (code) => {
    lines.at(-1).onclose({ code });
    mock.timers.tick(60_000);
  };
  lose(1006);
  assert.deepEqual(refused(), []);
  lose(4013);
  lose(4013);
  assert.deepEqual(refused(), ["refused 4013"]);
  lines.at(-1).open();
  for (let beat = 0; beat < 3; beat += 1) {
    mock.timers.tick(10_000);
    lines.at(-1).say({ type: "clock" });
  }
  lose(4013);
  assert.deepEqual(refused(), ["refused 4013", "refused 4013"]);
  socket.stop();
});

test("tries come at doubling bounds, with a least and a most", () => {
  const { socket } = page();
  socket.stop();
  const waits = (share) => {
    random = share;
    socket.attempt = 0;
    return Array.from({ length: 9 }, () => socket.backoff());
  };
  assert.ok(waits(0).every((wait_ms) => wait_ms === 150));
  assert.deepEqual(waits(1), [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
});

test("a run that is gone is not asked for again, and a site that is crowded less often", () => {
  const gone = page();
  lines[0].onclose({ code: 4004 });
  mock.timers.tick(600_000);
  assert.deepEqual([gone.told.at(-1), lines.length], ["state frozen", 1]);
  const crowded = page();
  lines[1].onclose({ code: 4009 });
  assert.equal(crowded.socket.attempt, 6);
  crowded.socket.stop();
});

test("a hidden tab stops trying after some times, and goes on when it is looked at", () => {
  const { socket } = page();
  const tried = () => lines.length;
  globalThis.document.hidden = true;
  for (let turn = 0; turn < 6; turn += 1) {
    lines.at(-1).onclose({ code: 1006 });
    mock.timers.tick(120_000);
  }
  const stopped = tried();
  assert.equal(stopped, 4);
  mock.timers.tick(600_000);
  assert.equal(tried(), stopped);
  globalThis.document.hidden = false;
  happen("visibilitychange");
  mock.timers.tick(5000);
  assert.ok(tried() > stopped);
  socket.stop();
});

test("a page that is left holds no line, and has one again when it is shown", () => {
  page();
  lines[0].open();
  happen("pagehide");
  assert.deepEqual([lines[0].closed, lines.length], [1000, 1]);
  mock.timers.tick(60_000);
  assert.equal(lines.length, 1);
  happen("pageshow", { persisted: false });
  assert.equal(lines.length, 1);
  happen("pageshow", { persisted: true });
  assert.equal(lines.length, 2);
});
