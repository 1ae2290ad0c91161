"""The nodes for pods that are alike, ranked: a pod of a template that was placed before need not look at every node again.

Most pods of a large cluster come from few templates and mind only the node itself: its labels,
taints, room, images, and how many pods of their own owner it has. For pods that ask for the same a
``NodeBook`` keeps what the plugins said of every node, in the order of their points; a
``Shortlist`` of each owner among them ranks the few nodes that have pods of that owner. Both work
out again only what has changed since they were last asked, so a placement costs as much as has
changed, not as there are nodes, and other owners cost nothing. The plugins themselves are asked, so
the outcome is that of asking them for all nodes (``tests/engine/scheduler/test_shortlist.py`` holds
the two together).

A shortlist is a memory of the world and no part of it: it stands in ``World.memo``, a fork begins
without, and it may be dropped at any time. What changes is told by ``cache.py`` and ``queue.py``
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
"""In smaller clusters to ask for every node is as quick."""
_KEPT = 2048
"""Owners, and kinds of requests, that are remembered at once."""
_SLACK = 64
"""Ranks that are out of date and may stand in a bucket before it is put in order."""
_BETTER_MAX = 4096
"""Nodes that have become worth more, as a book remembers them; beyond them all shortlists rank anew."""

Site = tuple[bool, str | None]
"""What the spread minds of a node that has no pod of the owner: whether it has a host name, and its zone."""
Bucket = tuple[bool, str | None, int]
"""Nodes whose spread costs the same: their site, and how many pods of the owner they have."""
Rank = tuple[int, int, int, str]
"""What a node is worth where spread costs the same: points (negative: the best is the smallest), pods, place in the cluster, name."""


class NodeBook:
    """What the plugins that look at a node alone say of every node, for pods that ask for the same. ``heard``: how many changes it knows.

    ``epoch`` counts how often all nodes had to be looked at again at once; ``better`` names, in order, the nodes that have become worth
    more than before, or stand at another site.
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
        self.zones: dict[str, int] = {}  # how many nodes that fit are in each zone
        self.better: list[str] = []
        self.soft: dict[str, bool] = {}  # nodes that fit and have a taint that the pod had better avoid
        self._rows: dict[str, NodeRow] = {}  # nodes that only want of room has kept or could keep the pod from
        for node in cycle.nodes:
            self._look_at(node)

    def hear(self, cycle: Cycle, changes: Changes) -> None:
        """Look again at the nodes that have changed; ``cycle`` is that of the pod to be placed."""
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
        """Give a node its place in the order; None where it does not fit. O(log nodes), and a move of pointers."""
        old = self.spots.pop(name, None)
        if old is not None and spot is not None and old[0] == spot[0]:  # the usual change: another rank at the same site
            ranks = self.orders[old[0]]
            del ranks[bisect_left(ranks, old[1])]
            insort(ranks, spot[1])
            self.spots[name] = spot
            if spot[1] < old[1]:
                self._tell_better(name)
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
            self._tell_better(name)

    def _tell_better(self, name: str) -> None:
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
        """What the plugins give that look at the node alone."""
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
    """The nodes of a book for the pods of one owner. Those that have pods of the owner are ranked by how many; others as in the book.

    A node that has become worth more gets a new rank; the old one stays in its bucket until it comes to the top. One that has become worth
    less, as by each pod that it gets, keeps its old rank until that comes to the top: nodes that never do cost nothing.
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

    def hear(self, changes: Changes) -> None:
        """Take over what has changed on the nodes that have pods of the owner. The book has heard of it.

        O(the owner's pods that came or went, and nodes that have become worth more).
        """
        dirty: dict[str, None] = {}
        for kind in self._kinds_meant(changes):
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
        """The node with most points, as ``framework.best_of`` finds it; None where none fits. O(buckets)."""
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

    def _kinds_meant(self, changes: Changes) -> list[Kind]:
        """The kinds of pods in the log that are the owner's."""
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
        """One of the owner's pods came to a node, or counts there no longer."""
        count = self.counts.get(name, 0) + sign
        if count:
            self.counts[name] = count
        else:
            del self.counts[name]
        cycle = self.book.cycle
        node = cycle.tables.nodes[name] if name in self.book.places else None  # a pod may be bound to a node that is not there
        if node is not None and node_matches(cycle.spec, node.labels, name):
            zone = node.labels.get(ZONE, "")
            self.zone_pods[zone] = self.zone_pods.get(zone, 0) + sign

    def _rank_all(self) -> None:
        self._epoch, self._read = self.book.epoch, len(self.book.better)
        self.buckets: dict[Bucket, list[Rank]] = {}
        self.spots: dict[str, tuple[Bucket, Rank]] = {}  # of the nodes that have pods of the owner, as they stand in the buckets
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
        """The best of every site without a pod of the owner."""
        counts = self.counts
        for site, ranks in self.book.orders.items():
            for rank in ranks:
                if rank[3] not in counts:
                    yield (*site, 0), rank
                    break

    def _tops(self) -> Iterator[tuple[Bucket, Rank]]:
        """The best of every bucket."""
        empty, known = [], self.book.spots
        for bucket, heap in self.buckets.items():
            while heap:
                top = heap[0]
                name = top[3]
                now = known.get(name)
                if now is None:  # once the node fits again it is ranked anew
                    self.spots.pop(name, None)
                # Another rank of the node may have been put in since.
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
        """What the spread of a bucket's nodes costs, as ``pod_topology_spread`` reckons."""
        has_name, zone, count = bucket
        parts = [(count, by_name, self.constraints[0].max_skew)] if has_name else []
        if zone is not None:
            parts.append((self.zone_pods.get(zone, 0), by_zone, self.constraints[1].max_skew))
        return cost_of(parts)


def shortlist_for(world: World, cycle: Cycle) -> Shortlist | None:
    """The shortlist of the pod's class as of now; None where the pod, or another one, depends on more than a shortlist knows."""
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
        held.hear(changes)
    # PreferNoSchedule scores are relative to the worst node that fits, which no single node's rank
    # can say.
    return None if book.soft else held


def _book_for(cycle: Cycle, changes: Changes) -> tuple[Any, NodeBook]:
    """The book for pods that ask for the same, as of now, and its key."""
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
        book.hear(cycle, changes)
    return key, book


def _keep_few(held: dict[Any, Any]) -> None:
    if len(held) > _KEPT:
        del held[next(iter(held))]


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
    if spec.affinity and named_nodes(spec) is not None:
        return False  # each pod of a DaemonSet names another node, so there is nothing to remember
    if [port for container in spec.containers for port in container.ports if port.host_port]:
        return False
    volumes = own_volumes(spec)
    return not volumes or not (any(volume.persistent_volume_claim for volume in volumes) or has_disk(volumes) or has_limited_disk(volumes))
