"""The cluster as a map: nodes as boxes, pods inside them grouped by owner, controllers, budgets and Services with their numbers.

Healthy pods may be drawn together if there are many; an unhealthy one is always drawn by itself, so that it is never hidden.
"""

from collections.abc import Iterable

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.model.meta import OwnerReference
from simulator.engine.policies.room import EMPTY
from simulator.engine.projection.model_run import PodLine
from simulator.engine.projection.node_side import has_ghost
from simulator.engine.projection.nodes import node_tone, node_word
from simulator.engine.projection.objects import AUTOSCALER, BudgetView, ObjectView, budget_views, object_view, owner_subject
from simulator.engine.projection.pod import pod_row
from simulator.engine.projection.requests import ServiceLoad, service_loads
from simulator.engine.workloads.objects import spec_of
from simulator.engine.workloads.progress import COUNTS
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import ApiObject, World

TILES_MAX = 400
"""With more pods than this healthy ones are drawn together."""
NODES_MAX = 60
"""With more nodes than this healthy ones are drawn small."""
CONTROLLERS_MAX = 12
"""With more controllers than this healthy ones are listed separately."""
_SHOWN = (*COUNTS, AUTOSCALER)
WELL = ("ready", "succeeded")


class Crowd(Struct, frozen=True):
    """Healthy pods that are drawn together: their tone, STATUS and number."""

    tone: str
    word: str
    count: int


class OwnerGroup(Struct, frozen=True, kw_only=True):
    """The tiles of one owner on a node. ``owner`` is the topmost one, such as the Deployment; empty for pods on their own."""

    owner: Subject
    name: str
    tiles: tuple[PodLine, ...]


class MapNode(Struct, frozen=True, kw_only=True):
    """A node with its pods: tiles by owner, and if there are many pods ``crowds`` of the healthy ones.

    Shares are of what the scheduler counts as taken, in percent; ``name`` is empty for pods without a node.

    ``is_brief``: the node is healthy and there are many nodes, so that numbers are enough.
    """

    subject: Subject
    name: str
    tone: str
    word: str
    groups: tuple[OwnerGroup, ...]
    crowds: tuple[Crowd, ...]
    pods: int
    troubled: int
    cpu_percent: int
    memory_percent: int
    is_brief: bool


class ClusterMap(Struct, frozen=True, kw_only=True):
    """Everything on the map; if there are many nodes, those with problems come first. ``well`` are the healthy controllers
    if there are many; otherwise they are among the others. ``starting`` is how many of the ``troubled`` are merely still starting."""

    nodes: tuple[MapNode, ...]
    waiting: MapNode | None
    controllers: tuple[ObjectView, ...]
    well: tuple[ObjectView, ...]
    budgets: tuple[BudgetView, ...]
    services: tuple[ServiceLoad, ...]
    pods: int
    troubled: int
    starting: int

    @property
    def unwell(self) -> int:
        """How many have problems and are not merely starting."""
        return self.troubled - self.starting


def cluster_map(world: World, *, now_ms: Ms) -> ClusterMap:
    """The map at a moment. About 30 µs per pod and 10 µs per node."""
    # A pod whose object is gone stays on the map as long as one of its processes runs.
    rows = [row for row in world.tables.pods.values() if row.gone_ms is None or has_ghost(world, row)]
    by_node: dict[str, list[tuple[PodRow, PodLine]]] = {}
    for row in rows:
        by_node.setdefault(row.node, []).append((row, pod_row(world, row, now_ms)))
    owners = _Owners(world)
    crowded, many = len(rows) > TILES_MAX, len(world.tables.nodes) > NODES_MAX
    nodes = [_node(world, row, by_node.get(row.name, []), owners, crowded=crowded, many=many) for row in world.tables.nodes.values()]
    # A deleted node is drawn only for the pods that are left on it.
    nodes = [node for node in nodes if node.pods or node.word]
    known = world.tables.nodes.keys()
    lost = [item for name, items in by_node.items() if name not in known for item in items]
    controllers, well = _controllers(world)
    return ClusterMap(
        # The sort is stable: within a group nodes keep their order, so boxes do not jump about.
        nodes=tuple(sorted(nodes, key=lambda node: (node.is_brief, crowded and not node.troubled))),
        waiting=_box(lost, owners, crowded=crowded) if lost else None,
        controllers=controllers,
        well=well,
        budgets=budget_views(world),
        services=service_loads(world, now_ms=now_ms),
        pods=len(rows),
        troubled=sum(node.troubled for node in nodes) + sum(line.tone not in WELL for _, line in lost),
        starting=sum(_is_starting(row, line) for items in by_node.values() for row, line in items),
    )


def _is_starting(row: PodRow, line: PodLine) -> bool:
    """Whether no scheduler has considered the pod yet, or its containers are being created."""
    return line.tone == "starting" or (line.tone == "waiting" and not row.node and row.status.condition("PodScheduled") is None)


def _controllers(world: World) -> tuple[tuple[ObjectView, ...], tuple[ObjectView, ...]]:
    """The controllers to show, and, if there are many, the healthy ones separately."""
    found = tuple(object_view(world, row) for kind in _SHOWN for row in objects_of(world.tables, kind) if _is_shown(world, row))
    if len(found) <= CONTROLLERS_MAX:
        return found, ()
    return tuple(item for item in found if item.tone not in WELL), tuple(item for item in found if item.tone in WELL)


def _is_shown(world: World, row: ApiObject) -> bool:
    """Whether to show it: empty old ReplicaSets only clutter the map."""
    return row.kind != "ReplicaSet" or bool(spec_of(row).get("replicas")) or not owner_subject(world.tables, row)


class _Owners:
    """Finds the topmost owner of a pod, once per controller."""

    def __init__(self, world: World) -> None:
        self._tables = world.tables
        self._found: dict[tuple[str, OwnerReference], Subject] = {}

    def of(self, row: PodRow) -> Subject:
        """The subject of the topmost controller; empty for a pod on its own."""
        owner = row.pod.metadata.controller
        if owner is None:
            return ""
        key = (row.namespace, owner)
        if key not in self._found:
            self._found[key] = owner_subject(self._tables, row, topmost=True)
        return self._found[key]


Placed = list[tuple[PodRow, PodLine]]


def _node(world: World, row: NodeRow, placed: Placed, owners: _Owners, *, crowded: bool, many: bool) -> MapNode:
    box = _box(placed, owners, crowded=crowded)
    life, room = world.tables.node_life[row.name], world.tables.room_scheduled.get(row.name, EMPTY)
    tone = node_tone(row, life)
    return MapNode(
        subject=f"node/{row.name}", name=row.name, tone=tone, word=node_word(row, life), groups=box.groups, crowds=box.crowds,
        pods=box.pods, troubled=box.troubled, cpu_percent=_percent(room.cpu_milli, row.allocatable_cpu_milli),
        memory_percent=_percent(room.memory_bytes, row.allocatable_memory_bytes),
        is_brief=many and not box.troubled and tone == "ready",
    )  # fmt: skip


def _percent(used: int, of: int) -> int:
    return min(100, 100 * used // of) if of else 0


def _box(placed: Placed, owners: _Owners, *, crowded: bool) -> MapNode:
    """Pods by owner, without a node around them."""
    by_owner: dict[Subject, list[PodLine]] = {}
    for row, line in placed:
        if not crowded or line.tone not in WELL:
            by_owner.setdefault(owners.of(row), []).append(line)
    groups = tuple(OwnerGroup(owner=owner, name=owner.rpartition("/")[2], tiles=tuple(lines)) for owner, lines in by_owner.items())
    crowds = _crowds(line for _, line in placed) if crowded else ()
    troubled = sum(line.tone not in WELL for _, line in placed)
    return MapNode(
        subject="", name="", tone="waiting", word="", groups=groups, crowds=crowds, pods=len(placed), troubled=troubled, cpu_percent=0,
        memory_percent=0, is_brief=False,
    )  # fmt: skip


def _crowds(lines: Iterable[PodLine]) -> tuple[Crowd, ...]:
    counts: dict[tuple[str, str], int] = {}
    for line in lines:
        if line.tone in WELL:
            counts[(line.tone, line.status_word)] = counts.get((line.tone, line.status_word), 0) + 1
    return tuple(Crowd(tone, word, count) for (tone, word), count in counts.items())
