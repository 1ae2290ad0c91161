// @ts-check
/** The annotation that declares how containers behave: a block of YAML by container name, inside the document. */

import { isMap, isScalar, isSeq } from "./cm.js";
import { podHome } from "./pods.js";
import { YamlPart } from "./yaml-edit.js";

const PROBES = ["startupProbe", "livenessProbe", "readinessProbe"];
const ANNOTATION = "podscope.dev/behaviour";

/** The keys of a block that the pane shows; everything else stays as it is written. */
const SIMPLE_STEP = /^\d{1,3}$/;

/** @param {any} part  a YamlPart of the document @returns {YamlPart} the annotation's own text */
export function behaviourOf(part) {
  const home = /** @type {string[]} */ (podHome(part.kind));
  const words = String(part.get([...home, "metadata", "annotations", ANNOTATION]) ?? "");
  return new YamlPart(words, { from: 0, to: words.length });
}

/**
 * Put the annotation's text back into its document.
 * @param {any} part @param {YamlPart} block
 */
export function writeBehaviour(part, block) {
  const home = /** @type {string[]} */ (podHome(part.kind));
  const edit = block.change();
  if (!edit) return;
  const fresh = block.whole.slice(0, edit.from) + edit.insert + block.whole.slice(edit.to);
  const empty = block.keys([]).length === 0;
  part.set([...home, "metadata", "annotations", ANNOTATION], empty ? undefined : fresh.endsWith("\n") ? fresh : `${fresh}\n`);
}

/** The path of a container's image, in the notation of the check. @param {(string | number)[]} path */
export function imagePath(path) {
  return [...path, "image"].reduce((/** @type {string} */ text, word) => (typeof word === "number" ? `${text}[${word}]` : text ? `${text}.${word}` : word), "");
}

/** Write the presumed behaviour of a container: what its probes ask for succeeds, and an init container ends. @param {YamlPart} block @param {any} own */
export function writePresumed(block, own) {
  const { part, path, name } = own;
  const listens = presumedPorts(part, path);
  const exec = PROBES.map((probe) => part.items([...path, probe, "exec", "command"]).map((/** @type {any} */ word) => String(word?.value ?? word)).join(" ")).filter(Boolean);
  if (own.group === "initContainers" && !own.isSidecar) setFlow(block, [name, "exit"], { after: "1s", code: 0 });
  if (listens.length) setFlow(block, [name, "listens"], listens);
  if (exec.length) setFlow(block, [name, "exec"], Object.fromEntries(exec.map((command) => [command, 0])));
  if (!block.has([name])) setFlow(block, [name, "onTerm"], "exit");
}

/** @param {any} part @param {(string | number)[]} path @returns {any[]} the ports, with the paths and services that probes call */
function presumedPorts(part, path) {
  /** @type {Map<number, any>} */
  const found = new Map();
  const named = new Map();
  part.items([...path, "ports"]).forEach((/** @type {any} */ _, /** @type {number} */ at) => {
    const port = Number(part.get([...path, "ports", at, "containerPort"]));
    named.set(String(part.get([...path, "ports", at, "name"]) ?? ""), port);
    if (port) found.set(port, { port });
  });
  for (const probe of PROBES) {
    for (const kind of ["httpGet", "tcpSocket", "grpc"]) {
      const said = part.get([...path, probe, kind, "port"]);
      const port = named.get(String(said)) ?? Number(said);
      if (said === undefined || !port) continue;
      const own = found.get(port) ?? { port };
      const service = String(part.get([...path, probe, "grpc", "service"]) ?? "");
      if (kind === "httpGet") own.paths = { ...own.paths, [String(part.get([...path, probe, kind, "path"]) ?? "/")]: 200 };
      if (kind === "grpc") own.grpc = { ...own.grpc, [service]: "SERVING" };
      found.set(port, own);
    }
  }
  return [...found.values()];
}

/** The spelling of a key in the block, which also accepts `on-term`. @param {YamlPart} block @param {string} container @param {string} name */
function spelled(block, container, name) {
  const other = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return block.has([container, other]) ? other : name;
}

/**
 * @typedef {{ after: string, code: string }} Ending  code: "never" for an attempt that does not end
 * @param {YamlPart} block @param {string} container @returns {Ending[]}
 */
export function endingsOf(block, container) {
  const node = block.node([container, "exit"]);
  const items = isSeq(node) ? node.items : node ? [node] : [];
  return items.map((/** @type {any} */ item) => (isMap(item) ? { after: String(item.get("after") ?? "0s"), code: String(item.get("code") ?? "0") } : { after: "", code: "never" }));
}

/** @param {YamlPart} block @param {string} container @param {Ending[]} endings */
export function writeEndings(block, container, endings) {
  const values = endings.map(({ after, code }) => (code === "never" ? "never" : { after: after || "0s", code: Number(code) || 0 }));
  // A program without instructions keeps running anyway.
  const kept = values.length === 1 && values[0] === "never" ? [] : values;
  setFlow(block, [container, "exit"], kept.length === 0 ? undefined : kept.length === 1 ? kept[0] : kept);
  tidy(block, container);
}

/** @param {YamlPart} block @param {string} container @returns {{ how: "" | "ignore" | "after", after: string, code: string }} */
export function termOf(block, container) {
  const node = block.node([container, spelled(block, container, "onTerm")]);
  if (isScalar(node)) return { how: node.value === "ignore" ? "ignore" : "", after: "", code: "0" };
  if (isMap(node)) return { how: "after", after: String(node.get("after") ?? "0s"), code: String(node.get("exit") ?? "0") };
  return { how: "", after: "", code: "0" };
}

/** @param {YamlPart} block @param {string} container @param {{ how: string, after: string, code: string }} term */
export function writeTerm(block, container, { how, after, code }) {
  const value = how === "ignore" ? "ignore" : how === "after" ? { exit: Number(code) || 0, after: after || "5s" } : undefined;
  setFlow(block, [container, spelled(block, container, "onTerm")], value);
  tidy(block, container);
}

/** @param {YamlPart} block @param {string} container @returns {[string, string][]} moment and size */
export function memoryOf(block, container) {
  return block.items([container, "memory"]).map((item) => [String(item.get?.("at") ?? "0s"), String(item.get?.("bytes") ?? "")]);
}

/** @param {YamlPart} block @param {string} container @param {[string, string][]} points */
export function writeMemory(block, container, points) {
  const kept = points.filter(([, bytes]) => bytes);
  setFlow(block, [container, "memory"], kept.length ? kept.map(([at, bytes]) => ({ at: at || "0s", bytes })) : undefined);
  tidy(block, container);
}

/** @param {YamlPart} block @param {string} container @returns {[string, string][]} moment and text */
export function logOf(block, container) {
  return block.items([container, "log"]).map((item) => [String(item.get?.("at") ?? "0s"), String(item.get?.("text") ?? "")]);
}

/** @param {YamlPart} block @param {string} container @param {[string, string][]} lines */
export function writeLog(block, container, lines) {
  const kept = lines.filter(([, words]) => words);
  setFlow(block, [container, "log"], kept.length ? kept.map(([at, words]) => ({ at: at || "0s", text: words })) : undefined);
  tidy(block, container);
}

/**
 * The answers on each port: a path with one status, or `0s 200, 40s 500`.
 * @param {YamlPart} block @param {string} container @returns {[string, string, string][]} port, path, answers
 */
export function answersOf(block, container) {
  return block.items([container, "listens"]).flatMap((item, at) => {
    if (isScalar(item)) return [[String(item.value), "", ""]];
    const port = String(item.get("port") ?? "");
    const paths = block.keys([container, "listens", at, "paths"]);
    return paths.length ? paths.map((path) => /** @type {[string, string, string]} */ ([port, path, stepsText(block.node([container, "listens", at, "paths", path]))])) : [[port, "", ""]];
  });
}

/** @param {YamlPart} block @param {string} container @returns {boolean} whether a port declares more than the pane can show */
export function answersAreRich(block, container) {
  return block.items([container, "listens"]).some((item, at) => isMap(item) && (item.items.some((/** @type {any} */ pair) => !["port", "paths"].includes(String(pair.key))) || block.keys([container, "listens", at, "paths"]).some((path) => !isPlainStep(block.node([container, "listens", at, "paths", path])))));
}

/** @param {YamlPart} block @param {string} container @param {[string, string, string][]} rows */
export function writeAnswers(block, container, rows) {
  /** @type {Map<string, Record<string, any>>} */
  const byPort = new Map();
  for (const [port, path, answers] of rows.filter(([number]) => /^\d+$/.test(number))) {
    const paths = byPort.get(port) ?? {};
    if (path) paths[path] = stepsOf(answers);
    byPort.set(port, paths);
  }
  const value = [...byPort].map(([port, paths]) => (Object.keys(paths).length ? { port: Number(port), paths } : { port: Number(port) }));
  setFlow(block, [container, "listens"], value.length ? value : undefined);
  tidy(block, container);
}

/** The exit codes of commands run in the container. @param {YamlPart} block @param {string} container @returns {[string, string][]} command, answers */
export function execOf(block, container) {
  return block.keys([container, "exec"]).map((command) => [command, stepsText(block.node([container, "exec", command]), 0)]);
}

/** @param {YamlPart} block @param {string} container @param {[string, string][]} rows */
export function writeExec(block, container, rows) {
  const kept = rows.filter(([command]) => command);
  setFlow(block, [container, "exec"], kept.length ? Object.fromEntries(kept.map(([command, answers]) => [command, stepsOf(answers, 0)])) : undefined);
  const node = block.node([container, "exec"]);
  if (isMap(node)) node.flow = false;
  for (const command of block.keys([container, "exec"])) flowDown(block.node([container, "exec", command]));
  tidy(block, container);
}

/** @param {YamlPart} block @param {string} container */
export function execIsRich(block, container) {
  return block.keys([container, "exec"]).some((command) => !isPlainStep(block.node([container, "exec", command])));
}

/** @param {YamlPart} block @param {string} container */
export function programOf(block, container) {
  return String(block.get([container, "program"]) ?? "");
}

/** @param {YamlPart} block @param {string} container @param {string} value */
export function writeProgram(block, container, value) {
  block.set([container, "program"], value);
  tidy(block, container);
}

/** @param {any} node  whether its steps have only a moment and a status */
function isPlainStep(node) {
  return isScalar(node) || (isSeq(node) && node.items.every((/** @type {any} */ step) => isMap(step) && step.items.every((/** @type {any} */ pair) => ["from", "status"].includes(String(pair.key)))));
}

/** @param {any} node @param {number} [usual] */
function stepsText(node, usual = 200) {
  if (isScalar(node)) return String(node.value);
  return isSeq(node) ? node.items.map((/** @type {any} */ step) => (isMap(step) ? `${step.get("from") ?? "0s"} ${step.get("status") ?? usual}` : "")).join(", ") : "";
}

/** @param {string} words @param {number} [usual] */
function stepsOf(words, usual = 200) {
  if (!words.trim()) return usual;
  if (SIMPLE_STEP.test(words.trim())) return Number(words);
  return words.split(",").flatMap((step) => {
    const match = /^\s*(\S+)\s+(\d{1,3})\s*$/.exec(step);
    return match ? [{ from: match[1], status: Number(match[2]) }] : [];
  });
}

/** @param {YamlPart} block @param {string} container */
export function delayOf(block, container) {
  return String(block.get([container, spelled(block, container, "startupDelay")]) ?? "");
}

/** @param {YamlPart} block @param {string} container @param {string} value */
export function writeDelay(block, container, value) {
  block.set([container, spelled(block, container, "startupDelay")], value, { asText: false });
  tidy(block, container);
}

/** @param {YamlPart} block @param {(string | number)[]} path @param {any} value */
function setFlow(block, path, value) {
  if (value === undefined) block.remove(path);
  else block.set(path, value);
  const node = block.node(path);
  if (isMap(node)) node.flow = true;
  for (const at of isSeq(node) ? node.items.keys() : []) for (const name of block.keys([...path, at, "paths"])) flowDown(block.node([...path, at, "paths", name]));
  if (isSeq(node)) for (const item of node.items) if (isMap(item) && !item.has("paths")) item.flow = true;
  if (isSeq(node) && path[path.length - 1] !== "listens") node.flow = node.items.length < 3;
}

/** @param {any} node */
function flowDown(node) {
  if (!isSeq(node)) return;
  node.flow = true;
  for (const item of node.items) if (isMap(item)) item.flow = true;
}

/** Remove a container that has no declared behaviour. @param {YamlPart} block @param {string} container */
function tidy(block, container) {
  const node = block.node([container]);
  if (isMap(node) && node.items.length === 0) block.doc.deleteIn([container]);
}
