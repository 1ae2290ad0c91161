import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { commandLine } from "../../../static/js/panels/command-lines.js";
import { hasText, text } from "../../../static/js/base/i18n.js";
import { MESSAGES } from "../../../static/js/base/messages.js";
import { momentQuery } from "../../../static/js/shares/address.js";
import { conditionTone, statusTone, worse } from "../../../static/js/base/tones.js";

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

test("text is filled in, and an unknown key shows itself", () => {
  assert.equal(text("live.behind", { time: "12 s" }), "Live · 12 s behind");
  assert.deepEqual([text("no.such.key"), hasText("no.such.key"), hasText("live.behind")], ["no.such.key", false, true]);
});

test("no text is empty", () => assert.deepEqual(Object.entries(MESSAGES).filter(([, words]) => !words.trim()), []));

test("moment link names what is looked at and nothing more", () => {
  assert.equal(momentQuery({ t_ms: 48_000, seq: 9, sel: "pod/default/web", rec: 0, tab: "why" }), "t=48&sel=pod%2Fdefault%2Fweb&tab=why");
});

test("the worse of two tones does not depend on their order", () => {
  for (const [a, b] of [["ok", "failed"], ["failed", "waiting"], ["ok", "ok"]]) assert.equal(worse(a, b), worse(b, a));
});

test("a condition that is bad when it is true has the other tone", () => assert.notEqual(conditionTone("Ready", "True"), conditionTone("DisruptionTarget", "True")));

const STATUSES = JSON.parse(readFileSync(new URL("../../web/status-tones.json", import.meta.url), "utf8"));

test("the tone of a pod is the server's", () => {
  for (const [word, data, tone] of STATUSES) assert.equal(statusTone(word, data), tone, `${word} ${JSON.stringify(data)}`);
});
