import assert from "node:assert/strict";
import test from "node:test";

import { overlayState } from "../../../static/js/timeline/drawn.js";

/** What the top layer shows of a run, with the rows visible from `top` on. */
function shown({ live = true, made = null, rows = [], top = 0 } = {}) {
  const store = { pending: (t_ms) => [`pending at ${t_ms}`], lanes: { imported_ms: 0 } };
  return overlayState({ run: { playhead: { t_ms: 500, live }, store, ghost: null, isCompared: false }, gestures: { made }, view: {}, rows, size: { top }, stretch: { chosen: null } });
}

test("what is to come is shown of the present, unless a gesture shows what would come instead", () => {
  assert.deepEqual([shown(), shown({ made: { isActive: false } }), shown({ made: { isActive: true } }), shown({ live: false })].map(({ pending }) => pending.length), [1, 1, 0, 0]);
});

test("the foot is the end of the last row, as far as was scrolled", () => {
  assert.deepEqual([shown().foot, shown({ rows: [{ y: 0, h: 20 }, { y: 20, h: 30 }], top: 5 }).foot], [0, 45]);
});
