import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document.documentElement = /** @type {any} */ ({ style: {} });
const { containersOf, podHome } = await import("../../../static/js/editor/pods.js");
const { readParts } = await import("../../../static/js/editor/yaml-edit.js");

const SPEC = { initContainers: [{ name: "setup" }, { name: "proxy", restartPolicy: "Always" }, { name: "once", restartPolicy: "Never" }], containers: [{ name: "app", restartPolicy: "Always" }, { image: "a" }] };

/** The containers of a document of that kind whose pod has this spec. */
function containers(kind, spec = SPEC) {
  const document = (podHome(kind) ?? []).reduceRight((inner, name) => ({ [name]: inner }), { spec });
  const [part] = readParts(JSON.stringify({ kind, ...document }));
  return containersOf(part);
}

test("containers stand in the order in which they start, and only an init container that always starts again is a sidecar", () => {
  assert.deepEqual(containers("Pod").map(({ group, index, name, isSidecar }) => [group, index, name, isSidecar]), [
    ["initContainers", 0, "setup", false],
    ["initContainers", 1, "proxy", true],
    ["initContainers", 2, "once", false],
    ["containers", 0, "app", false],
    ["containers", 1, "", false],
  ]);
});

test("the pod of a workload stands in its template", () => {
  const paths = ["Pod", "PodTemplate", "Deployment", "CronJob"].map((kind) => containers(kind).at(-1).path.join("."));
  assert.deepEqual(paths, ["spec.containers.1", "template.spec.containers.1", "spec.template.spec.containers.1", "spec.jobTemplate.spec.template.spec.containers.1"]);
});

test("what has no pod has no containers", () => assert.deepEqual([containers("Service"), containers("Pod", {})], [[], []]));
