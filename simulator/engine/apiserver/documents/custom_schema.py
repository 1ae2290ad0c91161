"""The schema of a custom kind in the form that strict decoding and ``kubectl explain`` read: with what every object has.

Source: apiextensions-apiserver pkg/apiserver/schema/pruning (what is not kept is unknown), pkg/controller/openapi/builder/builder.go.
"""

from typing import Any

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.kernel.json_text import Json

_FREE = "x-kubernetes-preserve-unknown-fields"


def custom_schema(schema: Json, minor: int) -> Json:
    """The schema of a version of a definition, with apiVersion, kind and metadata but without formats; open schemas list no fields.

    O(schema)."""
    pod = catalog(minor).schema("v1", "Pod") or {}
    known = _known(schema)
    if schema.get(_FREE):
        return known
    own = {name: pod["properties"][name] for name in ("apiVersion", "kind", "metadata")}
    return {**known, "properties": {**(known.get("properties") or {}), **own}}


def _known(node: Json) -> Json:
    kept = {key: value for key, value in node.items() if key not in ("properties", "items", "additionalProperties", "format")}
    below: dict[str, Any] = {key: _known(node[key]) for key in ("items", "additionalProperties") if isinstance(node.get(key), dict)}
    if node.get(_FREE):
        return kept
    if isinstance(node.get("properties"), dict):
        below["properties"] = {name: _known(item) for name, item in node["properties"].items()}
    return {**kept, **below}
