"""Critical pods: static ones, mirrors, and those of a system priority class. Source: types/pod_update.go."""

from simulator.engine.model.meta import MIRROR
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

SOURCE_ANNOTATION = "kubernetes.io/config.source"


def is_static(row: PodRow) -> bool:
    """Whether the pod comes from a node's manifest folder (seen through its mirror)."""
    notes = row.pod.metadata.annotations
    return MIRROR in notes or notes.get(SOURCE_ANNOTATION, "api") != "api"


def is_critical(fx: Effects, row: PodRow) -> bool:
    """Whether the kubelet never evicts the pod and may evict others to admit it."""
    return is_static(row) or (row.pod.spec.priority or 0) >= fx.profile.critical_priority
