"""The types of a release: the official schemas with their descriptions, as its OpenAPI documents have them.

Source: the schemas of the releases (``simulator/schemas/extract_openapi.py``). An older version of a kind without a
schema of its own is described like its newest version, which has the same fields.
"""

import gzip
from functools import lru_cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from simulator.door.resources import Resource, built_in
from simulator.engine.apiserver.wire.catalog import OLDEST_MINOR
from simulator.engine.apiserver.wire.later_fields import as_of
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.kinds import EVICTION
from simulator.kubectl.words import words_about

_EXTENSIONS = ("patch-strategy", "patch-merge-key", "list-type", "list-map-keys", "map-type")
_KEPT = ("type", "format", "required")
_CACHED = 3
"""How many versions' types are cached, some 2 MB each; the documents made from them are cached longer."""


class TypesOfRelease(Struct, frozen=True, kw_only=True):
    """The types of a release: definitions by full name, in which "$ref" is a full name, and the names of kinds by ``apiVersion Kind``."""

    minor: int
    kinds: dict[str, str]
    definitions: dict[str, Json]


@lru_cache(maxsize=1)
def _stored() -> Json:
    read: Json = decode(gzip.decompress(files("simulator.schemas").joinpath("openapi.json.gz").read_bytes()))
    return read


@lru_cache(maxsize=_CACHED)
def types_of(minor: int) -> TypesOfRelease:
    """The types of ``1.<minor>``, or of the nearest known version. Some 30 ms, then cached."""
    stored = _stored()
    newest = max(int(name.split(".")[1]) for name in stored["versions"])
    version = stored["versions"][f"1.{min(max(minor, OLDEST_MINOR), newest)}"]
    found = {name: _described(name, as_of(minor, stored["definitions"][place]), minor) for name, place in version["definitions"].items()}
    kinds = dict(version["kinds"])
    for resource in built_in(minor):
        key = f"{resource.group_version} {resource.info.kind}"
        if key not in kinds and (alias := _alias(resource, kinds)):
            other = kinds[alias]
            kinds[key] = name = ".".join([*other.split(".")[:-2], resource.version, resource.info.kind])
            found.setdefault(name, found[other])
    served = {f"{resource.group_version} {resource.info.kind}" for resource in built_in(minor)}
    kept = served | {"autoscaling/v1 Scale", "v1 Binding", f"{EVICTION.api_version(minor)} Eviction"}
    kinds = {key: name for key, name in kinds.items() if key in kept}
    marked = {name: {**found[name], "x-kubernetes-group-version-kind": [kind_of_key(key)]} for key, name in kinds.items()}
    return TypesOfRelease(minor=minor, kinds=kinds, definitions={**found, **marked})


def described(types: TypesOfRelease) -> list[Resource]:
    """The resources whose kinds have a definition: all except those of metrics-server."""
    return [item for item in built_in(types.minor) if f"{item.group_version} {item.info.kind}" in types.kinds]


def kind_of_key(key: str) -> Json:
    """``apps/v1 Deployment`` as OpenAPI documents write it."""
    api_version, _, kind = key.partition(" ")
    group, _, version = api_version.rpartition("/")
    return {"group": group, "kind": kind, "version": version}


def _alias(resource: Resource, kinds: dict[str, str]) -> str:
    """Another version of the kind that has a schema; empty if there is none."""
    prefix = f"{resource.info.group}/" if resource.info.group else ""
    names = (f"{prefix}{each.version} {resource.info.kind}" for each in resource.info.versions)
    return next((name for name in names if name in kinds), "")


def _described(name: str, node: Json, minor: int) -> Json:
    """A definition with the descriptions of the type and its fields."""
    schema, short = _schema(node), ".".join(name.split(".")[-3:])
    if text := words_about(short, "", minor):
        schema["description"] = text
    for field, item in schema.get("properties", {}).items():
        if text := words_about(short, field, minor):
            item["description"] = text
    return schema


def _schema(node: Json) -> Json:
    schema: Json = {key: node[key] for key in _KEPT if key in node}
    if "$ref" in node:
        schema["$ref"] = node["$ref"]
    schema |= {f"x-kubernetes-{key}": node[key] for key in _EXTENSIONS if key in node}
    schema |= {key: _schema(node[key]) for key in ("items", "additionalProperties") if key in node}
    if "properties" in node:
        schema["properties"] = {key: _schema(item) for key, item in node["properties"].items()}
    return schema


def references(node: Any) -> set[str]:
    """The names of the definitions that a schema refers to."""
    if isinstance(node, dict):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set[str]()
        return own.union(*(references(item) for item in node.values()))
    return set[str]().union(*(references(item) for item in node)) if isinstance(node, list) else set()


def closure(types: TypesOfRelease, names: set[str]) -> dict[str, Json]:
    """The definitions with these names and everything they refer to, by name."""
    seen: dict[str, Json] = {}
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        seen[name] = types.definitions[name]
        waiting |= references(seen[name]) - seen.keys()
    return dict(sorted(seen.items()))
