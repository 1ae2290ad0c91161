"""The scheduling framework: what a plugin is, what one attempt to place a pod knows, and how the plugins are called.

An attempt is a ``Cycle``. Every plugin may first examine the pod alone (``begin``, Kubernetes'
PreFilter): it returns whatever it wants to have at each node, ``SKIP`` if the pod
does not concern it, or a ``PreFilterRejection`` that applies to all nodes. Then the filters
run node by node in their official order; the first that rejects decides about the node. The
scores choose among those left.

Everything here only reads: an attempt can be repeated on the same world, which is how it is
explained.

Source: pkg/scheduler/framework/interface.go, runtime/framework.go; schedule_one.go.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Key
from simulator.engine.model.node_affinity import named_nodes
from simulator.engine.model.pod import PodSpec
from simulator.engine.policies.room import need_of, with_pod
from simulator.engine.scheduler import cache
from simulator.engine.scheduler.placement import nodes_known
from simulator.engine.versions import Profile
from simulator.engine.world.rows import Need, NodeRow, PodRow, Room
from simulator.engine.world.world import Tables, World

SKIP = None
"""What ``begin`` returns if the pod does not concern the plugin."""


class Unfit(Struct, frozen=True, gc=False):
    """Why a plugin rejects a node, in the official words. ``is_curable``: pods that leave the node may change that
    (Unschedulable; otherwise UnschedulableAndUnresolvable)."""

    reasons: tuple[str, ...]
    is_curable: bool = False


class PreFilterRejection(Struct, frozen=True, gc=False):
    """Why a plugin rules out every node, without examining any."""

    reason: str


class Cycle:
    """What one attempt to place a pod knows. ``removed``: pods assumed to be gone, as in preemption.

    ``nominated``: waiting pods of the same or a higher priority for which a node reserves room. ``looks``: how many times a node has
    been examined.
    """

    __slots__ = ("_by_name", "_nodes", "counters", "looks", "need", "nominated", "profile", "removed", "row", "spec", "tables")

    def __init__(self, world: World, row: PodRow) -> None:
        self.tables: Tables = world.tables
        self.profile: Profile = world.profile
        self.counters = world.counters
        self.row = row
        self.spec: PodSpec = row.pod.spec
        self.need: Need = need_of(self.spec)
        self.nominated = nominated_before(self.tables, row) if self.tables.nominations else []
        self.removed: dict[Key, bool] = {}
        self.looks = 0
        self._nodes: list[NodeRow] | None = None
        self._by_name: dict[str, NodeRow] | None = None

    @property
    def nodes(self) -> list[NodeRow]:
        """Every node, in cluster order."""
        if self._nodes is None:
            self._nodes = nodes_known(self.tables)
        return self._nodes

    @property
    def by_name(self) -> dict[str, NodeRow]:
        """The nodes by name."""
        if self._by_name is None:
            self._by_name = {node.name: node for node in self.nodes}
        return self._by_name

    @property
    def candidates(self) -> list[NodeRow]:
        """The nodes to examine: all, or those that the pod's affinity names (Kubernetes' PreFilterResult)."""
        names = named_nodes(self.spec) if self.spec.affinity and self.profile.prefilter_narrows else None
        return self.nodes if names is None else [node for node in self.nodes if node.name in names]

    @property
    def others_reason(self) -> str:
        """The reason given for nodes that the PreFilter excluded; empty if the version gives none."""
        return self.profile.left_out_text

    def without(self, pods: Iterable[PodRow]) -> "Cycle":
        """The same attempt in a cluster without these pods."""
        twin = Cycle.__new__(Cycle)
        for name in Cycle.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.removed = {**self.removed, **{row.key: True for row in pods}}
        return twin

    def room(self, node: str) -> Room:
        """What is taken on a node, including reservations for nominated pods and without what is removed. O(nominated + removed)."""
        room = cache.room_on(self.tables, node)
        if not self.removed and not self.nominated:
            return room
        # removed and nominated never overlap: victims have a node, nominated pods have none yet.
        for key in self.removed:
            if self.tables.pods[key].node == node:
                room = with_pod(room, self.tables.scheduled[key], -1)
        for other in self.nominated:
            if other.status.nominated_node == node:
                room = with_pod(room, need_of(other.pod.spec))
        return room

    def room_taken(self, node: str) -> Room:
        """What is taken on a node now, without reservations for nominated pods: this is what the scores use."""
        return cache.room_on(self.tables, node)

    def pods_here(self, node: str) -> Iterator[PodRow]:
        """The pods that take room on a node, in creation order, without those that are removed. O(pods on the node)."""
        for row in cache.pods_here(self.tables, node):
            if row.key not in self.removed:
                yield row


def priority_of(row: PodRow) -> int:
    """The pod's priority; 0 without a class."""
    return row.pod.spec.priority or 0


def nominated_before(tables: Tables, row: PodRow) -> list[PodRow]:
    """Waiting pods of the same or a higher priority for which a node reserves room. O(such pods)."""
    # A nominated pod of lower priority reserves no room against this one.
    waiting = [tables.pods[key] for key in tables.nominations if key in tables.unscheduled and key != row.key]
    return [other for other in waiting if priority_of(other) >= priority_of(row)]


Begin = Callable[[Cycle], Any]
"""Receives the attempt; returns ``SKIP``, a ``PreFilterRejection`` or whatever the filter wants to receive at each node."""
Filter = Callable[[Cycle, Any, NodeRow], Unfit | None]
"""Receives the attempt, what ``begin`` returned, and a node. Runs for pods × nodes."""
Explain = Callable[[Cycle, Any, NodeRow], Data]
"""Names the label, taint or numbers behind a rejection. Runs only when a decision is explained."""


Score = Callable[[Cycle, list[NodeRow]], list[int] | None]
"""Receives the attempt and the nodes that pass every filter; returns 0 … 100 for each, or None if the plugin does not score the pod."""


NODE_ADDED, NODE_LABELS, NODE_TAINTS = "node-added", "node-labels", "node-taints"
POD_PLACED, POD_LABELS, POD_FREED, CLAIM = "pod-placed", "pod-labels", "pod-freed", "claim"
"""Cluster events that may let a pod pass which a plugin has rejected: a node was added, has other labels, or fewer taints (a cordon
is one); a pod was bound, has other labels there, or no longer takes room; a claim was written."""


class ClusterEvent(Struct, frozen=True, kw_only=True):
    """Something that has happened, and to which node or pod."""

    kind: str
    node: NodeRow | None = None
    pod: PodRow | None = None


Hint = Callable[[World, PodRow, ClusterEvent], bool]
"""Whether an event may let a waiting pod pass after all, in the plugin's view: queueing hints, used in versions that have them."""


def any_of(_world: World, _row: PodRow, _event: ClusterEvent) -> bool:
    """The hint of a plugin that considers every such event helpful."""
    return True


class Plugin(Struct, frozen=True, kw_only=True):
    """A plugin of the scheduler by its official name. ``wakes``: the events that may help a pod it rejected, each with its hint.
    ``weight``: profile field by which its score is multiplied; none: 1."""

    name: str
    begin: Begin | None = None
    filter: Filter | None = None
    explain: Explain | None = None
    score: Score | None = None
    weight: str = ""
    wakes: dict[str, Hint] = {}

    def weight_in(self, profile: Profile) -> int:
        """The factor by which its score is multiplied."""
        return int(getattr(profile, self.weight)) if self.weight else 1


class UnfitNode(Struct, frozen=True, gc=False):
    """A node that a plugin rejected."""

    node: NodeRow
    plugin: str
    refusal: Unfit


class PluginsAsked(Struct, frozen=True):
    """The plugins that the pod concerns, each with what it wants to have at each node; or the one that rejected it outright."""

    filters: tuple[tuple[Plugin, Any], ...]
    rejected_by: str = ""
    rejection: str = ""


def ask(cycle: Cycle, plugins: tuple[Plugin, ...]) -> PluginsAsked:
    """Run every plugin's ``begin``; those that skip the pod are not run for any node."""
    asked = []
    for plugin in plugins:
        state = plugin.begin(cycle) if plugin.begin is not None else SKIP
        if state is SKIP:
            continue
        if isinstance(state, PreFilterRejection):
            return PluginsAsked((), plugin.name, state.reason)
        asked.append((plugin, state))
    return PluginsAsked(tuple(asked))


def refused_by(cycle: Cycle, asked: PluginsAsked, node: NodeRow) -> UnfitNode | None:
    """The first filter that rejects the node, or None if the pod may go there."""
    for plugin, state in asked.filters:
        refusal = plugin.filter(cycle, state, node) if plugin.filter is not None else None
        if refusal is not None:
            return UnfitNode(node, plugin.name, refusal)
    return None


def nominated_that_fits(cycle: Cycle, asked: PluginsAsked) -> NodeRow | None:
    """The node nominated for the pod by an earlier attempt, if this version tries it first and it fits: then no other is examined.

    Source: schedule_one.go evaluateNominatedNode.
    """
    if not cycle.row.status.nominated_node or not cycle.profile.prefers_nominated_node:
        return None
    node = cycle.by_name.get(cycle.row.status.nominated_node)
    return node if node is not None and refused_by(cycle, asked, node) is None else None


class Scored(Struct, frozen=True):
    """A plugin's scores for the nodes, before its weight."""

    plugin: str
    weight: int
    points: list[int]


def scores(cycle: Cycle, plugins: tuple[Plugin, ...], nodes: list[NodeRow]) -> list[Scored]:
    """The scores of every plugin that scores the pod. O(plugins × nodes)."""
    found = []
    for plugin in plugins:
        points = plugin.score(cycle, nodes) if plugin.score is not None else None
        if points is not None:
            found.append(Scored(plugin.name, plugin.weight_in(cycle.profile), points))
    return found


def best_of(cycle: Cycle, nodes: list[NodeRow], scored: list[Scored]) -> NodeRow:
    """The node with the highest total; on a tie the one with the fewest pods, then the first in cluster order."""
    totals = [sum(each.weight * each.points[place] for each in scored) for place in range(len(nodes))]
    # Deterministic where upstream picks at random: fewest pods, then the position in the cluster.
    best = max(range(len(nodes)), key=lambda place: (totals[place], -cycle.room_taken(nodes[place].name).pods, -place))
    return nodes[best]
