/**
 * The floor plan of static/js, and the check that it is kept: `node layers.mjs static` (make check) prints what breaks it and fails.
 *
 * A folder is one subject. It may import what stands in a layer below its own, and what stands in the folder itself; the folders of one
 * layer know nothing of each other. So whatever is below a line of the plan can be read, tested and changed without what is above it.
 * Types that a comment imports count like any other import: they, too, are knowledge of another module.
 *
 * At the top stand the entries, the only files outside a folder. A dynamic import names one of them and may do so from any layer: it
 * says "load that file when it is wanted", and the module that says it needs to know nothing else (later/load.js, editor/boot.js).
 *
 * No module imports itself by a detour, dynamic imports and types included: the site gives each file a name with the digest of what it
 * holds, the names that it imports are part of that, and a circle of such names has no beginning.
 */

import { readFileSync, readdirSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { pathToFileURL } from "node:url";

/** From the top down. */
export const LAYERS = [
  ["run", "compare"], // whole pages of a run, and of two
  ["pages", "commands", "picking"], // what every page has; the list of all that a run page can do; making a level on the lanes
  ["acts", "classroom", "gestures", "levels", "search"], // ways to work with the lanes
  ["timeline"], // the lanes as a picture: layout, canvas, pointer, keyboard, table
  ["editor", "keys", "learn", "panels", "playback", "shares"], // subjects of their own that draw no lanes
  ["lanes"], // records in memory, and the lanes, spans and sentences that are made of them
  ["wire"], // records, clock frames and acts between browser and server
  ["later"], // loads what waits until it is wanted, and stands in its place until then
  ["base"], // texts, tones, numbers in words, small helpers of the page
];

const ENTRIES = new Set(Object.values(JSON.parse(readFileSync(new URL("entries.json", import.meta.url), "utf8"))).map((path) => path.replace(/^js\//, "")));
/** Runs before everything else and is never bundled. */
ENTRIES.add("boot.js");

const IMPORT = /(?:\bfrom\s*|\bimport\s*(\(?)\s*)["'](\.[^"']+\.js)["'](\)\.[A-Z])?/g;

/** @typedef {{ from: string, to: string, isDynamic: boolean }} Edge */

/** What a module imports of static/js; vendored files stand elsewhere. @param {string} module @param {string} source @returns {Edge[]} */
function edgesOf(module, source) {
  return [...source.matchAll(IMPORT)]
    .map(([, bracket, name, type]) => ({ from: module, to: posix.join(posix.dirname(module), name), isDynamic: bracket === "(" && !type }))
    .filter(({ to }) => !to.startsWith(".."));
}

/** The number of a module's layer from the top; 0 for an entry outside a folder, undefined where the plan has no place for it. @param {string} module */
function layerOf(module) {
  if (!module.includes("/")) return ENTRIES.has(module) ? 0 : undefined;
  const at = LAYERS.findIndex((folders) => folders.includes(folderOf(module)));
  return at < 0 ? undefined : at + 1;
}

/** @param {string} module */
const folderOf = (module) => (module.includes("/") ? module.slice(0, module.indexOf("/")) : "");

/** What is wrong with an import; empty where it is as it should be. @param {Edge} edge */
function faultOf({ from, to, isDynamic }) {
  if (isDynamic) return ENTRIES.has(to) ? "" : `${from} loads ${to} later, which is no entry (entries.json)`;
  if (folderOf(from) === folderOf(to) && folderOf(from)) return "";
  const [own, other] = [layerOf(from) ?? Infinity, layerOf(to) ?? -1];
  return own < other ? "" : `${from} imports ${to}, which stands ${own === other ? "beside" : "above"} it`;
}

/** A way from a module back to itself; null where there is none. @param {Map<string, string[]>} imports */
function circleIn(imports) {
  /** @type {Set<string>} modules from which every way has been gone */
  const done = new Set();
  /** @param {string} module @param {string[]} way @returns {string[] | null} */
  const walk = (module, way) => {
    if (way.includes(module)) return [...way.slice(way.indexOf(module)), module];
    if (done.has(module)) return null;
    for (const next of imports.get(module) ?? []) {
      const circle = walk(next, [...way, module]);
      if (circle) return circle;
    }
    done.add(module);
    return null;
  };
  for (const module of imports.keys()) {
    const circle = walk(module, []);
    if (circle) return circle;
  }
  return null;
}

/** What breaks the plan below a folder of scripts, a line each. @param {string} folder @returns {string[]} */
export function faultsIn(folder) {
  const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js")).map((name) => name.replaceAll("\\", "/")).sort();
  const edges = modules.flatMap((module) => edgesOf(module, readFileSync(join(folder, module), "utf8")));
  const homeless = modules.filter((module) => layerOf(module) === undefined).map((module) => `${module} stands in no folder of the plan`);
  const folders = new Set(modules.map(folderOf));
  const empty = LAYERS.flat().filter((name) => !folders.has(name)).map((name) => `${name} is in the plan, but there is no such folder`);
  const imports = new Map(modules.map((module) => [module, edges.filter(({ from }) => from === module).map(({ to }) => to)]));
  const circle = circleIn(imports);
  return [...homeless, ...empty, ...edges.map(faultOf).filter(Boolean), ...(circle ? [`circle: ${circle.join(" → ")}`] : [])];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = faultsIn(join(process.argv[2], "js"));
  for (const fault of faults) console.error(fault);
  if (faults.length) console.error(`The floor plan of the scripts stands in ${basename(process.argv[1])}.`);
  process.exitCode = faults.length ? 1 : 0;
}
