"""Families ``taint_eviction`` and ``podgc``."""

from typing import Any

from simulator.engine.api import pod_gc
from simulator.engine.api.manifest import convert, pod_from_document
from simulator.engine.api.pod import Toleration
from simulator.engine.api.pod_gc import Candidate
from simulator.engine.api.taint_eviction import Taint, eviction_delay_s, min_toleration_s
from simulator.engine.api.tolerations import tolerates
from simulator.engine.typed import Typed

Json = dict[str, Any]
_TOLERATION: Typed[Toleration] = Typed(Toleration)


def evaluate_taints(case: Json) -> Json:
    """``{seconds}``, ``{evictAfterSeconds}`` or ``{tolerates}``, by the case's op."""
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
    """``{deleted, markedFailed}``, and ``finalStatus`` of the pod where one was marked as an orphan."""
    pods = [_candidate(document) for document in case["pods"]]
    op = case["op"]
    if op == "terminated":
        return _told(pod_gc.terminated(pods, case["threshold"]), marks=False)
    if op == "unscheduledTerminating":
        return _told(pod_gc.unscheduled_terminating(pods))
    if op == "terminatingOutOfService":
        return _told(pod_gc.terminating_out_of_service(pods, {item["metadata"]["name"]: _health(item) for item in case["nodes"]}))
    found = pod_gc.orphaned(pods, _missing(case, pods))
    told = _told(found)
    for document in case["pods"]:
        if document["metadata"]["name"] in told["markedFailed"]:
            told["finalStatus"] = _marked(document["status"])
    return told


def _told(found: list[Candidate], *, marks: bool = True) -> Json:
    marked = [pod.name for pod in found if marks and pod_gc.is_marked_failed(pod)]
    return {"deleted": sorted(pod.name for pod in found), "markedFailed": sorted(marked)}


def _missing(case: Json, pods: list[Candidate]) -> list[str]:
    """Nodes that were missing when they entered the quarantine and when they left it."""
    since: dict[str, int] = {}
    found: list[str] = []
    for seen in case["passes"]:
        gone = [pod.node for pod in pods if pod.node and pod.node not in seen["nodes"]]
        for name in gone:
            since.setdefault(name, seen["at"])
        ripe = [name for name, at in since.items() if seen["at"] - at >= case["quarantineSeconds"]]
        found += [name for name in ripe if name in gone]
        since = {name: at for name, at in since.items() if name not in ripe}
    return found


def _candidate(document: Json) -> Candidate:
    metadata, status = document["metadata"], document.get("status") or {}
    return Candidate(
        name=metadata["name"],
        phase=status.get("phase", ""),
        reason=status.get("reason", ""),
        node=(document.get("spec") or {}).get("nodeName", ""),
        created=metadata.get("creationTimestamp", ""),
        is_deleting="deletionTimestamp" in metadata,
    )


def _health(node: Json) -> tuple[bool, bool]:
    conditions = (node.get("status") or {}).get("conditions") or []
    is_ready = any(item["type"] == "Ready" and item["status"] == "True" for item in conditions)
    taints = (node.get("spec") or {}).get("taints") or []
    return is_ready, any(item["key"] == pod_gc.OUT_OF_SERVICE for item in taints)


def _marked(status: Json) -> Json:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC", "message": "PodGC: node no longer exists"}
    return {**status, "phase": "Failed", "conditions": [*(status.get("conditions") or []), condition]}
