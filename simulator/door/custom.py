"""Custom kinds in the API: the columns printed by their definition, and their scale.

Source: apiextensions-apiserver pkg/registry/customresource/tableconvertor/tableconvertor.go,
pkg/registry/customresource/etcd.go ScaleREST.
"""

from typing import Any

from simulator.door.resources import Resource
from simulator.engine.apiserver.documents.definitions import DefinedVersion, defined_kind
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import DEFINITION
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.times import parse_time
from simulator.engine.world.world import World
from simulator.kubectl.output.jsonpath import JSONPath, PathError
from simulator.kubectl.tables.model import UNKNOWN, Sight

_NAME: Json = {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
_CREATED: Json = {"name": "Created At", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
_AGE: Json = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


# ---- tables ----------------------------------------------------------------------------------------------------------
def printed_columns(kind: str, version: str, sight: Sight) -> list[Json] | None:
    """The columns of a custom kind in a version; None for Kubernetes' own kinds and for kinds without a definition."""
    if kind in KINDS:
        return None
    if kind == DEFINITION.kind:
        return [_NAME, _column(_CREATED)]
    found = _version(sight.world, kind, version)
    return None if found is None else [_NAME, *(_column(item) for item in found.columns or (_AGE,))]


def _column(item: Json) -> Json:
    return {
        "name": str(item.get("name") or ""),
        "type": str(item.get("type") or "string"),
        "format": str(item.get("format") or ""),
        "description": str(item.get("description") or ""),
        "priority": int(item.get("priority") or 0),
    }


def printed_cells(kind: str, document: Json, sight: Sight) -> list[Any] | None:
    """The cells of an object for ``printed_columns``."""
    if kind in KINDS:
        return None
    name = document["metadata"]["name"]
    if kind == DEFINITION.kind:
        return [name, document["metadata"]["creationTimestamp"]]
    found = _version(sight.world, kind, str(document["apiVersion"]).rpartition("/")[2])
    return None if found is None else [name, *(_cell(document, item, sight) for item in found.columns or (_AGE,))]


def _cell(document: Json, item: Json, sight: Sight) -> Any:
    try:
        values = JSONPath(f"{{{item.get('jsonPath') or ''}}}").results(document)
    except PathError:
        return None
    found = [value for block in values for value in block]
    if not found:
        return None
    return _in_type(found[0], str(item.get("type")), sight)


def _in_type(value: Any, kind: str, sight: Sight) -> Any:
    if kind == "date":
        try:
            return human_duration_ms(sight.epoch_now_ms - parse_time(value)) if value else UNKNOWN
        except (ValueError, TypeError):
            return "<invalid>"
    fits: Any = {"integer": int, "number": (int, float), "boolean": bool}.get(kind)
    if fits is not None:
        return value if isinstance(value, fits) and (kind == "boolean" or not isinstance(value, bool)) else None
    return value if isinstance(value, str) else str(value)


def _version(world: World, kind: str, version: str) -> DefinedVersion | None:
    found = defined_kind(world, kind)
    return found.versions.get(version) if found is not None else None


# ---- scale -----------------------------------------------------------------------------------------------------------
def scale_paths(world: World, resource: Resource) -> Json:
    """The paths of a custom kind's replicas, by the fields of its definition; empty for other kinds."""
    found = _version(world, resource.info.kind, resource.version) if resource.info.kind not in KINDS else None
    return found.scale if found is not None else {}


def at_path(document: Any, path: str) -> Any:
    """The value at a path such as ``.spec.replicas``; None if there is none."""
    for step in path.strip(".").split("."):
        document = document.get(step) if isinstance(document, dict) else None
    return document


def patch_at(path: str, value: Any) -> Json:
    """The merge patch that sets the value at a path."""
    for step in reversed(path.strip(".").split(".")):
        value = {step: value}
    found: Json = value
    return found


def scale_as_builtin(world: World, resource: Resource, document: Json) -> Json:
    """The object with its replicas in the fields where Kubernetes' own kinds have them."""
    paths = scale_paths(world, resource)
    if not paths:
        return document
    replicas, now = (at_path(document, str(paths.get(key) or "")) for key in ("specReplicasPath", "statusReplicasPath"))
    selector = at_path(document, str(paths["labelSelectorPath"])) if paths.get("labelSelectorPath") else None
    status = {"replicas": now or 0}
    return {**document, "spec": {"replicas": replicas or 0, "selector": selector}, "status": status}
