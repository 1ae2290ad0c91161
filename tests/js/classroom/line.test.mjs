import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

/** @type {any[]} */
let lines = [];

class Line {
  static OPEN = 1;
  /** @param {string} url */
  constructor(url) {
    Object.assign(this, { url, readyState: 0 });
    lines.push(this);
  }

  close() {}
}

Object.assign(globalThis, {
  window: globalThis,
  WebSocket: Line,
  location: { protocol: "http:", host: "here" },
  addEventListener: () => {},
});
const { ClassLine } = await import("../../../static/js/classroom/line.js");

function connected() {
  /** @type {string[]} */
  const told = [];
  const handlers = { onRoom: ({ type }) => told.push(type), onEnd: () => told.push("end"), onGuessed: () => told.push("guessed") };
  new ClassLine("abcdef", handlers).start();
  return told;
}

beforeEach(() => {
  lines = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
});

test("a line that is refused for codes that were guessed says so and comes back", () => {
  const told = connected();
  lines[0].onclose({ code: 4028 });
  assert.deepEqual(told, ["guessed"]);
  mock.timers.tick(20_000);
  assert.equal(lines.length, 2);
});

test("a line that is merely lost comes back without a word", () => {
  const told = connected();
  lines[0].onclose({ code: 1006 });
  mock.timers.tick(20_000);
  assert.deepEqual([told, lines.length], [[], 2]);
});

test("a line is as secure as the page", () => {
  const urls = ["http:", "https:"].map((protocol) => {
    Object.assign(globalThis.location, { protocol });
    connected();
    return lines.at(-1).url;
  });
  Object.assign(globalThis.location, { protocol: "http:" });
  assert.deepEqual(urls, ["ws://here/ws/class/abcdef/", "wss://here/ws/class/abcdef/"]);
});

test("only what tells of the class is heard", () => {
  const told = connected();
  for (const type of ["pong", "room"]) lines[0].onmessage({ data: JSON.stringify({ type }) });
  assert.deepEqual(told, ["room"]);
});
