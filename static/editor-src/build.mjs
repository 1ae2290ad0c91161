/**
 * Builds the editor's bundle, its licences and its entry in VENDOR.toml. Run by `make editor-bundle` in a scratch folder that holds
 * this folder's files and node_modules; the argument is the folder static/.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const vendor = join(process.argv[2], "vendor");
const importer = join(process.argv[2], "js", "editor", "cm.js");
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));

const result = await build({
  entryPoints: ["entry.js"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  write: false,
});

/** Names of the packages that ended up in the bundle. */
const names = [...new Set(Object.keys(result.metafile.inputs).map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean))].sort();

/** @param {string} name */
function packageOf(name) {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (!file) throw new Error(`${name} carries no licence`);
  return { name, version, licence: license, integrity: lock.packages[folder].integrity, text: readFileSync(join(folder, file), "utf8").trim() };
}

const packages = names.map(packageOf);
const version = packages.find(({ name }) => name === "@codemirror/view").version;
const folder = `codemirror@${version}`;
const code = result.outputFiles[0].contents;

for (const old of readdirSync(vendor).filter((entry) => entry.startsWith("codemirror@"))) rmSync(join(vendor, old), { recursive: true });
mkdirSync(join(vendor, folder), { recursive: true });
writeFileSync(join(vendor, folder, "editor.min.js"), code);

/** @type {Map<string, string[]>} licence text → packages under it */
const texts = new Map();
for (const { name, version: own, text } of packages) texts.set(text, [...(texts.get(text) ?? []), `${name} ${own}`]);
const licences = [...texts].map(([text, owners]) => `${owners.join(", ")}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
writeFileSync(join(vendor, folder, "LICENSE"), licences);

const entry = `[[package]]
name = "codemirror"
version = "${version}"
npm = "@codemirror/view"
tarball_integrity = "${packages.find(({ name }) => name === "@codemirror/view").integrity}"
licence = "MIT, yaml: ISC"
why = "the YAML editor; one bundle of the packages below, built from static/editor-src by make editor-bundle"
bundled = [
${packages.map(({ name, version: own, licence, integrity }) => `  { npm = "${name}", version = "${own}", licence = "${licence}", tarball_integrity = "${integrity}" },`).join("\n")}
]

[[package.file]]
path = "${folder}/editor.min.js"
integrity = "sha384-${createHash("sha384").update(code).digest("base64")}"
`;
const listPath = join(vendor, "VENDOR.toml");
const list = existsSync(listPath) ? readFileSync(listPath, "utf8") : "";
const others = list.split(/(?=^\[\[package\]\]$)/m).filter((part) => !part.includes('name = "codemirror"'));
writeFileSync(listPath, `${others.join("").trimEnd()}\n\n${entry}`);
writeFileSync(importer, readFileSync(importer, "utf8").replace(/codemirror@[^/]+\//, `${folder}/`));
console.log(`${folder}: ${code.length} bytes, ${gzipSync(code, { level: 9 }).length} gzipped, ${packages.length} packages`);
