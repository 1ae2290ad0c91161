import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ageText, clockText, lengthText, parseMoment, secondsText } from "../../../static/js/base/format.js";

test("clock cuts what is beyond its digits and never rounds up", () => {
  assert.deepEqual([clockText(48_000), clockText(59_999), clockText(3_723_456), clockText(1234, 3), clockText(999, 0)], ["0:48.0", "0:59.9", "1:02:03.4", "0:01.234", "0:00"]);
});

test("clock writes minutes and seconds with two digits behind an hour, and every fraction as it is", () => {
  assert.deepEqual([clockText(3_600_000), clockText(3_665_000), clockText(36_065_070, 2), clockText(60_005, 3)], ["1:00:00.0", "1:01:05.0", "10:01:05.07", "1:00.005"]);
});

test("clock before zero has a sign", () => assert.equal(clockText(-1500), "−0:01.5"));

test("length takes the shortest honest unit", () => {
  assert.deepEqual([-5, 0, 850, 7200, 59_940, 60_000, 80_000, 7_500_000].map(lengthText), ["0 ms", "0 ms", "850 ms", "7.2 s", "59.9 s", "1 m", "1 m 20 s", "2 h 5 m"]);
});

test("length keeps what it has of a unit to the next one", () => {
  const lengths = { 999: "999 ms", 1000: "1 s", 1049: "1 s", 1050: "1.1 s", 3_599_999: "59 m 59 s", 3_600_000: "1 h", 3_660_000: "1 h 1 m" };
  assert.deepEqual(Object.keys(lengths).map((length_ms) => lengthText(Number(length_ms))), Object.values(lengths));
});

test("age is that of the server, and so of kubectl, on both sides of each boundary", () => {
  const ages = JSON.parse(readFileSync(new URL("../../engine/model/ages.json", import.meta.url), "utf8"));
  for (const [age_ms, words] of ages) assert.equal(ageText(age_ms), words, String(age_ms));
});

test("moment is read as people write it", () => {
  const written = { "1:23.4": 83_400, "83.4": 83_400, "90s": 90_000, "2m": 120_000, "1:00:00": 3_600_000, "t+0:05": 5000, "250 ms": 250, "+30s": 40_000, "-5": 5000, "−1m": 0 };
  for (const [words, t_ms] of Object.entries(written)) assert.deepEqual(parseMoment(words, 10_000), { t_ms }, words);
});

test("moment may be a record", () => assert.deepEqual(["#17", "event 17", "Record 17"].map((words) => parseMoment(words, 0)), Array(3).fill({ seq: 17 })));

test("what is no moment is none", () => assert.deepEqual(["", "soon", "1:2:3:4", "5 parsecs", "+"].map((words) => parseMoment(words, 0)), Array(5).fill(null)));

test("moment in an address is read back as it was", () => {
  for (const at_ms of [0, 1, 48_000, 83_456]) assert.deepEqual(parseMoment(secondsText(at_ms), 0), { t_ms: at_ms });
});
