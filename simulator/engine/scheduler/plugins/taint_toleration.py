"""TaintToleration: NoSchedule and NoExecute taints must be tolerated.

The first taint that is not tolerated rejects the node, and only this one is named. PreferNoSchedule
taints score: the fewer a pod does not tolerate the better, relative to the worst node that fits. Pods
already on the node are not considered; what NoExecute means for them is the business of
taint eviction.

Source: plugins/tainttoleration.
"""

from simulator.engine.kernel.records import Data
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.qos import qos_class
from simulator.engine.model.tolerations import tolerates
from simulator.engine.scheduler.framework import NODE_ADDED, NODE_TAINTS, ClusterEvent, Cycle, Plugin, Unfit
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import World

_MEMORY_PRESSURE = "node.kubernetes.io/memory-pressure"


def _begin(_cycle: Cycle) -> object:
    return True


def _untolerated(spec: PodSpec, node: NodeRow) -> tuple[str, str, str] | None:
    """The first taint that keeps the pod away."""
    for taint in node.taints:
        if taint[2] != "PreferNoSchedule" and not tolerates(spec.tolerations, taint):
            if taint[0] == _MEMORY_PRESSURE and qos_class(spec) != "BestEffort":
                continue  # the control plane gives every such pod that toleration
            return taint
    return None


def _filter(cycle: Cycle, _state: object, node: NodeRow) -> Unfit | None:
    taint = _untolerated(cycle.spec, node) if node.taints else None
    return Unfit((cycle.profile.taint_text.format(taint=f"{taint[0]}: {taint[1]}"),)) if taint is not None else None


def _explain(cycle: Cycle, _state: object, node: NodeRow) -> Data:
    key, text, effect = _untolerated(cycle.spec, node) or ("", "", "")
    return (("taint", f"{key}={text}:{effect}" if text else f"{key}:{effect}"),)


def soft_taints(cycle: Cycle, node: NodeRow) -> int:
    """How many PreferNoSchedule taints of the node the pod does not tolerate."""
    return sum(taint[2] == "PreferNoSchedule" and not tolerates(cycle.spec.tolerations, taint) for taint in node.taints)


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int] | None:
    found = [soft_taints(cycle, node) if node.taints else 0 for node in nodes]
    worst = max(found)
    return [100 - 100 * each // worst for each in found] if worst else None  # if it is the same for all nodes it decides nothing


def _hint(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    return event.node is not None and _untolerated(row.pod.spec, event.node) is None


TAINT_TOLERATION = Plugin(
    name="TaintToleration",
    begin=_begin,
    filter=_filter,
    explain=_explain,
    score=_score,
    weight="score_weight_taint_toleration",
    wakes={NODE_ADDED: _hint, NODE_TAINTS: _hint},
)
