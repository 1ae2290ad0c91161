"""The Downward API as a pod's containers see it: every variable and file filled from the pod itself, then and now.

A variable keeps the value it had when its container was created; a file follows the pod with a delay.
Source: pkg/kubelet/kubelet_pods.go, pkg/volume/downwardapi.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from simulator.engine.kubelet.pods.facts.pod_fields import field_text, resource_text, volume_field_text
from simulator.engine.kubelet.pods.volumes.volume_content import volume_key
from simulator.engine.model.container import Container, EnvVar
from simulator.engine.model.downward import BadField
from simulator.engine.model.pod import Volume
from simulator.engine.model.service_account import own_volumes
from simulator.engine.projection.node_side import newest_instance
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

ENV, FILE = "env", "file"


class Downward(Struct, frozen=True, kw_only=True, gc=False):
    """One value. ``place``: env or file; ``shown`` is what the container has (None: nothing yet), ``now`` the pod's value at this moment.

    ``rule`` names the rule that explains it; ``problem`` is why there is no value.
    """

    container: str
    place: str
    name: str
    source: str
    shown: str | None
    now: str
    rule: str
    problem: str = ""

    @property
    def is_stale(self) -> bool:
        """Whether the container still has an older value."""
        return self.shown is not None and not self.problem and self.shown != self.now


def downward_view(world: World, row: PodRow) -> tuple[Downward, ...]:
    """Every Downward API value of the pod, variables first. Cost: O(variables + files)."""
    spec = row.pod.spec
    containers = (*spec.init_containers, *spec.containers)
    return (*(item for container in containers for item in _variables(world, row, container)), *_files(world, row))


def _variables(world: World, row: PodRow, container: Container) -> Iterator[Downward]:
    instance = newest_instance(world, row.key, container.name)
    held = dict(instance.process.launch.env) if instance is not None and instance.process is not None else {}
    for variable in container.env:
        source = variable.value_from
        if source is None or (source.field_ref is None and source.resource_field_ref is None):
            continue
        yield _variable(world, row, container, variable, held.get(variable.name))


def _variable(world: World, row: PodRow, container: Container, variable: EnvVar, shown: str | None) -> Downward:
    source = variable.value_from
    assert source is not None
    rule, now, problem, named = "DOWNWARD-ENV", "", "", ""
    try:
        if source.field_ref is not None:
            named = source.field_ref.field_path
            now = field_text(world.tables, row, named) if row.node in world.tables.nodes else _unplaced(world, row, named)
        elif source.resource_field_ref is not None:
            selector = source.resource_field_ref
            named = f"{selector.container_name or container.name}: {selector.resource}" + _over(selector.divisor)
            kind, _, resource = selector.resource.partition(".")
            rule = "DOWNWARD-ALLOCATABLE" if kind == "limits" and resource not in container.resources.limits else rule
            now = resource_text(world.tables, row, container, selector) if row.node in world.tables.nodes else ""
    except BadField as error:
        problem = str(error)
    return Downward(container=container.name, place=ENV, name=variable.name, source=named, shown=shown, now=now, rule=rule, problem=problem)


def _over(divisor: Any) -> str:
    return f" / {divisor}" if divisor not in (None, "", "0", 0) else ""


def _unplaced(world: World, row: PodRow, path: str) -> str:
    """A field of a pod that has no node yet: whatever belongs to a node is empty."""
    return volume_field_text(world.tables, row, path) if path.startswith("metadata.") else ""


def _files(world: World, row: PodRow) -> Iterator[Downward]:
    for volume in own_volumes(row.pod.spec):
        for path, item in _items(volume):
            yield _file(world, row, volume, path, item)


def _items(volume: Volume) -> Iterator[tuple[str, Mapping[str, Any]]]:
    sources = [volume.downward_api] if volume.downward_api is not None else []
    for entry in (volume.projected or {}).get("sources") or ():
        sources += [entry["downwardAPI"]] if isinstance(entry, Mapping) and entry.get("downwardAPI") else []
    for source in sources:
        yield from ((str(item.get("path", "")), item) for item in source.get("items") or ())


def _file(world: World, row: PodRow, volume: Volume, path: str, item: Mapping[str, Any]) -> Downward:
    field, selector = item.get("fieldRef"), item.get("resourceFieldRef") or {}
    named = str(field.get("fieldPath")) if field else f"{selector.get('containerName', '')}: {selector.get('resource', '')}"
    now, problem = "", ""
    try:
        if field:
            now = volume_field_text(world.tables, row, named)
        elif row.node in world.tables.nodes:
            now = resource_text(world.tables, row, None, selector)
    except BadField as error:
        problem = str(error)
    # The volume's current contents, as the kubelet last wrote them.
    held = world.tables.volumes.get(volume_key(row, volume), {}).get(path)
    mounts = [f"{mount.mount_path.rstrip('/')}/{path}" for name, mount in _mounts(row) if mount.name == volume.name]
    readers = [name for name, mount in _mounts(row) if mount.name == volume.name]
    return Downward(
        container=", ".join(dict.fromkeys(readers)),
        place=FILE,
        name=", ".join(dict.fromkeys(mounts)) or f"{volume.name}: {path}",
        source=named,
        shown=held.text if held is not None else None,
        now=now,
        rule="DOWNWARD-FILE",
        problem=problem,
    )


def _mounts(row: PodRow) -> Iterator[tuple[str, Any]]:
    for container in (*row.pod.spec.init_containers, *row.pod.spec.containers):
        for mount in container.volume_mounts:
            yield container.name, mount
