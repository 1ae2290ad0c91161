"""The cluster in which imported pods continue: the nodes they name, or nodes that refuse them for the scheduler's reasons.

Nodes in the text are used as they are. A node that pods run on but that is not in the text gets the labels those pods
require and plenty of room. A pod that could not be scheduled mentions nodes only as numbers ("0/3 nodes are available:
1 Insufficient cpu, 2 had taint"): the same number of nodes is created, and they refuse it for exactly these reasons, so
that the scheduler repeats its message and the user can fix the cause.
"""

import json
import re
from typing import Any

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.containers.docker import CONTAINERD, DOCKER
from simulator.engine.kernel.units import Ms
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.quantity import NANO, BadQuantity, value
from simulator.engine.model.requests import Amounts, pod_requests
from simulator.engine.model.system import LINUX
from simulator.engine.versions.minors import OLDEST
from simulator.engine.versions.release import Release
from simulator.engine.world.cluster import ClusterSpec, NodeSpec
from simulator.imports.moments import moment
from simulator.imports.read import SeenPod
from simulator.manifests.script.cluster import OS_LABEL, default_cluster, os_of

_UNAVAILABLE = re.compile(r"0/(\d+) nodes are available: (.*)", re.DOTALL)
_REASON = re.compile(r"(\d+) (.+)")
_TAINT = re.compile(r"node\(s\) had (?:untolerated )?taints? \{([^:}]++):? ?([^}]*+)\}")
_NOT_FOUND = re.compile(r'"([^"]*)" not found')
_NODES_MAX = 20
_FRESH_MS: Ms = 10_000
_ROOM = {"cpu": "32", "memory": "128Gi", "ephemeral-storage": "500Gi", "pods": "250"}
_SHORT_OF = "Insufficient "
_PASSING = tuple(f"node.kubernetes.io/{word}" for word in ("not-ready", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure"))
"""Taints that come and go with a node's conditions, which start afresh."""
_UNTAKEN = "node.kubernetes.io/unschedulable=:NoSchedule"


def cluster_of(pods: tuple[SeenPod, ...], *, now_ms: Ms, given: tuple[dict[str, Any], ...] = ()) -> ClusterSpec:
    """Nodes for these pods. Nodes that pods run on have room for them; if there are none, three default nodes.

    ``given`` are Nodes in the text, which are used as they are. A node whose kubelet never accepted the pod bound to it
    does not exist: that is why the pod stays Pending.
    """
    names = list(dict.fromkeys(str(pod.spec["nodeName"]) for pod in pods if pod.spec.get("nodeName") and _is_taken(pod, now_ms)))
    known = {str((node.get("metadata") or {}).get("name")): node for node in given}
    refused = next((found for pod in pods if (found := _refusing(pod, known=len(names)))), [])
    if not refused:
        names += [name for name in known if name not in names]
    listed = {name: _from_text(name, node) for name, node in known.items()}
    nodes = [listed[name] if name in listed else _named(name, [pod for pod in pods if pod.spec.get("nodeName") == name]) for name in names]
    nodes += refused
    return ClusterSpec(nodes=tuple(nodes) or default_cluster().nodes, runtime=_runtime_of(pods, given))


def _runtime_of(pods: tuple[SeenPod, ...], nodes: tuple[dict[str, Any], ...]) -> str:
    """The container runtime, as named by a Node or by container ids; containerd unless one of them names Docker."""
    infos = [(node.get("status") or {}).get("nodeInfo") or {} for node in nodes]
    named = [str(info.get("containerRuntimeVersion")) for info in infos if isinstance(info, dict)]
    shown = (status for pod in pods for status in pod.status.get("containerStatuses") or () if isinstance(status, dict))
    named += [str(status.get("containerID")) for status in shown]
    return DOCKER if any(name.startswith(f"{DOCKER}://") for name in named) else CONTAINERD


def _is_taken(pod: SeenPod, now_ms: Ms) -> bool:
    """Whether a kubelet accepted the pod, or still may."""
    return bool(pod.status.get("startTime")) or now_ms - (moment(pod.metadata.get("creationTimestamp")) or 0) < _FRESH_MS


def _named(name: str, pods: list[SeenPod]) -> NodeSpec:
    """A node that pods run on: with the labels they require, and room for them."""
    asked: dict[str, str] = {}
    for pod in pods:
        asked |= {**_selector(pod), **_wanted(pod.spec)}
    systems = (pod.spec["os"] for pod in pods if pod.spec.get("os"))
    os = os_of(next((item.get("name") for item in systems), None), asked)
    labels = {**_labels(name, os), **asked}
    size = dict(_ROOM)
    for pod in pods:
        for resource, nano in _asked(pod).items():
            if resource not in size:
                size[resource] = str(-(-nano // NANO) * 10)
    return NodeSpec(name=name, labels=labels, os=os, capacity=size, allocatable=size)


def lost_nodes(given: tuple[dict[str, Any], ...]) -> set[str]:
    """The names of the Nodes whose kubelet does not report: Ready is Unknown."""
    found = set()
    for node in given:
        conditions = (node.get("status") or {}).get("conditions") or ()
        if any(item.get("type") == "Ready" and item.get("status") == "Unknown" for item in conditions):
            found.add(str((node.get("metadata") or {}).get("name")))
    return found


def _from_text(name: str, node: dict[str, Any]) -> NodeSpec:
    """A node from the text, with what its kubelet reported."""
    metadata, spec, status = (node.get(part) or {} for part in ("metadata", "spec", "status"))
    taints = (item for item in spec.get("taints") or () if item.get("key") and item.get("effect"))
    size = {**_ROOM, **_amounts(status.get("capacity"))}
    labels = {str(key): str(value) for key, value in (metadata.get("labels") or {}).items()}
    info = status.get("nodeInfo") or {}
    os = os_of(info.get("operatingSystem"), labels)
    return NodeSpec(
        name=name,
        labels={**_labels(name, os), **labels},
        os=os,
        os_image=str(info.get("osImage") or ""),
        kernel_version=str(info.get("kernelVersion") or ""),
        taints=tuple(f"{item['key']}={item.get('value') or ''}:{item['effect']}" for item in taints if item["key"] not in _PASSING),
        capacity=size,
        allocatable={**size, **_amounts(status.get("allocatable"))},
    )


def _amounts(found: Any) -> dict[str, str]:
    """The quantities that can be parsed."""
    kept: dict[str, str] = {}
    for name, amount in (found if isinstance(found, dict) else {}).items():
        try:
            value(str(amount))
        except BadQuantity:
            continue
        kept[str(name)] = str(amount)
    return kept


def _wanted(spec: dict[str, Any]) -> dict[str, str]:
    """The labels that required node affinity asks for, as far as it names values; a pod that runs there matched them."""
    affinity = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    found: dict[str, str] = {}
    for term in (affinity.get("nodeSelectorTerms") or ())[:1]:
        for item in term.get("matchExpressions") or ():
            if item.get("operator") == "In" and item.get("values"):
                found[str(item.get("key"))] = str(item["values"][0])
            elif item.get("operator") == "Exists":
                found[str(item.get("key"))] = ""
    return found


def _refusing(pod: SeenPod, *, known: int) -> list[NodeSpec]:
    """Nodes that cannot take the pod for the scheduler's reasons, as many as it counted."""
    unscheduled = [item for item in pod.status["conditions"] if item["type"] == "PodScheduled" and item.get("status") == "False"]
    match = _UNAVAILABLE.match(str(unscheduled[0].get("message") or "")) if unscheduled else None
    if match is None:
        return []
    reasons = [found for part in match[2].partition(". preemption")[0].rstrip(". ").split(", ") if (found := _REASON.fullmatch(part))]
    total = max(min(int(match[1]), _NODES_MAX), 1)
    full = [(int(found[1]), found[2].removeprefix(_SHORT_OF)) for found in reasons if found[2].startswith(_SHORT_OF)]
    others = [found[2] for found in reasons if not found[2].startswith(_SHORT_OF) for _ in range(min(int(found[1]), total))][:total]
    rest = min(total - len(others), sum(number for number, _resource in full))
    unfit = [_unfit(f"node-{known + n + 1}", reason, pod) for n, reason in enumerate(others)]
    short = [_short(f"node-{known + len(others) + n + 1}", missing, pod) for n, missing in enumerate(_spread(full, rest))]
    return [*unfit, *short]


def _spread(full: list[tuple[int, str]], nodes: int) -> list[list[str]]:
    """What each of ``nodes`` nodes is short of. One node may lack several resources; the scheduler counts it for each of them."""
    missing: list[list[str]] = [[] for _ in range(nodes)]
    place = 0
    for number, resource in full:
        for _ in range(min(number, nodes)):
            missing[place % nodes].append(resource)
            place += 1
    return missing


def _fitting(name: str, pod: SeenPod) -> dict[str, str]:
    """The labels of a node that match the pod's selector and affinity: the scheduler checks resources only if these match."""
    return {**_labels(name), **_selector(pod), **_wanted(pod.spec)}


def _selector(pod: SeenPod) -> dict[str, str]:
    return {str(key): str(text) for key, text in (pod.spec.get("nodeSelector") or {}).items()}


def _labels(name: str, os: str = LINUX) -> dict[str, str]:
    return {"kubernetes.io/arch": "amd64", OS_LABEL: os, "kubernetes.io/hostname": name}


def _short(name: str, missing: list[str], pod: SeenPod) -> NodeSpec:
    """A node that the pod would fit on if it had more room."""
    size = {**_ROOM, **{resource: "0" if resource.endswith("/gpu") else _little(pod, resource) for resource in missing}}
    return NodeSpec(name=name, labels=_fitting(name, pod), capacity=size, allocatable=size)


def _unfit(name: str, reason: str, pod: SeenPod) -> NodeSpec:
    """A node that refuses the pod for a reason other than resources; reasons that are not supported here become a taint."""
    size = dict(_ROOM)
    taint = _TAINT.match(reason)
    if taint is not None:
        # The message does not name the effect; NoSchedule is what keeps a pod away.
        key = f"{taint[1]}={taint[2].strip()}:NoSchedule"
        return NodeSpec(name=name, labels=_labels(name), taints=(key,), capacity=size, allocatable=size)
    if reason == "Too many pods":
        size["pods"] = "0"
        return NodeSpec(name=name, labels=_fitting(name, pod), capacity=size, allocatable=size)
    taints = () if "affinity/selector" in reason or "node selector" in reason else (_UNTAKEN,)
    return NodeSpec(name=name, labels=_labels(name), taints=taints, capacity=size, allocatable=size)


def _asked(pod: SeenPod) -> Amounts:
    """The pod's requests; where the text leaves them out, its limits."""
    return pod_requests(pod_from_document(default_pod_document(pod.document, release=Release(OLDEST))).spec)


def _little(pod: SeenPod, resource: str) -> str:
    """Half of what the pod requests."""
    nano = _asked(pod).get(resource, 0)
    if resource == "cpu":
        return f"{nano * 1000 // NANO // 2}m"
    return str(nano // NANO // 2)


def companions_of(pods: tuple[SeenPod, ...], given: tuple[dict[str, Any], ...]) -> list[str]:
    """JSON texts of the objects to create along with the pods: those in the text, and stand-ins for what the pods refer to.

    Anything that the pods' own status reports as missing stays missing.
    """
    known = {(item["kind"], str(item["metadata"].get("namespace") or "default"), str(item["metadata"].get("name"))) for item in given}
    out = [json.dumps(item, ensure_ascii=False) for item in given]
    for pod in pods:
        # If the kubelet reports that something is missing, a stand-in would fix the pod.
        reported = json.dumps([pod.status["containerStatuses"], pod.status["initContainerStatuses"]]) + "".join(
            event.message for event in pod.events if event.reason in ("FailedMount", "Failed", "FailedScheduling")
        )
        missing = set(_NOT_FOUND.findall(reported.replace("\\", "")))
        for kind, name, keys in _references(pod.spec):
            key = (kind, pod.metadata["namespace"], name)
            if key in known or name in missing:
                continue
            known.add(key)
            out.append(json.dumps(_stand_in(kind, pod.metadata["namespace"], name, keys), ensure_ascii=False))
    return out


def _stand_in(kind: str, namespace: str, name: str, keys: list[str]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    if kind == "PersistentVolumeClaim":
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
    data = "stringData" if kind == "Secret" else "data"
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, data: dict.fromkeys(keys, "")}


def _references(spec: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """The ConfigMaps, Secrets and claims that the pod needs, with the keys it names."""
    found: dict[tuple[str, str], list[str]] = {}

    def note(kind: str, source: Any, name: str, key: Any = None) -> None:
        if isinstance(source, dict) and source.get(name) and source.get("optional") is not True:
            keys = found.setdefault((kind, str(source[name])), [])
            keys += [str(key)] if key is not None else [str(item.get("key")) for item in source.get("items") or ()]

    for volume in spec.get("volumes") or ():
        note("ConfigMap", volume.get("configMap"), "name")
        note("Secret", volume.get("secret"), "secretName")
        note("PersistentVolumeClaim", volume.get("persistentVolumeClaim"), "claimName")
        for source in (volume.get("projected") or {}).get("sources") or ():
            note("ConfigMap", source.get("configMap"), "name")
            note("Secret", source.get("secret"), "name")
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(group) or ():
            for item in container.get("envFrom") or ():
                note("ConfigMap", item.get("configMapRef"), "name")
                note("Secret", item.get("secretRef"), "name")
            for item in container.get("env") or ():
                source = item.get("valueFrom") or {}
                for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
                    if isinstance(source.get(field), dict):
                        note(kind, source[field], "name", source[field].get("key"))
    return [(kind, name, keys) for (kind, name), keys in found.items()]
