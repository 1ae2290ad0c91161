import assert from "node:assert/strict";
import { test } from "node:test";

const { Density, isTrouble } = await import("../../../static/js/lanes/density.js");

const record = (at_ms, more = {}) => ({ at_ms, kind: "transition", machine: "phase", target: "Running", data: {}, ...more });
const warning = (at_ms) => record(at_ms, { kind: "event", data: { type: "Warning" } });

function densityOf(...records) {
  const density = new Density();
  for (const each of records) density.add(each);
  return density;
}

test("records and troubles are counted where they happened", () => {
  const columns = densityOf(record(0), record(100), warning(2600), record(9900)).columns(4, 10_000);
  assert.deepEqual(columns, [{ count: 2, troubles: 0 }, { count: 1, troubles: 1 }, { count: 0, troubles: 0 }, { count: 1, troubles: 0 }]);
});

test("a run that grows keeps every record, whatever the columns are", () => {
  const density = new Density();
  for (let at_ms = 0; at_ms < 4_000_000; at_ms += 1000) density.add(at_ms % 100_000 ? record(at_ms) : warning(at_ms));
  assert.ok(density.counts.length <= 2048);
  for (const width of [1, 7, 300, 1000]) {
    const columns = density.columns(width, 4_000_000);
    assert.equal(columns.reduce((sum, { count }) => sum + count, 0), 4000);
    assert.equal(columns.reduce((sum, { troubles }) => sum + troubles, 0), 40);
  }
});

test("what happens at the end of the run is in the last column", () => {
  assert.equal(densityOf(record(10_000)).columns(5, 10_000)[4].count, 1);
});

test("a trouble is a warning, a failed attempt, an exit with a code, or an act that was refused", () => {
  const troubles = [
    warning(0),
    record(0, { kind: "attempt", target: "failure" }),
    record(0, { kind: "attempt", target: "timeout" }),
    record(0, { kind: "command", target: "refused" }),
    record(0, { machine: "container", target: "exited", data: { exit_code: 137 } }),
  ];
  const none = [
    record(0, { kind: "event", data: { type: "Normal" } }),
    record(0, { kind: "attempt", target: "success" }),
    record(0, { kind: "command", target: "accepted" }),
    record(0, { machine: "container", target: "exited", data: { exit_code: 0 } }),
    record(0, { machine: "phase", target: "Failed" }),
  ];
  assert.deepEqual([...troubles, ...none].map(isTrouble), [...troubles.map(() => true), ...none.map(() => false)]);
});
