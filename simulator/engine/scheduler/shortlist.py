"""The nodes for pods that are alike, ranked: a pod of a template that was placed before need not look at every node again.

Most pods of a large cluster come from few templates and mind only the node itself: its labels, taints, room, images, and how many pods of
their own owner it has. For each such class of pods a ``Shortlist`` keeps what the plugins said of every node, and works out anew only the
nodes that have changed since it was last asked; so a placement costs as much as has changed, not as there are nodes. The plugins themselves
are asked, so the outcome is that of asking them for all nodes (``tests/engine/scheduler/test_shortlist.py`` holds the two together).

A shortlist is a memory of the world and no part of it: it stands in ``World.memo``, a fork begins without, and it may be dropped at any
time. What changes is told by ``cache.py`` and ``queue.py`` through ``changes.py``.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from msgspec.json import encode

from simulator.engine.lifecycle.host_ports import host_ports
from simulator.engine.model.node_affinity import node_matches
from simulator.engine.model.qos import qos_class
from simulator.engine.model.selectors import Selector, selects
from simulator.engine.model.service_account import own_volumes
from simulator.engine.scheduler.changes import Changes, changes_of
from simulator.engine.scheduler.framework import Cycle, UnfitNode, ask, refused_by
from simulator.engine.scheduler.plugins.balanced_allocation import BALANCED_ALLOCATION, balance, is_asked
from simulator.engine.scheduler.plugins.image_locality import IMAGE_LOCALITY, images_that_count, locality
from simulator.engine.scheduler.plugins.node_resources_fit import NODE_RESOURCES_FIT, least_allocated
from simulator.engine.scheduler.plugins.pod_topology_spread import (
    HOSTNAME,
    POD_TOPOLOGY_SPREAD,
    ZONE,
    cost_of,
    counted,
    default_constraints,
    normalised,
    weight_of,
)
from simulator.engine.scheduler.plugins.registry import FILTERS
from simulator.engine.scheduler.plugins.taint_toleration import soft_taints
from simulator.engine.world.lookups import pods_selected
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import World

FROM_NODES = 12
"""In smaller clusters to ask for every node is as quick."""
_KEPT = 48
"""Classes of pods that are remembered at once."""
_SLACK = 64
"""Ranks that are out of date and may stand in a bucket before it is put in order."""

Bucket = tuple[bool, str | None, int]
"""Nodes whose spread costs the same: whether they have a host name, their zone, and how many pods of the class's owner they have."""
Rank = tuple[int, int, int, str]
"""What a node is worth within its bucket: points (negative, so that the best is the smallest), pods, place in the cluster, name."""


class Shortlist:
    """What the plugins say of every node for one class of pods. ``heard``: how many changes of the world it knows.

    A node that has changed is looked at again and gets a new rank; the old one stays in its bucket until it comes to the top.
    """

    __slots__ = (
        "asked",
        "buckets",
        "counts",
        "cycle",
        "heard",
        "image_stamp",
        "images",
        "places",
        "reasons",
        "selector",
        "skews",
        "soft",
        "spots",
        "verdicts",
        "zone_pods",
        "zones",
    )  # fmt: skip

    def __init__(self, cycle: Cycle, selector: Selector, images: tuple[tuple[str, int], ...], heard: int) -> None:
        self.cycle, self.selector, self.images, self.heard = cycle, selector, images, heard
        self.image_stamp = self._stamp()
        self.asked = ask(cycle, FILTERS)
        self.skews = tuple(each.max_skew for each in default_constraints(cycle))
        self.places = {node.name: place for place, node in enumerate(cycle.nodes)}
        self.verdicts: dict[str, UnfitNode | None] = {}
        self.reasons: dict[str, int] = {}
        self.buckets: dict[Bucket, list[Rank]] = {}
        self.spots: dict[str, tuple[Bucket, Rank]] = {}  # of the nodes that fit
        self.zones: dict[str, int] = {}  # how many nodes that fit are in each zone
        self.soft: dict[str, bool] = {}  # nodes that fit and have a taint that the pod had better avoid
        self.counts: dict[str, int] = {}
        self.zone_pods: dict[str, int] = {}
        if selector:
            for row in pods_selected(cycle.tables, cycle.row.namespace, selector):
                if counted(cycle, row):
                    self._count(row.node, 1)
        for node in cycle.nodes:
            self._look_at(node)

    def hear(self, cycle: Cycle, changes: Changes) -> None:
        """Look again at the nodes that have changed; ``cycle`` is that of the pod at hand."""
        self.cycle = cycle
        dirty: dict[str, None] = {}
        if self.images and self._stamp() != self.image_stamp:
            self.image_stamp = self._stamp()
            dirty = dict.fromkeys(self.places)
        for node, row, sign in changes.since(self.heard):
            dirty[node] = None
            if sign and row is not None and self._means(row):
                self._count(node, sign)
        self.heard = changes.total
        for name in dirty:
            if name in self.places:
                self._forget(name)
                self._look_at(cycle.tables.nodes[name])

    def best(self) -> NodeRow | None:
        """The node with most points, as ``framework.best_of`` finds it; None where none fits. O(buckets)."""
        tops = list(self._tops())
        if not tops:
            return None
        if self.skews:
            costs = [self._cost(bucket) for bucket, _ in tops]
            low, high = min(costs), max(costs)
            weight = POD_TOPOLOGY_SPREAD.weight_in(self.cycle.profile)
            ranks = [
                (rank[0] - weight * normalised(cost, low, high), *rank[1:]) for (_, rank), cost in zip(tops, costs, strict=True)
            ]  # fmt: skip
        else:
            ranks = [rank for _, rank in tops]
        return self.cycle.tables.nodes[min(ranks)[3]]

    def reasons_in_order(self) -> dict[str, int]:
        """How many nodes each reason was given for, in the order in which the nodes give them."""
        if len(self.reasons) < 2:
            return dict(self.reasons)
        found: dict[str, int] = {}
        for verdict in self.verdicts.values():
            if verdict is not None:
                found.update((reason, self.reasons[reason]) for reason in verdict.refusal.reasons if reason not in found)
                if len(found) == len(self.reasons):
                    break
        return found

    def refused(self) -> list[UnfitNode]:
        """Who refused which node. O(nodes)."""
        return [verdict for verdict in self.verdicts.values() if verdict is not None]

    def _stamp(self) -> tuple[int, ...]:
        held = self.cycle.tables.image_nodes
        return tuple(held.get(image, 0) for image, _ in self.images)

    def _means(self, row: PodRow) -> bool:
        """Whether the pod is of the owner of the class."""
        return bool(self.selector) and row.namespace == self.cycle.row.namespace and selects(self.selector, row.pod.metadata.labels)

    def _count(self, name: str, sign: int) -> None:
        """A pod of the class's owner came to a node, or counts there no longer."""
        self.counts[name] = self.counts.get(name, 0) + sign
        node = self.cycle.tables.nodes[name] if name in self.places else None  # a pod may be bound to a node that is not there
        if node is not None and node_matches(self.cycle.spec, node.labels, name):
            zone = node.labels.get(ZONE, "")
            self.zone_pods[zone] = self.zone_pods.get(zone, 0) + sign

    def _look_at(self, node: NodeRow) -> None:
        verdict = self.verdicts[node.name] = refused_by(self.cycle, self.asked, node)
        if verdict is not None:
            for reason in verdict.refusal.reasons:
                self.reasons[reason] = self.reasons.get(reason, 0) + 1
            return
        zone = node.labels.get(ZONE)
        bucket: Bucket = (HOSTNAME in node.labels, zone, self.counts.get(node.name, 0)) if self.skews else (True, None, 0)
        rank = (-self._points(node), self.cycle.room_taken(node.name).pods, self.places[node.name], node.name)
        self.spots[node.name] = (bucket, rank)
        self.zones[zone or ""] = self.zones.get(zone or "", 0) + 1
        if node.taints and soft_taints(self.cycle, node):
            self.soft[node.name] = True
        heap = self.buckets.setdefault(bucket, [])
        heappush(heap, rank)
        if len(heap) > 2 * len(self.verdicts) + _SLACK:
            self._tidy(bucket)

    def _forget(self, name: str) -> None:
        """Take back what was said of a node. Its rank stays in the bucket, out of date."""
        verdict = self.verdicts[name]
        if verdict is not None:
            for reason in verdict.refusal.reasons:
                self.reasons[reason] -= 1
                if not self.reasons[reason]:
                    del self.reasons[reason]
            return
        del self.spots[name]
        self.soft.pop(name, None)
        node = self.cycle.tables.nodes[name]
        zone = node.labels.get(ZONE) or ""
        self.zones[zone] -= 1
        if not self.zones[zone]:
            del self.zones[zone]

    def _points(self, node: NodeRow) -> int:
        """What the plugins give that look at the node alone."""
        cycle = self.cycle
        room, need, profile = cycle.room_taken(node.name), cycle.need, cycle.profile
        points = NODE_RESOURCES_FIT.weight_in(profile) * least_allocated(node, room, need)
        if is_asked(cycle):
            points += BALANCED_ALLOCATION.weight_in(profile) * balance(node, room, need)
        if self.images:
            points += IMAGE_LOCALITY.weight_in(profile) * locality(cycle.tables, self.images, node.name, len(self.places))
        return points

    def _tops(self) -> Iterator[tuple[Bucket, Rank]]:
        """The best of every bucket."""
        empty = []
        for bucket, heap in self.buckets.items():
            while heap and self.spots.get(heap[0][3]) != (bucket, heap[0]):
                heappop(heap)
            if heap:
                yield bucket, heap[0]
            else:
                empty.append(bucket)
        for bucket in empty:
            del self.buckets[bucket]

    def _tidy(self, bucket: Bucket) -> None:
        ranks = [rank for held, rank in self.spots.values() if held == bucket]
        heapify(ranks)
        self.buckets[bucket] = ranks

    def _cost(self, bucket: Bucket) -> int:
        """What the spread of a bucket's nodes costs, as ``pod_topology_spread`` reckons."""
        has_name, zone, count = bucket
        parts = [(count, weight_of(len(self.spots)), self.skews[0])] if has_name else []
        if zone is not None:
            parts.append((self.zone_pods.get(zone, 0), weight_of(len(self.zones)), self.skews[1]))
        return cost_of(parts)


def shortlist_for(world: World, cycle: Cycle) -> Shortlist | None:
    """The shortlist of the pod's class as of now; None where the pod, or somebody else, minds more than a shortlist knows."""
    tables = world.tables
    if len(tables.nodes) < FROM_NODES or tables.affinity_of or tables.nominations or not _is_plain(cycle):
        return None
    if any(True for _ in tables.namespaces_by_kind.of("Node")):
        return None  # nodes that are only objects tell nobody of their changes
    spec = cycle.spec
    constraints = default_constraints(cycle)
    selector = constraints[0].selector if constraints else None
    images = images_that_count(spec)
    key = (
        cycle.row.namespace if selector else "", selector, cycle.need, spec.tolerations, tuple(spec.node_selector.items()),
        encode(spec.affinity) if spec.affinity else b"", qos_class(spec) == "BestEffort", images,
    )  # fmt: skip
    changes = changes_of(world)
    held = changes.lists.get(key)
    if held is None:
        if len(changes.lists) >= _KEPT:
            del changes.lists[next(iter(changes.lists))]
        held = changes.lists[key] = Shortlist(cycle, selector or (), images, changes.total)
    else:
        held.hear(cycle, changes)
    return None if held.soft else held


def _is_plain(cycle: Cycle) -> bool:
    """Whether the pod minds nothing but a node's own labels, taints, room and images, and how its own kind is spread."""
    spec = cycle.spec
    if spec.topology_spread_constraints or cycle.removed:
        return False
    if spec.affinity and (
        spec.affinity.get("podAffinity")
        or spec.affinity.get("podAntiAffinity")
        or (spec.affinity.get("nodeAffinity") or {}).get("preferredDuringSchedulingIgnoredDuringExecution")
    ):
        return False
    return not any(True for _ in host_ports(spec)) and not any(volume.persistent_volume_claim for volume in own_volumes(spec))
