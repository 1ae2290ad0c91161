"""The projection of a world at an instant: the single entry point through which pages look into the engine.

A world is at the last event that was processed; the playhead may be later, before the next one. So every view takes
``now_ms`` for ages and countdowns; without it the world's own moment is used. Nothing here changes a world.
"""

import json

from msgspec import Struct

from simulator.engine.apiserver.documents.objects import list_objects, object_document
from simulator.engine.apiserver.store.unacted import WITHOUT_CONTROLLER, Unacted, unacted
from simulator.engine.containers.images.reference import parse_reference
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.model.kinds import KINDS
from simulator.engine.projection.downward_view import Downward, downward_view
from simulator.engine.projection.events import EventRow, events_of
from simulator.engine.projection.images import is_in_registry
from simulator.engine.projection.model import BackoffView, ConditionView, ContainerView, NextThing, PodView, ProbeView
from simulator.engine.projection.model_run import Counts, NodeView, Overview, PodLine
from simulator.engine.projection.nodes import node_lines, node_views
from simulator.engine.projection.pod import pod_row, pod_view
from simulator.engine.projection.reckoning import Qos, Sum, qos_of, sums_of
from simulator.engine.projection.resources import ResourcesView, resources_view
from simulator.engine.world.world import World

__all__ = [
    "BackoffView",
    "ConditionView",
    "ContainerView",
    "Counts",
    "Downward",
    "EventRow",
    "NextThing",
    "NodeView",
    "Overview",
    "PodLine",
    "PodView",
    "ProbeView",
    "Qos",
    "Reckoning",
    "Sum",
    "events_view",
    "images",
    "list_objects",
    "node_lines",
    "node_view",
    "object_document",
    "objects",
    "other_objects",
    "pod_view",
    "project",
    "reckoning",
    "unacted_objects",
]


def project(world: World, *, now_ms: Ms | None = None) -> Overview:
    """The whole run at a moment. O(pods)."""
    now = world.now_ms if now_ms is None else now_ms
    pods = objects(world, now_ms=now)
    nodes = node_views(world)
    return Overview(now_ms=now, pods=pods, nodes=nodes, counts=_counts(world, pods, len(nodes)))


def objects(world: World, *, now_ms: Ms | None = None) -> tuple[PodLine, ...]:
    """Every pod the run knows in creation order, including those that are gone. About 20 µs per pod."""
    now = world.now_ms if now_ms is None else now_ms
    return tuple(pod_row(world, row, now) for row in world.tables.pods.values())


def node_view(world: World, name: str) -> NodeView | None:
    """One node with its conditions; None for a node that never existed."""
    return next((node for node in node_views(world) if node.name == name), None)


def _counts(world: World, pods: tuple[PodLine, ...], nodes: int) -> Counts:
    conditions = (world.tables.pods[pod.key].status.condition("Ready") for pod in pods if pod.is_present)
    return Counts(
        pods=len(pods),
        present=sum(pod.is_present for pod in pods),
        ready=sum(item is not None and item.status == "True" for item in conditions),
        ghosts=sum(pod.has_ghost for pod in pods),
        nodes=nodes,
    )


def images(world: World) -> tuple[tuple[str, bool], ...]:
    """Image names, as written in manifests, with whether the registry offers them: those of pods, then listed ones."""
    found: dict[str, bool] = {}
    for row in world.tables.pods.values():
        spec = row.pod.spec
        for container in (*spec.init_containers, *spec.containers, *spec.ephemeral_containers):
            found[container.image] = is_in_registry(world, container.image)
    for name, image in world.tables.images.items():
        found.setdefault(_short_name(name), image.available)
    return tuple(found.items())


def _short_name(name: str) -> str:
    """``nginx`` or ``nginx:1.25`` for the full name with tag; a name that cannot be parsed stays."""
    reference = parse_reference(name)
    if reference is None:
        return name
    return f"{reference.familiar}:{reference.tag}" if reference.tag not in ("", "latest") else reference.familiar


def events_view(world: World, key: Key | None, *, now_ms: Ms | None = None) -> tuple[EventRow, ...]:
    """The Events of a pod, or of every pod, in the order of their last write."""
    return events_of(world, key, now_ms=now_ms)


def other_objects(world: World) -> tuple[tuple[str, str, str], ...]:
    """Kind, namespace and name of every object that is neither a pod nor a node, in that order. O(objects)."""
    return tuple(sorted(world.tables.objects))


def unacted_objects(world: World) -> dict[tuple[str, str, str], tuple[Unacted, ...]]:
    """The fields that nothing in the simulation acts on, by kind, namespace and name of the object. O(objects other than pods)."""
    rows = ((key, row) for key, row in world.tables.objects.items() if key[0] in WITHOUT_CONTROLLER or key[0] not in KINDS)
    found = {key: tuple(unacted(json.loads(row.document))) for key, row in rows}
    return {key: items for key, items in found.items() if items}


class Reckoning(Struct, frozen=True, kw_only=True):
    """A pod's resources and its view of itself: requests with the arithmetic, the reason of its QoS class, its Downward API."""

    resources: ResourcesView
    qos: Qos
    sums: tuple[Sum, ...]
    downward: tuple[Downward, ...]


def reckoning(world: World, key: Key) -> Reckoning | None:
    """The reckoning of a pod, even if it is gone; None for a key that never existed. About 100 µs for a typical pod."""
    row = world.tables.pods.get(key)
    if row is None:
        return None
    return Reckoning(
        resources=resources_view(world, row), qos=qos_of(world, row), sums=sums_of(world, row), downward=downward_view(world, row)
    )
