import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

let now_ms = 0;
/** @type {any[]} */
let lines = [];
/** @type {Record<string, () => void>} the page's, by event */
const listeners = {};

class Line {
  static OPEN = 1;
  constructor(url) {
    this.url = url;
    this.readyState = 0;
    this.closed = false;
    lines.push(this);
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  say(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }

  send() {}

  close() {
    this.closed = true; // a dead connection never reports that it is closed
  }
}

Object.assign(globalThis, {
  window: globalThis,
  WebSocket: Line,
  location: { protocol: "http:", host: "here" },
  addEventListener: (name, listener) => (listeners[name] = listener),
});
const { RunSocket } = await import("../../../static/js/wire/run-socket.js");

/** Let time pass, a second at a time. @param {number} seconds */
function pass(seconds) {
  for (let second = 0; second < seconds; second += 1) {
    now_ms += 1000;
    mock.timers.tick(1000);
  }
}

function connected() {
  const states = [];
  const handlers = { headSeq: () => 0, onState: (state) => states.push(state), onClock: () => {}, onRefused: () => {}, onHello: () => {} };
  const socket = new RunSocket({ socketPath: "/ws/", recordsUrl: "", handlers });
  socket.start();
  lines.at(-1).open();
  return { socket, states };
}

beforeEach(() => {
  lines = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  mock.method(performance, "now", () => now_ms);
});

test("a line on which nothing comes any more is given up, and another one made", () => {
  const { states } = connected();
  pass(25);
  assert.equal(lines[0].closed, true);
  assert.equal(lines.length, 2);
  assert.deepEqual(states.slice(0, 4), ["connecting", "open", "closed", "connecting"]);
});

test("a line that says what the clock shows is kept", () => {
  const { states } = connected();
  for (let beat = 0; beat < 20; beat += 1) {
    pass(5);
    lines[0].say({ type: "clock" });
  }
  assert.equal(lines.length, 1);
  assert.deepEqual(states, ["connecting", "open"]);
});

test("a line that never comes to be is given up, too", () => {
  const { socket } = connected();
  lines[0].onclose({ code: 1006 });
  pass(2);
  assert.equal(lines.length, 2, "it is tried again");
  pass(25);
  assert.ok(lines.length > 2, "and again, though nobody has closed the second one");
  socket.stop();
});

test("a browser that is offline gives its line up at once", () => {
  const { states } = connected();
  listeners.offline();
  assert.equal(lines[0].closed, true);
  assert.deepEqual(states, ["connecting", "open", "closed"]);
});

test("what a line says that was given up is not heard", () => {
  const { states } = connected();
  pass(25);
  lines[0].say({ type: "clock" });
  lines[0].onclose({ code: 1006 });
  assert.equal(lines.length, 2);
  assert.equal(states.filter((state) => state === "closed").length, 1);
});

test("a line that was opened with the page is taken by a page that has nothing yet, and by no other", () => {
  const begin = (headSeq) => {
    const early = { path: "/ws/", socket: Object.assign(new Line("early"), { readyState: 1 }), heard: [] };
    Object.assign(globalThis, { podscopeSocket: early });
    const states = [];
    const socket = new RunSocket({ socketPath: "/ws/", recordsUrl: "", handlers: { headSeq: () => headSeq, onState: (state) => states.push(state), onClock() {}, onRefused() {}, onHello() {} } });
    socket.start();
    const { url } = socket.socket;
    socket.stop();
    delete (/** @type {any} */ (globalThis).podscopeSocket);
    return [url, states[1]];
  };
  assert.deepEqual(begin(0), ["early", "open"]);
  assert.equal(begin(7)[0], "ws://here/ws/?since=7");
});
