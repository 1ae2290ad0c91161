"""Which static pod a mirror in the API represents, and whether its manifest is still in the folder."""

from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow, StaticPod


def static_pod_of(fx: Effects, row: PodRow) -> StaticPod | None:
    """The static pod that this pod object mirrors, or None. O(static pods)."""
    for item in fx.tables.static_pods.values():
        if item.pod == row.key:
            return item
    return None


def is_manifest_gone(fx: Effects, row: PodRow) -> bool:
    """Whether the pod is a mirror whose file is gone, so that its worker has to stop everything."""
    static = static_pod_of(fx, row)
    return static is not None and static.removed
