"""Ranked nodes for similar pods: a pod whose template has been placed before need not examine every node again.

Most pods of a large cluster come from few templates and depend only on the node itself: its labels,
taints, room, images, and how many pods of their own owner it has. For pods with the same requirements a
``NodeBook`` keeps the plugins' verdicts on every node, ordered by score; a
``Shortlist`` for each owner among them ranks the few nodes that have pods of that owner. Both
recompute only what has changed since they were last used, so the cost of a placement depends on what has
changed, not on the number of nodes, and other owners cost nothing. The plugins themselves are called, so
the outcome is the same as calling them for all nodes (``tests/engine/scheduler/test_shortlist.py``
enforces that).

A shortlist is a cache of the world and not part of it: it is kept in ``World.memo``, forks start
without it, and it may be dropped at any time. Changes are reported by ``cache.py`` and ``queue.py``
through ``changes.py``.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

from msgspec.json import encode

from simulator.engine.model.node_affinity import named_nodes, node_matches
from simulator.engine.model.qos import qos_class
from simulator.engine.model.selectors import selects
from simulator.engine.model.service_account import own_volumes
from simulator.engine.scheduler.cache import node_known
from simulator.engine.scheduler.changes import Changes, Kind, changes_of
from simulator.engine.scheduler.framework import Cycle, UnfitNode, ask, refused_by
from simulator.engine.scheduler.plugins.balanced_allocation import BALANCED_ALLOCATION, balance, is_asked
from simulator.engine.scheduler.plugins.image_locality import IMAGE_LOCALITY, images_that_count, locality
from simulator.engine.scheduler.plugins.node_resources_fit import NODE_RESOURCES_FIT, lacks_room, least_allocated
from simulator.engine.scheduler.plugins.node_volume_limits import has_limited_disk
from simulator.engine.scheduler.plugins.order import FILTERS
from simulator.engine.scheduler.plugins.pod_topology_spread import (
    HOSTNAME,
    POD_TOPOLOGY_SPREAD,
    ZONE,
    Constraint,
    cost_of,
    counted,
    default_constraints,
    normalised,
    weight_of,
)
from simulator.engine.scheduler.plugins.taint_toleration import soft_taints
from simulator.engine.scheduler.plugins.volume_restrictions import has_disk
from simulator.engine.world.lookups import pods_selected
from simulator.engine.world.rows import NodeRow, Room
from simulator.engine.world.world import World

FROM_NODES = 3
"""In smaller clusters examining every node is as fast."""
_KEPT = 2048
"""How many owners, and how many kinds of requests, are remembered at once."""
_SLACK = 64
"""How many outdated ranks a bucket may hold before it is sorted again."""
_BETTER_MAX = 4096
"""How many nodes that have become better a book remembers; beyond that all shortlists are ranked again."""

Site = tuple[bool, str | None]
"""What matters to the spread about a node without pods of the owner: whether it has a host name, and its zone."""
Bucket = tuple[bool, str | None, int]
"""Nodes with the same spread cost: their site, and how many pods of the owner they have."""
Rank = tuple[int, int, int, str]
"""The rank of a node among those with the same spread cost: score (negative, so that the best is smallest), pods, position, name."""


class NodeBook:
    """The verdicts, for pods with the same requirements, of plugins that consider a node on its own. ``heard``: how many changes it knows.

    ``epoch`` counts how often all nodes had to be examined at once; ``better`` names, in order, the nodes whose rank has improved
    or that have moved to another site.
    """

    __slots__ = (
        "_image_stamp", "_rows", "_weights", "asked", "better", "cycle", "epoch", "heard", "images", "orders", "places", "reasons", "soft",
        "spots", "verdicts", "zones",
    )  # fmt: skip

    def __init__(self, cycle: Cycle, images: tuple[tuple[str, int], ...], heard: int) -> None:
        self.cycle, self.images, self.heard, self.epoch = cycle, images, heard, 0
        self._image_stamp = self._stamp()
        self._weights = tuple(plugin.weight_in(cycle.profile) for plugin in (NODE_RESOURCES_FIT, BALANCED_ALLOCATION, IMAGE_LOCALITY))
        self.asked = ask(cycle, FILTERS)
        self.places = {node.name: place for place, node in enumerate(cycle.nodes)}
        self.verdicts: dict[str, UnfitNode | None] = {}
        self.reasons: dict[str, int] = {}
        self.spots: dict[str, tuple[Site, Rank]] = {}  # of the nodes that fit
        self.orders: dict[Site, list[Rank]] = {}  # the same, the best first
        self.zones: dict[str, int] = {}  # how many fitting nodes are in each zone
        self.better: list[str] = []
        self.soft: dict[str, bool] = {}  # fitting nodes with a taint that the pod should rather avoid
        self._rows: dict[str, NodeRow] = {}  # nodes that only a lack of room has ruled out or could rule out
        for node in cycle.nodes:
            self._look_at(node)

    def catch_up(self, cycle: Cycle, changes: Changes) -> None:
        """Examine the nodes that have changed again; ``cycle`` is that of the pod to be placed."""
        self.cycle = cycle
        dirty = changes.since(self.heard)
        self.heard = changes.total
        if self.images and self._stamp() != self._image_stamp:
            self._image_stamp = self._stamp()
            self.epoch += 1
            dirty = dict.fromkeys(self.places)
        for name in dirty:
            if name in self.places:
                self._look_at(cycle.tables.nodes[name])

    def reasons_in_order(self) -> dict[str, int]:
        """For how many nodes each reason was given, in the order in which the nodes give them."""
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
        """Which plugin rejected which node. O(nodes)."""
        return [verdict for verdict in self.verdicts.values() if verdict is not None]

    def _stamp(self) -> tuple[int, ...]:
        held = self.cycle.tables.image_nodes
        return tuple(held.get(image, 0) for image, _ in self.images)

    def _look_at(self, node: NodeRow) -> None:
        name = node.name
        self.cycle.looks += 1
        old = self.verdicts.get(name)
        if self._rows.get(name) is node:  # the same labels and taints: only the room may have changed
            unfit = lacks_room(self.cycle, True, node)
            verdict = UnfitNode(node, NODE_RESOURCES_FIT.name, unfit) if unfit is not None else None
        else:
            verdict = refused_by(self.cycle, self.asked, node)
            self._rows.pop(name, None)
            if verdict is None or verdict.plugin == NODE_RESOURCES_FIT.name:
                self._rows[name] = node
        if old is not None or verdict is not None:
            self._count_reasons(old, verdict)
        self.verdicts[name] = verdict
        self.soft.pop(name, None)
        if verdict is not None:
            self._put(name, None)
            return
        room = self.cycle.room_taken(name)
        rank: Rank = (-self._points(node, room), room.pods, self.places[name], name)
        self._put(name, ((HOSTNAME in node.labels, node.labels.get(ZONE)), rank))
        if node.taints and soft_taints(self.cycle, node):
            self.soft[name] = True

    def _put(self, name: str, spot: tuple[Site, Rank] | None) -> None:
        """Insert a node into the order; None if it does not fit. O(log nodes), and a move of pointers."""
        old = self.spots.pop(name, None)
        if old is not None and spot is not None and old[0] == spot[0]:  # the usual change: another rank at the same site
            ranks = self.orders[old[0]]
            del ranks[bisect_left(ranks, old[1])]
            insort(ranks, spot[1])
            self.spots[name] = spot
            if spot[1] < old[1]:
                self._remember_better(name)
            return
        if old is not None:
            ranks = self.orders[old[0]]
            # The rank is found by its value; names make ranks unique.
            del ranks[bisect_left(ranks, old[1])]
            if not ranks:
                del self.orders[old[0]]
            self._count_zone(old[0], -1)
        if spot is not None:
            self.spots[name] = spot
            insort(self.orders.setdefault(spot[0], []), spot[1])
            self._count_zone(spot[0], 1)
            self._remember_better(name)

    def _remember_better(self, name: str) -> None:
        self.better.append(name)
        if len(self.better) > _BETTER_MAX:
            self.better.clear()
            self.epoch += 1

    def _count_zone(self, site: Site, sign: int) -> None:
        zone = site[1] or ""
        self.zones[zone] = self.zones.get(zone, 0) + sign
        if not self.zones[zone]:
            del self.zones[zone]

    def _count_reasons(self, old: UnfitNode | None, new: UnfitNode | None) -> None:
        for reason in old.refusal.reasons if old is not None else ():
            self.reasons[reason] -= 1
            if not self.reasons[reason]:
                del self.reasons[reason]
        for reason in new.refusal.reasons if new is not None else ():
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def _points(self, node: NodeRow, room: Room) -> int:
        """The scores of the plugins that consider the node on its own."""
        cycle = self.cycle
        need = cycle.need
        fit, balanced, image = self._weights
        points = fit * least_allocated(node, room, need)
        if is_asked(cycle):
            points += balanced * balance(node, room, need)
        if self.images:
            points += image * locality(cycle.tables, self.images, node.name, len(self.places))
        return points


class Shortlist:
    """The nodes of a book for the pods of one owner. Nodes with pods of the owner are ranked by their number; others as in the book.

    A node that has become better gets a new rank; the old one stays in its bucket until it comes to the top. One that has become
    worse, as by each pod placed on it, keeps its old rank until that comes to the top: nodes that never do cost nothing.
    """

    __slots__ = (
        "_epoch", "_era", "_kinds", "_meant", "_read", "book", "buckets", "constraints", "counts", "heard", "namespace", "spots",
        "zone_pods",
    )  # fmt: skip

    def __init__(self, book: NodeBook, namespace: str, constraints: tuple[Constraint, ...]) -> None:
        self.book, self.namespace, self.constraints, self.heard = book, namespace, constraints, book.heard
        self._era, self._kinds, self._read = -1, 0, 0
        self._meant: list[Kind] = []
        self.counts: dict[str, int] = {}  # nodes with pods of the owner
        self.zone_pods: dict[str, int] = {}
        if constraints:
            for row in pods_selected(book.cycle.tables, namespace, constraints[0].selector):
                if counted(book.cycle, row):
                    self._count(node_known(book.cycle.tables, row), 1)
        self._rank_all()

    def catch_up(self, changes: Changes) -> None:
        """Apply what has changed on the nodes that have pods of the owner. The book must already be up to date.

        O(the owner's pods that arrived or left, and nodes that have become better).
        """
        dirty: dict[str, None] = {}
        for kind in self._kinds_of_owner(changes):
            for node, sign in changes.steps_since(kind, self.heard):
                dirty[node] = None
                self._count(node, sign)
        self.heard = changes.total
        if self._epoch != self.book.epoch:
            self._rank_all()
            return
        better = self.book.better
        if self._read < len(better):
            dirty.update(dict.fromkeys(better[self._read :]))
            self._read = len(better)
        for name in dirty:
            self._rank(name)

    def best(self) -> NodeRow | None:
        """The best node, as ``framework.best_of`` finds it; None if none fits. O(buckets)."""
        tops = [*self._tops(), *self._others()]
        if not tops:
            return None
        cycle = self.book.cycle
        if self.constraints:
            by_name, by_zone = weight_of(len(self.book.spots)), weight_of(len(self.book.zones))
            costs = [self._cost(bucket, by_name, by_zone) for bucket, _ in tops]
            low, high = min(costs), max(costs)
            weight = POD_TOPOLOGY_SPREAD.weight_in(cycle.profile)
            ranks = [(rank[0] - weight * normalised(cost, low, high), *rank[1:]) for (_, rank), cost in zip(tops, costs, strict=True)]
        else:
            ranks = [rank for _, rank in tops]
        return cycle.tables.nodes[min(ranks)[3]]

    def _kinds_of_owner(self, changes: Changes) -> list[Kind]:
        """The kinds of pods in the log that belong to the owner."""
        if not self.constraints:
            return self._meant
        if self._era != changes.era:
            self._era, self._kinds, self._meant = changes.era, 0, []
        selector = self.constraints[0].selector
        kinds = changes.kinds_for(self.namespace, selector)
        for kind in kinds[self._kinds :]:
            if kind[0] == self.namespace and selects(selector, dict(kind[1])):
                self._meant.append(kind)
        self._kinds = len(kinds)
        return self._meant

    def _count(self, name: str, sign: int) -> None:
        """Count one of the owner's pods that came to a node, or no longer counts there."""
        count = self.counts.get(name, 0) + sign
        if count:
            self.counts[name] = count
        else:
            del self.counts[name]
        cycle = self.book.cycle
        node = cycle.tables.nodes[name] if name in self.book.places else None  # a pod may be bound to a node that does not exist
        if node is not None and node_matches(cycle.spec, node.labels, name):
            zone = node.labels.get(ZONE, "")
            self.zone_pods[zone] = self.zone_pods.get(zone, 0) + sign

    def _rank_all(self) -> None:
        self._epoch, self._read = self.book.epoch, len(self.book.better)
        self.buckets: dict[Bucket, list[Rank]] = {}
        self.spots: dict[str, tuple[Bucket, Rank]] = {}  # of the nodes that have pods of the owner, as they are in the buckets
        for name in self.counts:
            self._rank(name)

    def _rank(self, name: str) -> None:
        count, known = self.counts.get(name, 0), self.book.spots.get(name)
        if not count or known is None:
            self.spots.pop(name, None)
            return
        spot: tuple[Bucket, Rank] = ((*known[0], count), known[1])
        if spot != self.spots.get(name):
            self.spots[name] = spot
            heap = self.buckets.setdefault(spot[0], [])
            heappush(heap, spot[1])
            if len(heap) > 2 * len(self.spots) + _SLACK:
                self._tidy(spot[0])

    def _others(self) -> Iterator[tuple[Bucket, Rank]]:
        """The best node of every site without a pod of the owner."""
        counts = self.counts
        for site, ranks in self.book.orders.items():
            for rank in ranks:
                if rank[3] not in counts:
                    yield (*site, 0), rank
                    break

    def _tops(self) -> Iterator[tuple[Bucket, Rank]]:
        """The best node of every bucket."""
        empty, known = [], self.book.spots
        for bucket, heap in self.buckets.items():
            while heap:
                top = heap[0]
                name = top[3]
                now = known.get(name)
                if now is None:  # once the node fits again it is ranked again
                    self.spots.pop(name, None)
                # A newer rank of the node may have been inserted since.
                if self.spots.get(name) != (bucket, top):
                    heappop(heap)
                    continue
                assert now is not None, "what has a spot fits"
                if now[1] == top:
                    break
                self.spots[name] = bucket, now[1]
                heapreplace(heap, now[1])
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

    def _cost(self, bucket: Bucket, by_name: int, by_zone: int) -> int:
        """The spread cost of a bucket's nodes, as ``pod_topology_spread`` computes it."""
        has_name, zone, count = bucket
        parts = [(count, by_name, self.constraints[0].max_skew)] if has_name else []
        if zone is not None:
            parts.append((self.zone_pods.get(zone, 0), by_zone, self.constraints[1].max_skew))
        return cost_of(parts)


def shortlist_for(world: World, cycle: Cycle) -> Shortlist | None:
    """The up-to-date shortlist of the pod's class; None if this pod, or another one, depends on more than a shortlist knows."""
    tables = world.tables
    if len(tables.nodes) < FROM_NODES or tables.affinity_of or tables.nominations or not _is_plain(cycle):
        return None
    if tables.namespaces_by_kind.of("Node"):
        return None  # nodes that are only objects do not report their changes
    changes = changes_of(world)
    key, book = _book_for(cycle, changes)
    constraints = default_constraints(cycle)
    owner = (key, cycle.row.namespace if constraints else "", constraints)
    held = changes.lists.get(owner)
    if held is None or held.book is not book:
        held = changes.lists[owner] = Shortlist(book, cycle.row.namespace, constraints)
        _keep_few(changes.lists)
    else:
        held.catch_up(changes)
    # PreferNoSchedule scores are relative to the worst node that fits, which no single node's rank
    # can express.
    return None if book.soft else held


def _book_for(cycle: Cycle, changes: Changes) -> tuple[Any, NodeBook]:
    """The up-to-date book for pods with the same requirements, and its key."""
    spec = cycle.spec
    images = images_that_count(spec)
    key = (
        cycle.need, spec.tolerations, tuple(spec.node_selector.items()), encode(spec.affinity) if spec.affinity else b"",
        qos_class(spec) == "BestEffort", images,
    )  # fmt: skip
    book = changes.books.get(key)
    if book is None:
        book = changes.books[key] = NodeBook(cycle, images, changes.total)
        _keep_few(changes.books)
    else:
        book.catch_up(cycle, changes)
    return key, book


def _keep_few(held: dict[Any, Any]) -> None:
    if len(held) > _KEPT:
        del held[next(iter(held))]


def _is_plain(cycle: Cycle) -> bool:
    """Whether the pod depends on nothing but a node's own labels, taints, room and images, and the spread of its own kind."""
    spec = cycle.spec
    if spec.topology_spread_constraints or cycle.removed:
        return False
    if spec.affinity and (
        spec.affinity.get("podAffinity")
        or spec.affinity.get("podAntiAffinity")
        or (spec.affinity.get("nodeAffinity") or {}).get("preferredDuringSchedulingIgnoredDuringExecution")
    ):
        return False
    if spec.affinity and named_nodes(spec) is not None:
        return False  # each pod of a DaemonSet names another node, so there is nothing to remember
    if [port for container in spec.containers for port in container.ports if port.host_port]:
        return False
    volumes = own_volumes(spec)
    return not volumes or not (any(volume.persistent_volume_claim for volume in volumes) or has_disk(volumes) or has_limited_disk(volumes))
