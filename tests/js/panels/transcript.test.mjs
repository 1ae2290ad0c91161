import assert from "node:assert/strict";
import test from "node:test";

import { Transcript, withLine } from "../../../static/js/panels/transcript.js";

const looked = (line, t_ms) => ({ line, t_ms, did: 0 });

test("a line that is asked again at another moment stands there twice", () => {
  const said = withLine(withLine([], looked("get pods", 1000)), looked("get pods", 2000));
  assert.deepEqual(said.map(({ t_ms }) => t_ms), [1000, 2000]);
});

test("a line that acts stands there once, with the act that it became", () => {
  const said = withLine(withLine([], looked("delete pod web", 1000)), { line: "delete pod web", t_ms: 1100, did: 3 });
  assert.deepEqual(said, [{ line: "delete pod web", t_ms: 1100, did: 3 }]);
});

test("the same act carried out once more is another line", () => {
  const first = [{ line: "delete pod web", t_ms: 1100, did: 3 }];
  assert.equal(withLine(first, { line: "delete pod web", t_ms: 1500, did: 4 }).length, 2);
});

test("only the latest hundred are kept", () => {
  let said = [];
  for (let index = 0; index < 120; index += 1) said = withLine(said, looked(`get ${index}`, index));
  assert.deepEqual([said.length, said[0].line], [100, "get 20"]);
});

test("what the tab of the browser keeps is read again, without what is no line", () => {
  globalThis.location = /** @type {any} */ ({ pathname: "/r/1/" });
  const reads = (kept) => {
    globalThis.sessionStorage = /** @type {any} */ ({ getItem: (name) => (name === "podscope.transcript/r/1/" ? kept : null) });
    return new Transcript().said;
  };
  const [one, two] = [looked("get pods", 1000), { line: "delete pod web", t_ms: 0, did: 3 }];
  assert.deepEqual(reads(JSON.stringify([one, two, null, { ...one, line: 1 }, { ...one, t_ms: "1" }, { ...one, did: null }])), [one, two]);
  for (const nothing of [null, "{}", "7", "not JSON"]) assert.deepEqual(reads(nothing), []);
});

test("the same line in another namespace is another line", () => {
  const first = withLine([], looked("get pods", 1000));
  assert.equal(withLine(first, { ...looked("get pods", 1000), ns: "team" }).length, 2);
});
