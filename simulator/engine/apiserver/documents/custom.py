"""Custom kinds by name: the ones of which objects are stored, as a client finds them by discovery."""

import json

from simulator.engine.model.custom import custom_info
from simulator.engine.model.kinds import KINDS, KindInfo, kind_of
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.world import World


def kind_in(world: World, word: str) -> KindInfo | None:
    """The kind behind a plural, singular, short or full name; of custom kinds those that have an object. O(kinds)."""
    return kind_of(word) or next((info for info in custom_kinds(world) if word.lower() in _names(info)), None)


def info_in(world: World, kind: str) -> KindInfo:
    """The kind of that name; a custom one with the group of its stored objects, without a group where there is none."""
    row = next(objects_of(world.tables, kind), None) if kind not in KINDS else None
    return KINDS.get(kind) or custom_info(str(json.loads(row.document).get("apiVersion") or "") if row is not None else "", kind)


def custom_kinds(world: World) -> list[KindInfo]:
    """The kinds of stored objects that are not Kubernetes' own, by name. O(kinds)."""
    held = (kind for kind in sorted(world.tables.namespaces_by_kind.buckets()) if kind not in KINDS)
    return [info_in(world, kind) for kind in held if next(objects_of(world.tables, kind), None) is not None]


def _names(info: KindInfo) -> tuple[str, ...]:
    words = (info.singular, info.plural, info.resource, f"{info.plural}.{info.versions[0].version}.{info.group}")
    return tuple(word.lower() for word in words)
