"""PodTopologySpread: pods of a kind spread evenly over the values of a node label.

DoNotSchedule filters: the pods in the node's domain, plus the new pod if its own selector matches
it, may exceed the least filled domain by at most maxSkew. Which domains exist is taken from nodes
the pod could use (nodeAffinityPolicy, nodeTaintsPolicy); a domain that it cannot use would
otherwise stay at 0 and block every other. With fewer domains than minDomains the minimum counts as 0.

ScheduleAnyway scores, and so do the scheduler's own constraints for pods of a Service, ReplicaSet
or StatefulSet (maxSkew 3 by host name, 5 by zone). The weight of a constraint is the logarithm of
the number of its domains: with many domains each holds few pods, and small differences must still
count.

Terminating pods are not counted, though they take room: spreading considers what will remain.

Constraints are checked when a pod is placed and never again. A rollout counts old and new pods
alike unless matchLabelKeys tells them apart.

Source: plugins/podtopologyspread/common.go, filtering.go, scoring.go; plugins/helper/spread.go.
"""

from functools import lru_cache
from math import log
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.records import Data
from simulator.engine.model.node_affinity import node_matches
from simulator.engine.model.selectors import Requirement, Selector, from_document, selects
from simulator.engine.model.tolerations import tolerates
from simulator.engine.scheduler.cache import node_known
from simulator.engine.scheduler.framework import (
    NODE_ADDED,
    NODE_LABELS,
    NODE_TAINTS,
    POD_FREED,
    POD_LABELS,
    POD_PLACED,
    SKIP,
    ClusterEvent,
    Cycle,
    Plugin,
    Unfit,
    any_of,
)
from simulator.engine.workloads.objects import selector_of, spec_of
from simulator.engine.world.lookups import objects_of, pods_selected
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import ApiObject, World

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
_NOT_SPREAD = "node(s) didn't match pod topology spread constraints"
_MISSING = Unfit((f"{_NOT_SPREAD} (missing required label)",))
_UNEVEN = Unfit((_NOT_SPREAD,), is_curable=True)
MILLION = 1_000_000
"""Weights are logarithms; as millionths they are the same on every machine."""


class Constraint(Struct, frozen=True, gc=False):
    """A constraint; the API server has dropped what its version does not use.

    ``honours_affinity``, ``honours_taints``: which nodes count at all.
    """

    topology_key: str
    max_skew: int
    selector: Selector | None
    min_domains: int = 1
    honours_affinity: bool = True
    honours_taints: bool = False


class SpreadCounts(Struct, frozen=True, gc=False):
    """A constraint with the pods it matches, counted by value of its label; ``least`` is the smallest of the counts."""

    constraint: Constraint
    counts: dict[str, int]
    least: int
    own: int  # 1 if the pod itself matches


def constraints_of(cycle: Cycle, action: str) -> tuple[Constraint, ...]:
    """The pod's own constraints of that kind: ``DoNotSchedule`` or ``ScheduleAnyway``."""
    given = cycle.spec.topology_spread_constraints
    return tuple(_read(cycle, item) for item in given if item.get("whenUnsatisfiable") == action)


def _read(cycle: Cycle, item: dict[str, Any]) -> Constraint:
    selector = from_document(item.get("labelSelector"))
    if selector is not None:
        labels = cycle.row.pod.metadata.labels
        selector += tuple(Requirement(key, "In", (labels[key],)) for key in item.get("matchLabelKeys") or () if key in labels)
    return Constraint(
        str(item.get("topologyKey")),
        int(item.get("maxSkew") or 1),
        selector,
        int(item.get("minDomains") or 1),
        item.get("nodeAffinityPolicy") != "Ignore",
        item.get("nodeTaintsPolicy") == "Honor",
    )


def default_constraints(cycle: Cycle) -> tuple[Constraint, ...]:
    """The scheduler's default constraints for a pod without its own that a Service, ReplicaSet or StatefulSet selects. O(Services)."""
    if cycle.spec.topology_spread_constraints:
        return ()
    selector = default_selector(cycle)
    return (Constraint(HOSTNAME, 3, selector), Constraint(ZONE, 5, selector)) if selector else ()


def default_selector(cycle: Cycle) -> Selector:
    """What the Services, the ReplicaSet and the StatefulSet of the pod select together; nothing if there are none."""
    row, tables = cycle.row, cycle.tables
    labels = row.pod.metadata.labels
    merged: dict[str, str] = {}
    has_services = ("Service", row.namespace) in tables.names_by_kind.held
    for held in objects_of(tables, "Service", row.namespace) if labels and has_services else ():
        selector = _map_of(held)
        if selector and all(labels.get(key) == value for key, value in selector):
            merged.update(selector)
    found: Selector = tuple([Requirement(key, "In", (value,)) for key, value in merged.items()])
    for owner in row.pod.metadata.owner_references:
        if owner.controller and owner.kind in ("ReplicaSet", "StatefulSet", "ReplicationController"):
            controller = tables.objects.get((owner.kind, row.namespace, owner.name))
            if controller is not None and owner.kind == "ReplicationController":
                found += tuple(Requirement(key, "In", (value,)) for key, value in _map_of(controller))
            elif controller is not None:
                found += selector_of(controller) or ()
    return tuple(dict.fromkeys(found))


def _map_of(row: ApiObject) -> tuple[tuple[str, str], ...]:
    """The selector of a Service or ReplicationController, which is a map."""
    return tuple((spec_of(row).get("selector") or {}).items())


def _is_place(cycle: Cycle, constraint: Constraint, node: NodeRow) -> bool:
    """Whether pods on the node count for the constraint."""
    if constraint.honours_affinity and not node_matches(cycle.spec, node.labels, node.name):
        return False
    return not constraint.honours_taints or all(
        taint[2] == "PreferNoSchedule" or tolerates(cycle.spec.tolerations, taint) for taint in node.taints
    )


def counted(cycle: Cycle, row: PodRow) -> bool:
    """Whether a selected pod counts: it is on a node, and not being deleted."""
    return row.key in cycle.tables.scheduled and row.deletion_ms is None and row.key not in cycle.removed


def _pods_by_node(cycle: Cycle, selector: Selector | None) -> dict[str, int]:
    """How many matching pods of this namespace are on each node."""
    found: dict[str, int] = {}
    for row in pods_selected(cycle.tables, cycle.row.namespace, selector):
        if counted(cycle, row):
            node = node_known(cycle.tables, row)
            found[node] = found.get(node, 0) + 1
    return found


def _begin(cycle: Cycle) -> tuple[SpreadCounts, ...] | None:
    constraints = constraints_of(cycle, "DoNotSchedule") if cycle.spec.topology_spread_constraints else ()
    if not constraints:
        return SKIP
    # A node that lacks one of the labels is in no domain of any constraint.
    places = [node for node in cycle.nodes if all(each.topology_key in node.labels for each in constraints)]
    found = []
    for constraint in constraints:
        by_node = _pods_by_node(cycle, constraint.selector)
        counts: dict[str, int] = {}
        for node in places:
            if _is_place(cycle, constraint, node):
                value = node.labels[constraint.topology_key]
                counts[value] = counts.get(value, 0) + by_node.get(node.name, 0)
        least = min(counts.values(), default=0) if len(counts) >= constraint.min_domains else 0
        own = int(selects(constraint.selector, cycle.row.pod.metadata.labels))
        found.append(SpreadCounts(constraint, counts, least, own))
    return tuple(found)


def _filter(_cycle: Cycle, spreads: tuple[SpreadCounts, ...], node: NodeRow) -> Unfit | None:
    for spread in spreads:
        value = node.labels.get(spread.constraint.topology_key)
        if value is None:
            return _MISSING
        if spread.counts.get(value, 0) + spread.own - spread.least > spread.constraint.max_skew:
            return _UNEVEN
    return None


def _explain(cycle: Cycle, spreads: tuple[SpreadCounts, ...], node: NodeRow) -> Data:
    for spread in spreads:
        if _filter(cycle, (spread,), node) is not None:
            key = spread.constraint.topology_key
            if key not in node.labels:
                return (("node_lacks", key),)
            here, value = spread.counts.get(node.labels[key], 0), node.labels[key]
            skew = f"{here} + {spread.own} - {spread.least} = {here + spread.own - spread.least}"
            return (("within", f"{key}={value}"), ("skew", skew), ("max_skew", spread.constraint.max_skew))
    return ()


class Wish(Struct, frozen=True, gc=False):
    """A constraint that scores: the number of pods at each value of its label (None for the host name: they are counted by node), and
    the cost of each, in millionths."""

    constraint: Constraint
    counts: dict[str, int] | None
    by_node: dict[str, int]
    weight: int


@lru_cache(maxsize=1024)
def weight_of(places: int) -> int:
    """The cost of a pod with that many places, in millionths: with many places each difference weighs more."""
    return round(log(places + 2) * MILLION)


def cost_of(parts: list[tuple[int, int, int]]) -> int:
    """The total cost of the pods at a node's places: (number, weight, maxSkew) per constraint."""
    return (sum(count * weight + (skew - 1) * MILLION for count, weight, skew in parts) + MILLION // 2) // MILLION


def normalised(cost: int, low: int, high: int) -> int:
    """A cost as a score: the cheapest node scores highest."""
    return 100 * (high + low - cost) // high if high else 100


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int] | None:
    own = constraints_of(cycle, "ScheduleAnyway") if cycle.spec.topology_spread_constraints else ()
    constraints = own or default_constraints(cycle)
    if not constraints:
        return None
    needed = [each.topology_key for each in own]  # the default constraints also apply if a label is missing
    scored = [node for node in nodes if all(key in node.labels for key in needed)]
    wishes = [_wish(cycle, constraint, scored, needed) for constraint in constraints]
    costs = {node.name: _cost(wishes, node) for node in scored}
    low, high = min(costs.values(), default=0), max(costs.values(), default=0)
    return [normalised(costs[node.name], low, high) if node.name in costs else 0 for node in nodes]


def _wish(cycle: Cycle, constraint: Constraint, scored: list[NodeRow], needed: list[str]) -> Wish:
    by_node = _pods_by_node(cycle, constraint.selector)
    # Every node is its own domain, so pods are counted by node and not by value.
    if constraint.topology_key == HOSTNAME:
        return Wish(constraint, None, by_node, weight_of(len(scored)))
    counts = {node.labels.get(constraint.topology_key, ""): 0 for node in scored}
    for node in cycle.nodes:
        value = node.labels.get(constraint.topology_key, "")
        if value in counts and all(key in node.labels for key in needed) and _is_place(cycle, constraint, node):
            counts[value] += by_node.get(node.name, 0)
    return Wish(constraint, counts, by_node, weight_of(len(counts)))


def _cost(wishes: list[Wish], node: NodeRow) -> int:
    parts = []
    for wish in wishes:
        value = node.labels.get(wish.constraint.topology_key)
        if value is not None:
            here = wish.by_node.get(node.name, 0) if wish.counts is None else wish.counts[value]
            parts.append((here, wish.weight, wish.constraint.max_skew))
    return cost_of(parts)


def _by_node(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    """A node helps only if it has all labels that the constraints name."""
    labels = event.node.labels if event.node is not None else {}
    return all(item.get("topologyKey") in labels for item in row.pod.spec.topology_spread_constraints)


def _by_pod(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    """A pod that was added, changed or removed helps only if a constraint matches it, or may have matched it before."""
    other = event.pod
    if other is None or other.namespace != row.namespace:
        return False
    labels = other.pod.metadata.labels
    given = row.pod.spec.topology_spread_constraints
    return event.kind == POD_LABELS or any(selects(from_document(item.get("labelSelector")), labels) for item in given)


POD_TOPOLOGY_SPREAD = Plugin(
    name="PodTopologySpread",
    begin=_begin,
    filter=_filter,
    explain=_explain,
    score=_score,
    weight="score_weight_topology_spread",
    wakes={NODE_ADDED: _by_node, NODE_LABELS: any_of, NODE_TAINTS: any_of, POD_PLACED: _by_pod, POD_LABELS: _by_pod, POD_FREED: _by_pod},
)
