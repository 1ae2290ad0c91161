"""Family ``pod_deletion_ranking``."""

from msgspec.structs import replace

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.status_json import to_status
from simulator.engine.model.times import parse_time
from simulator.engine.versions import resolve
from simulator.engine.workloads.ranking import Ranked, decides, in_order_of_deletion, ranked
from simulator.engine.world.rows import PodRow
from simulator.fidelity.cases.pods import KUBERNETES


def evaluate(case: Json) -> Json:
    """``{aBeforeB, bBeforeA}`` for two pods with ranks, or ``{order}``: the names of the pods in order of deletion."""
    now_ms, profile = parse_time(case["now"]), resolve(KUBERNETES)
    if case["op"] == "sort":
        return {"order": [item.name for item in in_order_of_deletion([_ranked(pod, 0) for pod in case["pods"]], now_ms, profile)]}
    one, other = (_ranked(case[name]["pod"], case[name]["rank"]) for name in ("a", "b"))
    first, second = decides(one, other, now_ms, profile)[0], decides(other, one, now_ms, profile)[0]
    return {"aBeforeB": first < 0, "bBeforeA": second < 0}


def _ranked(document: Json, rank: int) -> Ranked:
    """A pod in a case as the ranking of a run sees it; a case may leave out its creation time."""
    pod = pod_from_document({**document, "spec": {"containers": [], **(document.get("spec") or {})}})
    created = pod.metadata.creation_timestamp
    row = PodRow(
        key=pod.metadata.name, namespace="", name=pod.metadata.name, uid=pod.metadata.uid, pod=pod, document="",
        created_ms=parse_time(created) if created else 0, status=to_status(document.get("status") or {}), node=pod.spec.node_name or "",
    )  # fmt: skip
    found = ranked(row, rank)
    return found if created else replace(found, created_ms=None)
