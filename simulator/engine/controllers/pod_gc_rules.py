"""Which pods the pod garbage collector deletes (gc_controller.go). Cost: one pass, a sort for ``terminated``."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.model.status import TERMINAL_PHASES

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_ACTIVE = ("Pending", "Running", "Unknown")


class CollectedPod(Struct, frozen=True, kw_only=True, gc=False):
    """A pod as the collector sees it."""

    name: str
    phase: str = ""
    reason: str = ""
    node: str = ""
    created_ms: Ms = 0
    is_deleting: bool = False


def terminated(pods: Iterable[CollectedPod], threshold: int, *, evicted_first: bool = True) -> list[CollectedPod]:
    """Finished pods beyond the threshold, the oldest first, before them evicted ones (1.23). A threshold of 0 or less collects none."""
    if threshold <= 0:
        return []
    finished = [pod for pod in pods if pod.phase not in _ACTIVE]
    # False sorts before True, hence the negation: evicted pods come first.
    ranked = sorted(finished, key=lambda pod: (not (evicted_first and _is_evicted(pod)), pod.created_ms, pod.name))
    return ranked[: max(len(finished) - threshold, 0)]


def _is_evicted(pod: CollectedPod) -> bool:
    return pod.phase == "Failed" and pod.reason == "Evicted"


def orphaned(pods: Iterable[CollectedPod], missing: Sequence[str]) -> list[CollectedPod]:
    """Pods bound to nodes that have been missing for the whole quarantine."""
    return [pod for pod in pods if pod.node and pod.node in missing]


def unscheduled_terminating(pods: Iterable[CollectedPod]) -> list[CollectedPod]:
    """Pods being deleted that never got a node."""
    return [pod for pod in pods if pod.is_deleting and not pod.node]


def terminating_out_of_service(pods: Iterable[CollectedPod], nodes: Mapping[str, tuple[bool, bool]]) -> list[CollectedPod]:
    """Pods being deleted on nodes that are not ready and out of service; ``nodes``: (ready, tainted out of service) by name."""
    # An unknown node counts as ready and untainted: only the orphan class may touch its pods.
    return [pod for pod in pods if pod.is_deleting and nodes.get(pod.node, (True, False)) == (False, True)]


def is_marked_failed(pod: CollectedPod) -> bool:
    """Whether the collector sets the phase Failed before it deletes the pod (1.26)."""
    return pod.phase not in TERMINAL_PHASES
