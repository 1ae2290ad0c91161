// @ts-check
/** Where the pod is in a document: at its root, or in the template of a workload. */

/** @type {Record<string, string[]>} kind → path of the parent of the pod's metadata and spec */
const HOMES = {
  Pod: [],
  PodTemplate: ["template"],
  Deployment: ["spec", "template"],
  ReplicaSet: ["spec", "template"],
  ReplicationController: ["spec", "template"],
  StatefulSet: ["spec", "template"],
  DaemonSet: ["spec", "template"],
  Job: ["spec", "template"],
  CronJob: ["spec", "jobTemplate", "spec", "template"],
};

export const GROUPS = ["initContainers", "containers"];

/**
 * @param {string} kind
 * @returns {string[] | null} null for kinds without a pod
 */
export function podHome(kind) {
  return HOMES[kind] ?? null;
}

/**
 * The containers of a document in the order in which they start.
 * @param {any} part  a YamlPart
 * @returns {{ group: string, index: number, path: (string | number)[], name: string, isSidecar: boolean }[]}
 */
export function containersOf(part) {
  const home = podHome(part.kind);
  if (!home) return [];
  return GROUPS.flatMap((group) =>
    part.items([...home, "spec", group]).map((/** @type {any} */ _, /** @type {number} */ index) => {
      const path = [...home, "spec", group, index];
      return { group, index, path, name: String(part.get([...path, "name"]) ?? ""), isSidecar: group === "initContainers" && part.get([...path, "restartPolicy"]) === "Always" };
    }),
  );
}
