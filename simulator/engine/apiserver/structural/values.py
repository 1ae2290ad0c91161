"""Pruning and defaulting by a structural schema.

Source: apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go, schema/defaulting/algorithm.go.
"""

import copy
import json
from typing import Any

from simulator.engine.kernel.json_text import Json

PRESERVE, EMBEDDED, INT_OR_STRING = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"
WORK_MAX = 100_000
"""Looks at a value by a schema, a few µs each, that one object may cost: either may be as long as a request."""
_DEFAULT_CHARS, _FIELDS = 64, 16
"""Characters of a default, and fields of a schema, that cost as much as one look."""
_VALUES = ("default", "enum", "example")
_OBJECT_META = ("apiVersion", "kind", "metadata")


class SchemaTooCostly(Exception):
    """Validating an object by its schema costs too much."""


class SchemaWork:
    """The work that may still be spent on one object."""

    def __init__(self) -> None:
        self._left = WORK_MAX

    def spend(self, looks: int) -> None:
        """Count looks. Raises SchemaTooCostly."""
        self._left -= looks
        if self._left < 0:
            raise SchemaTooCostly


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


def spec_as_read(value: Any) -> Any:
    """A definition's spec as Go reads it, for which null is the same as missing; values within its schemas stay as they are. O(value)."""
    if isinstance(value, list):
        return [spec_as_read(item) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    return {key: item if key in _VALUES else spec_as_read(item) for key, item in value.items() if item is not None}


def defaulted(value: Any, schema: Json, work: SchemaWork) -> Any:
    """The value with the schema's defaults for what is missing, and for null where that is not allowed. Raises SchemaTooCostly."""
    if isinstance(value, list):
        items = schema.get("items")
        return [defaulted(item, items, work) for item in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    known, more = schema.get("properties") or {}, schema.get("additionalProperties")
    found = dict(value)
    work.spend(1 + len(known) // _FIELDS)
    for key, inner in known.items():
        if isinstance(inner, dict) and "default" in inner and (key not in found or (found[key] is None and not inner.get("nullable"))):
            work.spend(len(json.dumps(inner["default"])) // _DEFAULT_CHARS)
            found[key] = copy.deepcopy(inner["default"])
    for key, item in found.items():
        inner = known.get(key, more)
        if isinstance(inner, dict):
            found[key] = defaulted(item, inner, work)
    return {key: item for key, item in found.items() if item is not None or (known.get(key) or {}).get("nullable") or key not in known}
