"""The types of custom kinds in OpenAPI documents, from the schemas in their definitions.

Source: apiextensions-apiserver pkg/controller/openapi/builder/builder.go buildKubeNative,
pkg/controller/openapi/v2/conversion.go.
"""

import json
from typing import Any

from msgspec import Struct

from simulator.door.openapi.definitions import TypesOfRelease, closure, kind_of_key
from simulator.door.resources import Resource, defined_resources
from simulator.engine.apiserver.documents.definitions import definitions_in
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import DEFINITION
from simulator.engine.world.world import World
from simulator.kubectl.words import words_about

_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_FREE = "x-kubernetes-preserve-unknown-fields"
_WORDS = ("type", "format", "description")
_BELOW = ("items", "additionalProperties")


class CustomKinds(Struct, frozen=True):
    """The custom kinds of a cluster: their resources in each served version, and the schemas in their definitions, as JSON
    by ``apiVersion Kind``.

    Two clusters with the same custom kinds compare equal.
    """

    resources: tuple[Resource, ...]
    schemas: str

    def group_versions(self) -> tuple[str, ...]:
        """The group versions: ``shop.example.com/v1`` and so on."""
        return tuple(dict.fromkeys(item.group_version for item in self.resources))


def custom_kinds_in(world: World) -> CustomKinds | None:
    """The custom kinds of a cluster; None if it has none. O(definitions)."""
    resources = tuple(item for item in defined_resources(world) if item.info != DEFINITION)
    if not resources:
        return None
    schemas = {
        f"{defined.info.group}/{version.name} {defined.info.kind}": version.schema
        for defined in definitions_in(world)
        for version in defined.versions.values()
    }
    return CustomKinds(resources, json.dumps(schemas))


def custom_types(custom: CustomKinds, types: TypesOfRelease, *, is_version2: bool, group_version: str = "") -> dict[str, Json]:
    """The definitions of custom kinds (of one group version, if given) and everything they refer to, by full name:
    ``com.example.shop.v1.Shop``."""
    schemas = {key: schema for key, schema in json.loads(custom.schemas).items() if group_version in ("", key.partition(" ")[0])}
    made = {_full_name(key): _native(key, schema, types.minor, is_version2=is_version2) for key, schema in schemas.items()}
    return {**closure(types, {_OBJECT_META}), **dict(sorted(made.items()))}


def _full_name(key: str) -> str:
    kind = kind_of_key(key)
    return ".".join([*reversed(kind["group"].split(".")), kind["version"], kind["kind"]])


def _native(key: str, schema: Json, minor: int, *, is_version2: bool) -> Json:
    """The type with the fields that every object has: apiVersion, kind and metadata."""
    mark = {"x-kubernetes-group-version-kind": [kind_of_key(key)]}
    if not schema or (is_version2 and schema.get(_FREE)):
        return {"type": "object", **mark}  # anything more would make kubectl refuse all other fields
    shown = _in_version2(schema) if is_version2 else _in_version3(schema)
    return {**shown, "properties": {**(shown.get("properties") or {}), **_meta(minor)}, **mark}


def _meta(minor: int) -> Json:
    def description(field: str) -> str:
        return words_about("core.v1.Pod", field, minor)

    return {
        "apiVersion": {"type": "string", "description": description("apiVersion")},
        "kind": {"type": "string", "description": description("kind")},
        "metadata": {"$ref": _OBJECT_META, "description": description("metadata")},
    }


def _in_version3(node: Any) -> Any:
    """The schema itself, without the definition's own references, which API servers refuse."""
    if isinstance(node, dict):
        return {key: _in_version3(item) for key, item in node.items() if not (key == "$ref" and isinstance(item, str))}
    return [_in_version3(item) for item in node] if isinstance(node, list) else node


def _in_version2(node: Json) -> Json:
    """The schema as far as version 2, and with it kubectl, can express it: values of any type have neither type nor fields."""
    shown: Json = {key: node[key] for key in _WORDS if isinstance(node.get(key), str) and node[key]}
    if isinstance(required := node.get("required"), list) and required:
        shown["required"] = [str(name) for name in required]
    shown |= {key: value for key, value in node.items() if key.startswith("x-kubernetes-")}
    if node.get("nullable"):
        shown.pop("type", None)
    if node.get("nullable") or node.get(_FREE):
        shown.pop("required", None)
        return shown
    shown |= {key: _in_version2(node[key]) for key in _BELOW if isinstance(node.get(key), dict)}
    if isinstance(node.get("properties"), dict):
        shown["properties"] = {name: _in_version2(item) for name, item in node["properties"].items() if isinstance(item, dict)}
    return shown
