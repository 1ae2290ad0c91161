"""What the API server's decoder makes of a JSON body: its words for the first value of a wrong type, and the fields it knows."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.api.catalog import catalog
from simulator.engine.api.field_paths import child
from simulator.engine.api.manifest import without_nulls
from simulator.engine.api.old_decoder import decode_problem, json_type
from simulator.engine.api.shapes import misread

Json = dict[str, Any]
_OF_TYPE = ("apiVersion", "kind")
_OLD_UNTIL = 22
"""The last minor version whose API server decodes with json-iterator."""
_UNKNOWN_MAX = 100
"""So many strict errors the decoder keeps (sigs.k8s.io/json, saveStrictError)."""


def first_problem(typed: Json, body: str, *, minor: int, strict: bool) -> str:
    """The decoder's words for the first value it cannot read, or for the unknown fields when ``strict``; empty when there is none.

    ``typed`` is the document in the order of ``body``, its JSON text, from which old decoders quote. Cost: O(document).
    """
    schema = catalog(minor).schema(typed["apiVersion"], typed["kind"]) or {}
    if minor <= _OLD_UNTIL:
        return decode_problem(body, schema)
    problem = misread(typed, schema)
    if problem or not strict:
        return problem
    unknown = [f'unknown field "{path}"' for path in _unknown(without_nulls(typed), schema, "")][:_UNKNOWN_MAX]
    return f"strict decoding error: {', '.join(unknown)}" if unknown else ""


def _unknown(value: Any, schema: Json, path: str) -> Iterator[str]:
    """The paths of the fields that the schema does not have."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, schema.get("items") or {}, child(path, index))
    elif isinstance(value, dict):
        known, others = schema.get("properties"), schema.get("additionalProperties")
        for key, item in value.items():
            inner = known.get(key) if known else others
            if inner is None and known:
                yield child(path, key)
            elif isinstance(inner, dict):
                yield from _unknown(item, inner, child(path, key))


_TYPE_META = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
"""What a document is read as to learn its type."""


def type_problem(document: Any) -> str:
    """Why the server cannot tell what kind of object the document is; empty when it can."""
    if not isinstance(document, dict):
        given = "string" if isinstance(document, str) else json_type(document)
        return f"couldn't get version/kind; json parse error: json: cannot unmarshal {given} into Go value of type {_TYPE_META}"
    for key in document:
        if key in _OF_TYPE and isinstance(document[key], bool | int | float | list | dict):
            why = f"json: cannot unmarshal {json_type(document[key])} into Go struct field .{key} of type string"
            return f"couldn't get version/kind; json parse error: {why}"
    version = document.get("apiVersion") or ""
    return f"unexpected GroupVersion string: {version}" if version.count("/") > 1 else ""


def known_fields(typed: Json, *, minor: int) -> Json:
    """The document without nulls and without the fields that the version does not know."""
    schema = catalog(minor).schema(typed["apiVersion"], typed["kind"])
    plain: Json = without_nulls(typed)
    return plain if schema is None else _pruned(plain, schema)


def _pruned(value: Any, schema: Json) -> Any:
    if isinstance(value, list):
        return [_pruned(item, schema.get("items") or {}) for item in value]
    if not isinstance(value, dict):
        return value
    known = schema.get("properties")
    if known:
        return {key: _pruned(item, known[key]) for key, item in value.items() if key in known}
    values = schema.get("additionalProperties")
    return {key: _pruned(item, values) for key, item in value.items()} if isinstance(values, dict) else value
