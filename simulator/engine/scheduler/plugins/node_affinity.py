"""NodeAffinity: nodeSelector and required node affinity must match the node's labels.

All of nodeSelector must match and, of the required terms, any one with all its expressions;
preferred terms only score. Labels are read when the pod is placed: a node relabelled later keeps
its pods (IgnoredDuringExecution).

Source: plugins/nodeaffinity.
"""

from simulator.engine.kernel.records import Data
from simulator.engine.model.node_affinity import mismatch, node_matches, preference
from simulator.engine.scheduler.framework import NODE_ADDED, NODE_LABELS, SKIP, ClusterEvent, Cycle, Plugin, Unfit
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import World


def _begin(cycle: Cycle) -> object:
    spec = cycle.spec
    if not spec.node_selector and not (spec.affinity and spec.affinity.get("nodeAffinity")):
        return SKIP
    return Unfit((cycle.profile.node_affinity_text,))


def _filter(cycle: Cycle, refusal: Unfit, node: NodeRow) -> Unfit | None:
    return None if node_matches(cycle.spec, node.labels, node.name) else refusal


def _explain(cycle: Cycle, _state: object, node: NodeRow) -> Data:
    wanted, found = mismatch(cycle.spec, node.labels, node.name)
    return (("wanted", wanted), ("node_has", found))


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int] | None:
    if not cycle.spec.affinity:
        return None
    found = [preference(cycle.spec, node.labels, node.name) for node in nodes]
    most = max(found)
    return [100 * each // most for each in found] if most else None


def _hint(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    return event.node is not None and node_matches(row.pod.spec, event.node.labels, event.node.name)


NODE_AFFINITY = Plugin(
    name="NodeAffinity",
    begin=_begin,
    filter=_filter,
    explain=_explain,
    score=_score,
    weight="score_weight_node_affinity",
    wakes={NODE_ADDED: _hint, NODE_LABELS: _hint},
)
