"""When a pod has to leave a node with NoExecute taints.

Every taint must be matched by a toleration; the first that is not means now. Of the matching
tolerations the shortest tolerationSeconds counts, and zero or less means now. Tolerations without
seconds set no limit, but they do not lift that of another: two taints, one tolerated for 300 s and
one without limit, mean 300 s.

Only the first matching toleration of each taint is used, so their order in the spec can matter.

Source: pkg/controller/nodelifecycle/scheduler/taint_manager.go processPodOnNode.
"""

from collections.abc import Iterable

from simulator.engine.model.pod import Toleration
from simulator.engine.model.tolerations import tolerates

Taint = tuple[str, str, str]
"""Key, value and effect."""
FOREVER = -1


def min_toleration_s(used: Iterable[Toleration]) -> int:
    """The shortest tolerationSeconds of the tolerations in use; 0 if there are none, ``FOREVER`` if none has a limit."""
    items = tuple(used)
    limits = [item.toleration_seconds for item in items if item.toleration_seconds is not None]
    if not items or any(limit <= 0 for limit in limits):
        return 0
    return min(limits, default=FOREVER)


def eviction_delay_s(tolerations: tuple[Toleration, ...], taints: Iterable[Taint]) -> int | None:
    """Seconds until the pod is evicted, from the moment the taints are seen: 0 at once, None never."""
    used: list[Toleration] = []
    for taint in taints:
        if taint[2] != "NoExecute":
            continue
        matching = next((item for item in tolerations if tolerates((item,), taint)), None)
        if matching is None:
            return 0
        used.append(matching)
    delay = min_toleration_s(used) if used else FOREVER
    return None if delay == FOREVER else delay
