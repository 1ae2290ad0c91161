"""An object at two moments or in two runs: which of its fields differ, by path, and which fields are mere bookkeeping."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.kernel.units import Subject
from simulator.engine.projection.objects import object_at
from simulator.engine.world.world import World

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_NOISE = frozenset(
    ("managedFields", "resourceVersion", "generation", "observedGeneration", "lastHeartbeatTime", "lastProbeTime", LAST_APPLIED)
)
"""Fields that servers and kubelets update with every write or heartbeat."""
_NAMES = ("name", "type", "mountPath", "containerPort", "ip", "key", "uid")
"""The fields that may identify the items of a list; the first one that all items have is used."""
_OF_POD = ("pod", "container", "probe", "condition")


class FieldChange(Struct, frozen=True, kw_only=True):
    """A field that differs, such as ``status.containerStatuses[app].restartCount``, with its value before and after."""

    path: str
    kind: str
    before: Any = None
    after: Any = None


def document_of(world: World, subject: Subject) -> dict[str, Any] | None:
    """The object of a subject, as ``kubectl get -o json`` shows it; None if it does not exist (any more)."""
    kind, *words = subject.split("/")
    if kind in _OF_POD and len(words) > 1:
        row = world.tables.pods.get(f"{words[0]}/{words[1]}")
        if row is None or row.gone_ms is not None:
            return None
        return object_document(world, "Pod", row.namespace, row.name)
    if kind == "node" and words:
        return object_document(world, "Node", "", words[0]) if words[0] in world.tables.nodes else None
    found = object_at(world, subject)
    return None if found is None else object_document(world, found.kind, found.namespace, found.name)


def without_noise(value: Any) -> Any:
    """The document without the fields that change with every write."""
    if isinstance(value, Mapping):
        kept = {name: without_noise(item) for name, item in value.items() if name not in _NOISE}
        return {name: item for name, item in kept.items() if item != {} or value[name] == {}}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_noise(item) for item in value]
    return value


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> tuple[FieldChange, ...]:
    """Every field that differs, in the order of the document; anything present on one side only is a single change."""
    if before is None or after is None:
        return () if before is after else (FieldChange(path="", kind=ADDED if before is None else REMOVED),)
    return tuple(_of_maps("", before, after))


def _of_values(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _of_maps(path, before, after)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(path, before, after)
    else:
        yield FieldChange(path=path, kind=CHANGED, before=before, after=after)


def _of_maps(path: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[FieldChange]:
    for name in sorted({*before, *after}):
        yield from _of_entry(_field(path, name), before, after, name)


def _of_lists(path: str, before: list[Any], after: list[Any]) -> Iterator[FieldChange]:
    name = next((name for name in _NAMES if _tells_apart(name, before) and _tells_apart(name, after)), None)
    if name is None:
        yield from _of_maps_by_place(path, before, after)
        return
    # By name and not by index: an item inserted at the front must not change all the others.
    old, new = ({str(item[name]): item for item in items} for items in (before, after))
    for key in dict.fromkeys((*old, *new)):
        yield from _of_entry(f"{path}[{key}]", old, new, key)


def _of_maps_by_place(path: str, before: list[Any], after: list[Any]) -> Iterator[FieldChange]:
    old, new = dict(enumerate(before)), dict(enumerate(after))
    for place in range(max(len(before), len(after))):
        yield from _of_entry(f"{path}[{place}]", old, new, place)


def _of_entry(path: str, before: Mapping[Any, Any], after: Mapping[Any, Any], name: Any) -> Iterator[FieldChange]:
    if name not in before:
        yield FieldChange(path=path, kind=ADDED, after=after[name])
    elif name not in after:
        yield FieldChange(path=path, kind=REMOVED, before=before[name])
    else:
        yield from _of_values(path, before[name], after[name])


def _tells_apart(name: str, items: list[Any]) -> bool:
    values = [item.get(name) if isinstance(item, Mapping) else None for item in items]
    return None not in values and len(set(values)) == len(values)


def _field(path: str, name: str) -> str:
    plain = name.replace("_", "").isalnum()
    return f'{path}["{name}"]' if not plain else f"{path}.{name}" if path else name
