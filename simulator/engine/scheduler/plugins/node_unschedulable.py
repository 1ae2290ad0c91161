"""NodeUnschedulable: a cordoned node accepts only pods that tolerate its taint. Source: plugins/nodeunschedulable."""

from simulator.engine.kernel.records import Data
from simulator.engine.model.tolerations import tolerates
from simulator.engine.scheduler.framework import NODE_ADDED, NODE_TAINTS, SKIP, ClusterEvent, Cycle, Plugin, Unfit
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import World

_CORDON = ("node.kubernetes.io/unschedulable", "", "NoSchedule")
_REFUSAL = Unfit(("node(s) were unschedulable",))


def _begin(cycle: Cycle) -> object:
    return SKIP if tolerates(cycle.spec.tolerations, _CORDON) else True


def _filter(_cycle: Cycle, _state: object, node: NodeRow) -> Unfit | None:
    return _REFUSAL if node.unschedulable else None


def _explain(_cycle: Cycle, _state: object, _node: NodeRow) -> Data:
    return (("unschedulable", "true"),)


def _hint(_world: World, _row: PodRow, event: ClusterEvent) -> bool:
    return event.node is not None and not event.node.unschedulable


NODE_UNSCHEDULABLE = Plugin(
    name="NodeUnschedulable", begin=_begin, filter=_filter, explain=_explain, wakes={NODE_ADDED: _hint, NODE_TAINTS: _hint}
)
