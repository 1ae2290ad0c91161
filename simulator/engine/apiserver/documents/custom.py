"""Kinds that are not modelled, by name: those of Kubernetes itself, those that a CustomResourceDefinition defines, and those of stored
objects without a definition."""

import json

from simulator.engine.apiserver.documents.definitions import defined_kind, definitions_in
from simulator.engine.model.custom import DEFINITION, custom_info
from simulator.engine.model.kinds import KINDS, KindInfo, kind_of
from simulator.engine.model.named_kinds import named_kind
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.world import World


def kind_in(world: World, word: str) -> KindInfo | None:
    """The kind for a plural, singular, short or full name; custom kinds must be defined or have an object. O(kinds)."""
    known = kind_of(word) or named_kind(word, world.release.minor)
    return known or next((info for info in custom_kinds(world) if word.lower() in _names(info)), None)


def info_in(world: World, kind: str) -> KindInfo:
    """The kind of that name; a custom one by its definition, else by its stored objects (without a group if there are none)."""
    if kind in KINDS:
        return KINDS[kind]
    if kind == DEFINITION.kind:
        return DEFINITION
    defined = defined_kind(world, kind)
    if defined is not None:
        return defined.info
    row = next(objects_of(world.tables, kind), None)
    return custom_info(str(json.loads(row.document).get("apiVersion") or "") if row is not None else "", kind)


def custom_kinds(world: World) -> list[KindInfo]:
    """Kinds that are defined, and kinds of stored objects that are not Kubernetes' own, by name. O(kinds)."""
    held = {kind for kind in world.tables.namespaces_by_kind.buckets() if kind not in KINDS}
    stored = {kind for kind in held if next(objects_of(world.tables, kind), None) is not None}
    defined = {item.info.kind: item.info for item in definitions_in(world)} if DEFINITION.kind in stored else {}
    return [defined.get(kind) or info_in(world, kind) for kind in sorted({*stored, *defined})]


def _names(info: KindInfo) -> tuple[str, ...]:
    words = (info.singular, info.plural, info.resource, *info.short_names, f"{info.plural}.{info.versions[0].version}.{info.group}")
    return tuple(word.lower() for word in words)
