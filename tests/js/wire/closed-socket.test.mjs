import assert from "node:assert/strict";
import { test } from "node:test";

/** @type {any[]} */
let lines = [];
/** @type {[number, () => void][]} what waits, by ms */
let timers = [];

class Line {
  static OPEN = 1;
  constructor() {
    lines.push(this);
  }

  send() {}

  close() {}
}

Object.assign(globalThis, {
  window: globalThis,
  WebSocket: Line,
  location: { protocol: "http:", host: "here" },
  addEventListener: () => {},
  setTimeout: (call, wait_ms) => timers.push([wait_ms, call]),
  setInterval: () => 0,
  clearTimeout: () => {},
  clearInterval: () => {},
});
Math.random = () => 0.5;
const { RunSocket } = await import("../../../static/js/wire/run-socket.js");

/**
 * The codes that a page reports, and how many ms it waits after each visit.
 * @param {any[]} each  the close code, and the messages after the hello
 */
async function visits(...each) {
  lines = [];
  timers = [];
  /** @type {any[]} */
  const [told, waits, states] = [[], [], []];
  const names = ["onRecords", "onClock", "onHello", "onPresence"];
  const handlers = Object.fromEntries(names.map((name) => [name, () => {}]));
  Object.assign(handlers, { headSeq: () => 0, onState: (state) => states.push(state), onRefused: (code) => told.push(code) });
  const socket = new RunSocket({ socketPath: "/ws/run/x/", recordsUrl: "", handlers });
  socket.retryIn = (wait_ms) => waits.push(wait_ms);
  for (const [code, ...heard] of each) {
    if (socket.closed) break;
    socket.connect();
    const line = lines.at(-1);
    line.onopen();
    for (const type of ["hello", ...heard]) {
      if (type === "a while") timers.findLast(([wait_ms]) => wait_ms === 30_000)[1]();
      else line.onmessage({ data: JSON.stringify({ type, head_seq: 0, from: 0, to: 0, now_ms: 0, records: [] }) });
    }
    await socket.queue;
    line.onclose({ code });
  }
  return { told, waits, state: states.at(-1), opened: lines.length };
}

for (const code of [4010, 4029]) {
  test(`reason ${code} that comes after every hello is told once`, async () => {
    assert.deepEqual((await visits([code], [code], [code])).told, [code]);
  });
}

for (const heard of ["records", "a while"]) {
  test(`a reason is told again once a socket was sound: ${heard}`, async () => {
    assert.deepEqual((await visits([4010], [4010, heard])).told, [4010, 4010]);
  });
}

test("a page comes back later when the site is too busy", async () => {
  assert.deepEqual(await visits([4011], [4011]), { told: [], waits: [7500, 7500], state: "closed", opened: 2 });
});

test("a page comes back later and later while only hellos arrive", async () => {
  assert.deepEqual((await visits([1006], [1006], [1006])).waits, [250, 500, 1000]);
});

test("a page comes back soon after a sound socket", async () => {
  assert.deepEqual((await visits([4011], [1006, "records"])).waits, [7500, 250]);
});

test("a page of a deleted run does not come back", async () => {
  assert.deepEqual(await visits([4004], [4004]), { told: [4004], waits: [], state: "frozen", opened: 1 });
});
