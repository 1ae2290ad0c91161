"""Families ``taint_eviction`` and ``podgc``."""

from simulator.engine.controllers import pod_gc_rules as pod_gc
from simulator.engine.controllers.pod_gc_rules import CollectedPod
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.model.manifest import convert, pod_from_document
from simulator.engine.model.pod import Toleration
from simulator.engine.model.status_json import from_status
from simulator.engine.model.times import parse_time
from simulator.engine.model.tolerations import tolerates
from simulator.engine.policies.taint_eviction import Taint, eviction_delay_s, min_toleration_s
from simulator.fidelity.cases.scene import Scene, spelled

_TOLERATION: Typed[Toleration] = Typed(Toleration)
_SEEN_MS: Ms = 1000
"""By then the pods are known to be bound to nodes that do not exist."""
_ROUNDS = 3
"""After this many rounds of the collector everything due has been deleted: the first one notices, the second may come too early."""


def evaluate_taints(case: Json) -> Json:
    """``{seconds}``, ``{evictAfterSeconds}`` or ``{tolerates}``, depending on the case's op."""
    op = case["op"]
    if op == "minTolerationSeconds":
        return {"seconds": min_toleration_s(_tolerations(case))}
    if op == "evictionDelay":
        spec = pod_from_document({**case["pod"], "spec": {"containers": [], **case["pod"].get("spec", {})}}).spec
        return {"evictAfterSeconds": eviction_delay_s(spec.tolerations, [_taint(item) for item in case["taints"]])}
    if op == "tolerates":
        return {"tolerates": tolerates((convert(case["toleration"], _TOLERATION),), _taint(case["taint"]))}
    return {"tolerates": all(tolerates(_tolerations(case), _taint(item)) for item in case.get("taints") or [])}


def _tolerations(case: Json) -> tuple[Toleration, ...]:
    return tuple(convert(item, _TOLERATION) for item in case.get("tolerations") or [])


def _taint(item: Json) -> Taint:
    return (item.get("key", ""), item.get("value", ""), item.get("effect", ""))


def evaluate_gc(case: Json) -> Json:
    """``{deleted, markedFailed}``, and ``finalStatus`` of the pod if one was marked as an orphan."""
    if case["op"] == "orphaned":
        return _orphaned(case)
    pods = [_candidate(document) for document in case["pods"]]
    if case["op"] == "terminated":
        return _result(pod_gc.terminated(pods, case["threshold"]), marks=False)
    if case["op"] == "unscheduledTerminating":
        return _result(pod_gc.unscheduled_terminating(pods))
    return _result(pod_gc.terminating_out_of_service(pods, {item["metadata"]["name"]: _health(item) for item in case["nodes"]}))


def _orphaned(case: Json) -> Json:
    """What the collector of a run does with pods on missing nodes; nodes that return do so halfway through the quarantine."""
    first, last = case["passes"][0], case["passes"][-1]
    quarantine_ms = seconds(case["quarantineSeconds"])
    scene = Scene(nodes=first["nodes"], figures={"pod_gc_quarantine_ms": quarantine_ms})
    keys = {item["metadata"]["name"]: scene.pod(item, node=item["spec"]["nodeName"]) for item in case["pods"]}
    scene.go_on(_SEEN_MS + quarantine_ms // 2)
    for name in last["nodes"]:
        if name not in first["nodes"]:
            scene.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": spelled(name)}})
    scene.go_on(_SEEN_MS + quarantine_ms + _ROUNDS * scene.world.profile.pod_gc_ms)
    marked = {record.subject for record in scene.records if record.machine == "phase" and record.rule == "POD-GC"}
    failed = sorted(name for name, key in keys.items() if scene.world.tables.pods[key].subject in marked)
    result: Json = {"deleted": sorted(name for name, key in keys.items() if scene.is_gone(key)), "markedFailed": failed}
    for name in failed:
        result["finalStatus"] = from_status(scene.world.tables.pods[keys[name]].status)
    return result


def _result(found: list[CollectedPod], *, marks: bool = True) -> Json:
    marked = [pod.name for pod in found if marks and pod_gc.is_marked_failed(pod)]
    return {"deleted": sorted(pod.name for pod in found), "markedFailed": sorted(marked)}


def _candidate(document: Json) -> CollectedPod:
    metadata, status = document["metadata"], document.get("status") or {}
    return CollectedPod(
        name=metadata["name"],
        phase=status.get("phase", ""),
        reason=status.get("reason", ""),
        node=(document.get("spec") or {}).get("nodeName", ""),
        created_ms=parse_time(metadata["creationTimestamp"]) if "creationTimestamp" in metadata else 0,
        is_deleting="deletionTimestamp" in metadata,
    )


def _health(node: Json) -> tuple[bool, bool]:
    conditions = (node.get("status") or {}).get("conditions") or []
    is_ready = any(item["type"] == "Ready" and item["status"] == "True" for item in conditions)
    taints = (node.get("spec") or {}).get("taints") or []
    return is_ready, any(item["key"] == pod_gc.OUT_OF_SERVICE for item in taints)
