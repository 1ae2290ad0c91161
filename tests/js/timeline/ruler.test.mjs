import assert from "node:assert/strict";
import { test } from "node:test";

import { paintRuler } from "../../../static/js/timeline/ruler.js";
import { drawn, pen } from "../picture.mjs";

/** What is drawn on a ruler; its clock writes the ms and the number of digits after the seconds. */
function ruler(state = {}, stretch_ms = 1000) {
  const on = pen();
  on.viewport.show(0, stretch_ms);
  paintRuler(on, 32, { t_ms: -1e9, hover_ms: null, commands: [], clock: { text: (t_ms, digits) => `${t_ms}/${digits}` }, stretch: null, ...state });
  return drawn(on);
}
const words = (parts, colour) => parts.filter((part) => part.includes("/") && part.endsWith(` ${colour}`)).map((part) => part.split(" "));

test("labels say as many digits as the steps between them need", () => {
  const digits = (stretch_ms) => words(ruler({}, stretch_ms), "muted")[1][0].split("/")[1];
  assert.deepEqual([500, 1000, 5000, 10_000].map(digits), ["2", "1", "1", "0"]);
});

test("the moment shown stands on a chip of its own, over the label that it would strike", () => {
  const parts = ruler({ t_ms: 500 });
  assert.deepEqual([words(parts, "accent-ink"), words(parts, "muted").some(([said]) => said === "500/1")], [[["500/3", "500", "accent-ink"]], false]);
});

test("the chip stays within the window, and goes once its moment is far outside", () => {
  const at = (t_ms) => words(ruler({ t_ms }), "accent-ink").map(([, x]) => Number(x));
  assert.deepEqual([at(0), at(1000), at(-40), at(-41), at(1040), at(1041)], [[18], [973], [24], [], [973], []]);
});

test("the moment under the pointer has a chip where the other leaves room", () => {
  const hover = (hover_ms) => words(ruler({ t_ms: 500, hover_ms }), "text").length;
  assert.deepEqual([hover(200), hover(510)], [1, 0]);
});

test("a chip says tenths of ms where a pixel is worth less than two, and at least tenths of seconds for the moment shown", () => {
  const digits = (stretch_ms) => [words(ruler({ t_ms: 0 }, stretch_ms), "accent-ink"), words(ruler({ hover_ms: 0 }, stretch_ms), "text")].map(([[said]]) => said.split("/")[1]);
  assert.deepEqual([digits(1000), digits(2000), digits(199_000), digits(200_000)], [["3", "3"], ["1", "1"], ["1", "1"], ["1", "0"]]);
});

test("acts are flags on screen, a refused one bad", () => {
  const flags = ruler({ commands: [{ t: -1, type: "accepted" }, { t: 0, type: "refused" }, { t: 1000, type: "accepted" }, { t: 1001, type: "accepted" }] }).filter((part) => part.startsWith("fill"));
  assert.deepEqual(flags, ["fill M-5 23L5 23L0 31Z tone-bad", "fill M995 23L1005 23L1000 31Z accent"]);
});

test("what one command of a client did is one flag, that of its first act", () => {
  const flags = ruler({ commands: [{ t: 0, type: "accepted" }, { t: 500, type: "accepted", isPart: true }] }).filter((part) => part.startsWith("fill"));
  assert.deepEqual(flags, ["fill M-5 23L5 23L0 31Z accent"]);
});

test("a label that would reach over the edge of the window is left out", () => {
  const labels = words(ruler({}, 1000), "muted").map(([said]) => said);
  assert.deepEqual([labels.includes("900/1"), labels.includes("1000/1")], [true, false]);
});
