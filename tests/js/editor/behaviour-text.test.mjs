import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document.documentElement = /** @type {any} */ ({ style: {} });
const text = await import("../../../static/js/editor/behaviour-text.js");
const { readParts, YamlPart } = await import("../../../static/js/editor/yaml-edit.js");

const block = (words = "") => new YamlPart(words, { from: 0, to: words.length });
/** A block after something was written into it. */
function written(words, act) {
  const own = block(words);
  act(own);
  return own.print();
}

test("endings are read: a moment and a code, or never", () => {
  assert.deepEqual(text.endingsOf(block("app:\n  exit: {after: 5s, code: 1}\n"), "app"), [{ after: "5s", code: "1" }]);
  assert.deepEqual(text.endingsOf(block("app:\n  exit: [{}, never]\n"), "app"), [{ after: "0s", code: "0" }, { after: "", code: "never" }]);
  assert.deepEqual(text.endingsOf(block(), "app"), []);
});

test("endings are written, one alone or several as a list, and none where it runs on anyway", () => {
  const endings = (...all) => written("", (own) => text.writeEndings(own, "app", all));
  assert.equal(endings({ after: "", code: "2" }), "app:\n  exit: { after: 0s, code: 2 }\n".replace("{ ", "{").replace(" }", "}"));
  assert.match(endings({ after: "1s", code: "0" }, { after: "", code: "never" }), /exit: \[{after: 1s, code: 0}, never\]/);
  assert.deepEqual([endings({ after: "", code: "never" }).trim(), endings().trim()], ["null", "null"]);
});

test("what TERM does is read and written, also in the other spelling", () => {
  const read = (words) => text.termOf(block(words), "app");
  assert.deepEqual([read("app: {onTerm: ignore}"), read("app: {onTerm: exit}"), read("app: {on-term: {after: 3s, exit: 2}}"), read("app: {onTerm: {}}"), read("")], [
    { how: "ignore", after: "", code: "0" },
    { how: "", after: "", code: "0" },
    { how: "after", after: "3s", code: "2" },
    { how: "after", after: "0s", code: "0" },
    { how: "", after: "", code: "0" },
  ]);
  const write = (words, term) => written(words, (own) => text.writeTerm(own, "app", { after: "", code: "", ...term }));
  assert.match(write("", { how: "ignore" }), /onTerm: ignore/);
  assert.match(write("", { how: "after" }), /onTerm: {exit: 0, after: 5s}/);
  assert.match(write("app: {on-term: ignore}\n", { how: "after", after: "1s", code: "3" }), /on-term: {exit: 3, after: 1s}/);
  assert.equal(write("app:\n  onTerm: ignore\n", { how: "" }).trim(), "{}");
});

test("points of memory and lines of a log are read and written, those that say nothing are left out", () => {
  assert.deepEqual(text.memoryOf(block("app: {memory: [{at: 1s, bytes: 5Mi}, {}]}"), "app"), [["1s", "5Mi"], ["0s", ""]]);
  assert.deepEqual(text.logOf(block("app: {log: [{at: 1s, text: hi}, {}]}"), "app"), [["1s", "hi"], ["0s", ""]]);
  assert.match(written("", (own) => text.writeMemory(own, "app", [["", "5Mi"], ["1s", ""]])), /memory: \[{at: 0s, bytes: 5Mi}\]/);
  assert.match(written("", (own) => text.writeLog(own, "app", [["", "hi"], ["1s", ""]])), /log: \[{at: 0s, text: hi}\]/);
  assert.equal(written("app:\n  log: [{at: 1s, text: hi}]\n", (own) => text.writeLog(own, "app", [])).trim(), "{}");
});

const ANSWERS = "app:\n  listens:\n  - 80\n  - port: 8080\n    paths: {/: 200, /ready: [{from: 0s, status: 503}, {from: 9s, status: 200}]}\n  - port: 9090\n";

test("what answers on a port is read as a row for each path", () => {
  assert.deepEqual(text.answersOf(block(ANSWERS), "app"), [["80", "", ""], ["8080", "/", "200"], ["8080", "/ready", "0s 503, 9s 200"], ["9090", "", ""]]);
});

test("rows are written by port, a status alone or from moments on, what is no port is left out", () => {
  const rows = [["8080", "/", "200"], ["8080", "/ready", "0s 503, 9s 200, odd"], ["90", "", ""], ["x", "/", "200"], ["70", "/a", " "]];
  const own = block();
  text.writeAnswers(own, "app", rows);
  assert.deepEqual(text.answersOf(block(own.print()), "app"), [["8080", "/", "200"], ["8080", "/ready", "0s 503, 9s 200"], ["90", "", ""], ["70", "/a", "200"]]);
  assert.equal(written(ANSWERS, (rest) => text.writeAnswers(rest, "app", [])).trim(), "{}");
});

test("a port that says more than rows can show is rich", () => {
  const rich = (port) => text.answersAreRich(block(`app: {listens: [${port}]}`), "app");
  assert.deepEqual(["80", "{port: 80}", "{port: 80, paths: {/: 200}}", "{port: 80, paths: {/: [{from: 1s, status: 200}]}}", "{port: 80, grpc: {a: SERVING}}", "{port: 80, paths: {/: [{from: 1s, status: 200, delay: 1s}]}}", "{port: 80, paths: {/: {a: 1}}}"].map(rich), [false, false, false, false, true, true, true]);
});

test("what commands return is read and written, 0 where nothing is said", () => {
  assert.deepEqual(text.execOf(block("app: {exec: {cat /x: 1, ls: [{from: 2s}, 5]}}"), "app"), [["cat /x", "1"], ["ls", "2s 0, "]]);
  const own = written("", (rest) => text.writeExec(rest, "app", [["ls", ""], ["", "1"], ["cat", "3"]]));
  assert.deepEqual(text.execOf(block(own), "app"), [["ls", "0"], ["cat", "3"]]);
  const rich = (answers) => text.execIsRich(block(`app: {exec: {ls: ${answers}}}`), "app");
  assert.deepEqual([rich("1"), rich("[{from: 1s, status: 0}]"), rich("[{from: 1s, stdout: x}]"), rich("{}")], [false, false, true, true]);
});

test("no command at all leaves no list of commands", () => {
  assert.equal(written("app:\n  exec: {ls: 0}\n", (own) => text.writeExec(own, "app", [["", "1"]])).trim(), "{}");
});

test("a program and a delay are read and written, and a container about which nothing is said has no line", () => {
  assert.deepEqual([text.programOf(block("app: {program: nginx}"), "app"), text.programOf(block(), "app"), text.delayOf(block("app: {startup-delay: 3s}"), "app"), text.delayOf(block(), "app")], ["nginx", "", "3s", ""]);
  assert.match(written("", (own) => text.writeProgram(own, "app", "nginx")), /program: nginx/);
  assert.equal(written("app:\n  program: nginx\n", (own) => text.writeProgram(own, "app", "")).trim(), "{}");
  assert.match(written("app: {startup-delay: 3s}\n", (own) => text.writeDelay(own, "app", "5s")), /startup-delay: 5s/);
  assert.match(written("app:\n  program: x\n  startupDelay: 3s\n", (own) => text.writeDelay(own, "app", "")), /^app:\n {2}program: x\n$/);
});

const pod = (container, kind = "Pod") => readParts(kind === "Pod" ? `kind: Pod\nspec:\n  containers:\n  - name: app\n${container}` : `kind: ${kind}\nspec:\n  template:\n    spec: {}\n`)[0];

test("the annotation is taken out of its document and put back, without it where nothing is said", () => {
  const part = pod("");
  const own = text.behaviourOf(part);
  text.writeProgram(own, "app", "nginx");
  text.writeBehaviour(part, own);
  assert.match(part.print(), /annotations:\n {4}podscope\.dev\/behaviour: \|\n {6}app:\n {8}program: nginx\n/);
  const again = text.behaviourOf(part);
  assert.equal(text.programOf(again, "app"), "nginx");
  text.writeProgram(again, "app", "");
  text.writeBehaviour(part, again);
  assert.doesNotMatch(part.print(), /annotations/);
});

test("a workload has it in its template", () => {
  const part = pod("", "Deployment");
  const own = text.behaviourOf(part);
  text.writeProgram(own, "app", "nginx");
  text.writeBehaviour(part, own);
  assert.equal(part.has(["spec", "template", "metadata", "annotations", "podscope.dev/behaviour"]), true);
});

const presumed = (container, more = {}) => written("", (own) => text.writePresumed(own, { part: pod(container), path: ["spec", "containers", 0], name: "app", group: "containers", isSidecar: false, ...more }));

test("of a container is presumed that what its probes ask for succeeds", () => {
  assert.match(presumed("    ports: [{name: web, containerPort: 8080}]\n    readinessProbe: {httpGet: {port: web, path: /ready}}\n    livenessProbe: {httpGet: {port: 8080}}\n"), /listens:\n.*port: 8080\n.*paths:[^]*\/: 200[^]*\/ready: 200/);
  assert.match(presumed("    livenessProbe: {exec: {command: [cat, /x]}}\n"), /exec: {cat \/x: 0}/);
  assert.match(presumed("    livenessProbe: {grpc: {port: 9000, service: s}}\n"), /port: 9000[^]*s: SERVING/);
  assert.match(presumed("    livenessProbe: {tcpSocket: {port: 7000}}\n"), /port: 7000/);
});

test("of a port that no container names nothing is presumed", () => {
  assert.doesNotMatch(presumed("    livenessProbe: {tcpSocket: {port: web}}\n"), /listens/);
  assert.doesNotMatch(presumed("    ports: [{name: other, containerPort: 80}]\n    livenessProbe: {httpGet: {port: web}}\n"), /paths/);
});

test("an init container is presumed to end, a sidecar and any other to end at TERM", () => {
  const init = { group: "initContainers" };
  assert.match(presumed("", init), /exit: {after: 1s, code: 0}/);
  assert.match(presumed("", { ...init, isSidecar: true }), /onTerm: exit/);
  assert.match(presumed(""), /onTerm: exit/);
  assert.doesNotMatch(presumed("    ports: [{containerPort: 80}]\n"), /onTerm/);
  assert.doesNotMatch(presumed("    livenessProbe: {exec: {command: [cat, /x]}}\n"), /onTerm/);
});

test("what a container does at TERM is presumed only where nothing else is known of it, presumed or written", () => {
  assert.doesNotMatch(presumed("    ports: [{containerPort: 80}]\n    livenessProbe: {exec: {command: [cat, /x]}}\n"), /onTerm/);
  assert.doesNotMatch(presumed("", { group: "initContainers" }), /onTerm/);
});

test("the image of a container is named as the check names it", () => assert.equal(text.imagePath(["spec", "containers", 0]), "spec.containers[0].image"));
