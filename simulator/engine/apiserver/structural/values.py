"""Pruning and defaulting by a structural schema.

Source: apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go, schema/defaulting/algorithm.go.
"""

import copy
from typing import Any

from simulator.engine.kernel.json_text import Json

PRESERVE, EMBEDDED, INT_OR_STRING = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"
_OBJECT_META = ("apiVersion", "kind", "metadata")


def pruned(value: Any, schema: Json, *, is_root: bool = False) -> Any:
    """The value without the fields that the schema does not know. O(value)."""
    if isinstance(value, list):
        items = schema.get("items")
        return [pruned(item, items) for item in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    known, more = schema.get("properties") or {}, schema.get("additionalProperties")
    keeps = bool(schema.get(PRESERVE)) or more is True
    head = _OBJECT_META if is_root or schema.get(EMBEDDED) else ()
    found: Json = {}
    for key, item in value.items():
        if key in head and (is_root or key not in known):
            found[key] = item
        elif isinstance(known.get(key), dict):
            found[key] = pruned(item, known[key])
        elif isinstance(more, dict):
            found[key] = pruned(item, more)
        elif keeps:
            found[key] = item
    return found


def defaulted(value: Any, schema: Json) -> Any:
    """The value with the schema's defaults for what is missing, and for null where that is not allowed. O(value)."""
    if isinstance(value, list):
        items = schema.get("items")
        return [defaulted(item, items) for item in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    known, more = schema.get("properties") or {}, schema.get("additionalProperties")
    found = dict(value)
    for key, inner in known.items():
        if isinstance(inner, dict) and "default" in inner and (key not in found or (found[key] is None and not inner.get("nullable"))):
            found[key] = copy.deepcopy(inner["default"])
    for key, item in found.items():
        inner = known.get(key, more)
        if isinstance(inner, dict):
            found[key] = defaulted(item, inner)
    return {key: item for key, item in found.items() if item is not None or (known.get(key) or {}).get("nullable") or key not in known}
