// Describes records as a page does in a given language: reads { i18n, rules, rows } and prints a sentence for each row.
import { readFileSync } from "node:fs";

const { i18n, rules, rows } = JSON.parse(readFileSync(0, "utf8"));
globalThis.document.getElementById = (id) => (id === "i18n" ? { textContent: JSON.stringify(i18n) } : null);
const { takeRules } = await import("../../static/js/base/i18n.js");
const { decode } = await import("../../static/js/wire/record.js");
const { sentenceOf } = await import("../../static/js/lanes/sentences.js");
const before = rows.map((row) => sentenceOf(decode(row)));
takeRules(rules);
process.stdout.write(JSON.stringify({ before, after: rows.map((row) => sentenceOf(decode(row))) }));
