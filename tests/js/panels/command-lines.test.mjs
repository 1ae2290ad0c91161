import assert from "node:assert/strict";
import { test } from "node:test";

import { commandLine } from "../../../static/js/panels/command-lines.js";

const LINES = [
  ["kubectl label pod web {name}={value}", { name: "tier", value: "not ok!" }, "kubectl label pod web tier='not ok!'"],
  ["kubectl label pod web {name}={value}", { name: "tier", value: "" }, "kubectl label pod web tier-"],
  [`-p '{"finalizers":["{value}"]}'`, { value: "a/b, c/d" }, `-p '{"finalizers":["a/b","c/d"]}'`],
  [`-p '{"finalizers":["{value}"]}'`, { value: "" }, `-p '{"finalizers":null}'`],
  [`-p '{"limits":{"cpu":"{cpu}","memory":"{memory}"}}'`, { cpu: "", memory: "1Gi" }, `-p '{"limits":{"memory":"1Gi"}}'`],
  ["kubectl exec web -- {words}", { words: "sh -c 'ls /'" }, "kubectl exec web -- sh -c 'ls /'"],
];

for (const [template, values, line] of LINES) {
  test(`command line is fit for a shell: ${line}`, () => assert.equal(commandLine(template, (name) => values[name] ?? null), line));
}
