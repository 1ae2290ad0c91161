import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

/** @type {Record<string, () => void>} */
const listeners = {};
/** How often the page was looked through for places. */
let looks = 0;

Object.assign(globalThis.document, {
  addEventListener: (/** @type {string} */ name, /** @type {() => void} */ listener) => (listeners[name] = listener),
  querySelectorAll: () => {
    looks += 1;
    return [];
  },
});
const { showConnection } = await import("../../../static/js/run/connection.js");

/** @param {Record<string, string>} dataset */
function page(dataset) {
  return { main: /** @type {any} */ ({ dataset }), store: { head_ms: 1000 } };
}

beforeEach(() => {
  looks = 0;
});

test("frames of a run that is not being computed leave the page alone", () => {
  showConnection("open", { state: "live", note: "", now_ms: 5000 }, page({ socket: "/ws/" }));
  looks = 0;
  listeners["run:frame"]();
  assert.equal(looks, 0);
});

test("frames of a run that is being computed show how far it is", () => {
  for (const [frame, dataset] of [
    [{ state: "released", note: "opening", now_ms: 500_000 }, { socket: "/ws/" }],
    [{ state: "live", note: "", now_ms: 1000 }, { computing: "500000" }],
  ]) {
    showConnection("open", frame, page(/** @type {any} */ (dataset)));
    looks = 0;
    listeners["run:frame"]();
    assert.ok(looks > 0);
  }
});

test("why the clock stands is said where the line is open", () => {
  const place = { textContent: "", getAttribute: () => "", setAttribute() {} };
  const before = globalThis.document.querySelectorAll;
  globalThis.document.querySelectorAll = /** @type {any} */ ((selector) => (selector === "[data-socket-state]" ? [place] : []));
  globalThis.Text ??= /** @type {any} */ (class {});
  const said = (state, frame) => {
    showConnection(state, { state: "live", note: "", now_ms: 0, ...frame }, page(/** @type {any} */ ({ socket: "/ws/" })));
    return place.textContent;
  };
  const [live, paused, closed] = [said("open", {}), said("open", { paused: true }), said("closed", { paused: true })];
  globalThis.document.querySelectorAll = before;
  assert.ok(paused.startsWith(`${live} · `) && !closed.includes(" · "), `${live} / ${paused} / ${closed}`);
});

test("what keeps a run waiting is said before how slow it is, and that before how far it is computed", () => {
  const words = (frame, dataset = { socket: "/ws/" }) => {
    const place = { hidden: true, textContent: "" };
    const before = globalThis.document.querySelectorAll;
    globalThis.document.querySelectorAll = /** @type {any} */ ((selector) => (selector === "[data-wait]" ? [place] : []));
    showConnection("open", { state: "live", note: "", now_ms: 0, rate: 4000, ...frame }, page(/** @type {any} */ (dataset)));
    globalThis.document.querySelectorAll = before;
    return place.textContent;
  };
  const far = /** @type {any} */ ({ computing: "500000" });
  const [waits, slow, computed] = [words({ state: "waiting" }), words({ got: 1000 }), words({}, far)];
  assert.equal(new Set([waits, slow, computed, ""]).size, 4);
  assert.deepEqual([words({ state: "waiting" }, far), words({ got: 1000 }, far), words({})], [waits, slow, ""]);
});
