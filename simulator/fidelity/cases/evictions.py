"""Family ``eviction_ranking``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kubelet.node.eviction_rules import Candidate, Use, rank
from simulator.engine.model.manifest import pod_from_document


def evaluate(case: Json) -> Json:
    """``{order}``: the names of the pods in order of eviction."""
    candidates = [_candidate(document, case["stats"]) for document in case["pods"]]
    return {"order": [item.name for item in rank(candidates, case["pressure"], case["orderBy"])]}


def _candidate(document: Json, stats: Json) -> Candidate:
    name = document["metadata"]["name"]
    spec = pod_from_document({"spec": {"containers": []}, **document}).spec
    measured = stats.get(name)
    if measured is None:
        return Candidate(name=name, spec=spec)
    volumes = len(spec.volumes)
    return Candidate(name=name, spec=spec, use=Use(
        memory_bytes=measured.get("memoryWorkingSetBytes", 0),
        disk_bytes=measured.get("rootfsBytes", 0) + measured.get("logsBytes", 0) + measured.get("bytesPerLocalVolume", 0) * volumes,
        inodes=measured.get("rootfsInodes", 0) + measured.get("logsInodes", 0) + measured.get("inodesPerLocalVolume", 0) * volumes,
        processes=measured.get("processCount", 0),
    ))  # fmt: skip
