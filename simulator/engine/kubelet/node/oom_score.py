"""oom_score_adj: how the kubelet tells the kernel what to kill first when a node runs out of memory.

Source: pkg/kubelet/qos/policy.go GetContainerOOMScoreAdjust.
"""

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import value

GUARANTEED = -997
BEST_EFFORT = 1000
NODE_CRITICAL_PRIORITY = 2_000_001_000
"""Priority of system-node-critical."""


class NodeMemory(Struct, frozen=True, gc=False):
    """The node's memory, and what the version supports: sidecars (1.29) and pod-level resources (1.32)."""

    capacity_bytes: int
    sidecars: bool = True
    pod_level: bool = True


def oom_score_adj(spec: PodSpec, container: Container, qos: str, node: NodeMemory) -> int:
    """The score of a container's processes, −997 … 1000; the higher, the sooner they are killed."""
    if (spec.priority or 0) >= NODE_CRITICAL_PRIORITY or qos == "Guaranteed":
        return GUARANTEED
    if qos == "BestEffort":
        return BEST_EFFORT
    score = _burstable(_request(spec, container, node), node.capacity_bytes)
    is_sidecar = any(item.name == container.name and item.restart_policy == "Always" for item in spec.init_containers)
    if node.sidecars and is_sidecar and spec.containers:
        smallest = min(_request(spec, item, node) for item in spec.containers)
        score = min(score, _burstable(smallest, node.capacity_bytes))
    return score


def _request(spec: PodSpec, container: Container, node: NodeMemory) -> int:
    """The container's memory request, with its share of what the pod requests beyond its containers."""
    own = value(container.resources.requests.get("memory", 0))
    if not node.pod_level or spec.resources is None or "memory" not in spec.resources.requests:
        return own
    members = (*spec.containers, *(item for item in spec.init_containers if item.restart_policy == "Always"))
    asked = sum(value(item.resources.requests.get("memory", 0)) for item in members)
    spare = max(value(spec.resources.requests["memory"]) - asked, 0)
    return own + spare // max(len(members), 1)


def _burstable(request: int, capacity: int) -> int:
    score = 1000 - 1000 * request // max(capacity, 1)
    return min(max(score, 1000 + GUARANTEED), BEST_EFFORT - 1)


RULES = (
    RuleText(
        "OOM-SCORE",
        gettext_noop("When the node runs out of memory, BestEffort processes (1000) are killed first and Guaranteed ones (-997) last."),
        "pkg/kubelet/qos/policy.go",
    ),
)
