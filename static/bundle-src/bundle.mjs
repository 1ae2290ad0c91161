/**
 * Writes static/bundles: what the pages load instead of some eighty modules and sheets, and bundles.json, which names the digest of every source a
 * bundle is made of. `node bundle.mjs static` (make bundles); with --check it writes nothing and fails where a bundle would change.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [folder, mode] = process.argv.slice(2);
const root = resolve(folder);
const target = join(root, "bundles");

/** Bundle → the source that it begins with, below static/. The site reads the same table (simulator/web/bundles.py). */
const ENTRIES = JSON.parse(readFileSync(new URL("entries.json", import.meta.url), "utf8"));

/** What stays a file of its own: the editor, which waits until somebody wants to write, vendored files. */
const beside = {
  name: "beside",
  setup(builder) {
    builder.onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
      const source = relative(root, resolve(resolveDir, path));
      const entry = Object.entries(ENTRIES).find(([, begin]) => begin === source);
      if (kind === "dynamic-import" && entry) return { path: `./${entry[0]}`, external: true };
      if (source.startsWith("vendor/")) return { path: relative(target, join(root, source)), external: true };
      return undefined;
    });
  },
};

/** @param {string | Uint8Array} content */
const digest = (content) => createHash("sha256").update(content).digest("hex").slice(0, 32);

/** @param {string} name @param {string} entry */
async function bundled(name, entry) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    plugins: [beside],
    loader: { ".svg": "dataurl" },
    bundle: true,
    minify: true,
    format: name.endsWith(".js") ? "esm" : undefined,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const [{ contents }] = outputFiles;
  const inputs = Object.keys(metafile.inputs).sort();
  return { contents, made: { digest: digest(contents), inputs: Object.fromEntries(inputs.map((path) => [path, digest(readFileSync(join(root, path)))])) } };
}

const list = {};
const stale = [];
/** @param {string} name @param {string | Uint8Array} contents */
function keep(name, contents) {
  const path = join(target, name);
  if (existsSync(path) && Buffer.from(contents).equals(readFileSync(path))) return;
  stale.push(name);
  if (mode !== "--check") writeFileSync(path, contents);
}

mkdirSync(target, { recursive: true });
for (const [name, entry] of Object.entries(ENTRIES)) {
  const { contents, made } = await bundled(name, entry);
  list[name] = made;
  keep(name, contents);
  console.log(`${name}: ${Object.keys(made.inputs).length} sources, ${contents.length} bytes, ${gzipSync(contents, { level: 9 }).length} gzipped`);
}
for (const old of readdirSync(target).filter((name) => name !== "bundles.json" && !(name in ENTRIES))) {
  stale.push(old);
  if (mode !== "--check") rmSync(join(target, old));
}
keep("bundles.json", `${JSON.stringify(list, null, 1)}\n`);
if (mode === "--check" && stale.length) {
  console.error(`${relative(process.cwd(), target) || target}: ${stale.join(", ")} would change. Run: make bundles`);
  process.exitCode = 1;
}
