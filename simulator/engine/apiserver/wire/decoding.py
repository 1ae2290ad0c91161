"""How the API server decodes a JSON body: the error for the first value of a wrong type, and the fields it knows.

A server decodes into the Go types of its version. What that does to a document has to be done here
explicitly: nulls and unknown fields vanish, a null among the items of a list becomes an empty item,
and a value of the wrong type ends the decoding with one error, the first in the order of the text.
Only that first error can be reported; the server never looks at the rest.

Strict decoding, as kubectl asks for from 1.25 on, lists unknown fields, but only for a text that
decodes. The wording of the two decoders differs a lot: json-iterator until 1.22 quotes bytes around
the position (``old_decoder``), encoding/json after that names Go struct fields (``shapes``).

Nearly every document is fine, so the common path makes one copy and only collects doubts; the exact
search for the first misfit runs only if there are any.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.apiserver.wire.old_decoder import decode_problem, json_type
from simulator.engine.apiserver.wire.shapes import fits, misread
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import NULLS, empty_item, without_nulls
from simulator.engine.versions.facts import facts_of

_OF_TYPE = ("apiVersion", "kind")
_OBJECT, _ARRAY = ("object", ["object", "null"]), ("array", ["array", "null"])
_PLAIN: dict[type, tuple[Any, ...]] = {str: ("string", ["string", "null"]), bool: ("boolean", ["boolean", "null"])}
"""JSON types that need no second look, unless the schema asks for a special format."""
STRICT_MAX = 100
"""Maximum number of strict errors that the decoder keeps (sigs.k8s.io/json, saveStrictError)."""


def first_problem(typed: Json, body: str, *, minor: int, strict: bool) -> str:
    """The decoder's error for the first value it cannot read, or for the unknown fields when ``strict``; empty when there is none.

    ``typed`` is the document in the order of ``body``, its JSON text, from which old decoders quote. Cost: O(document).
    """
    schema = catalog(minor).schema(typed["apiVersion"], typed["kind"]) or {}
    if facts_of(minor).json_iterator:
        return decode_problem(body, schema)
    problem = misread(typed, schema)
    if problem or not strict:
        return problem
    problems = strict_problems(without_nulls(typed), schema)
    return strict_error(problems) if problems else ""


def strict_error(problems: Sequence[str]) -> str:
    """The text of the refusal."""
    return f"strict decoding error: {', '.join(problems)}"


def strict_problems(value: Any, schema: Json, *, again: Callable[[Json], Iterable[str]] = lambda _: ()) -> list[str]:
    """The errors of strict decoding: fields that the schema does not have, and fields that a text gives twice.

    ``again`` names the repeated keys of one object. At most STRICT_MAX of them. O(document).
    """
    return list(islice(_strict(value, schema, "", again), STRICT_MAX))


def _strict(value: Any, schema: Json, path: str, again: Callable[[Json], Iterable[str]]) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strict(item, schema.get("items") or {}, child(path, index), again)
    elif isinstance(value, dict):
        known, others = schema.get("properties"), schema.get("additionalProperties")
        for key, item in value.items():
            inner = known.get(key) if known else others
            if inner is None and known:
                yield f'unknown field "{child(path, key)}"'
            elif isinstance(inner, dict):
                yield from _strict(item, inner, child(path, key), again)
        yield from (f'duplicate field "{child(path, key)}"' for key in again(value))


_TYPE_META = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
"""The structure that a document is decoded into to learn its type."""


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


def read_typed(typed: Json, body: str, *, minor: int, is_valid: bool = False) -> tuple[Json, str]:
    """The document without nulls and unknown fields, and the decoder's error for the first value that it cannot read ("" if it can read
    all of them, and for a document that ``is_valid``).

    ``typed`` is the document in the order of ``body``, its JSON text. Kinds without a schema are taken as they are. Cost: O(document).
    """
    schema = catalog(minor).schema(typed["apiVersion"], typed["kind"])
    if schema is None:
        plain: Json = without_nulls(typed)
        return plain, ""
    doubts: list[str] = []
    known = _known(typed, schema, "", doubts)
    if is_valid:
        return known, ""
    if facts_of(minor).json_iterator:
        return known, decode_problem(body, schema)
    return known, misread(typed, schema) if doubts else ""


def _known(value: Any, schema: Json, field: str, doubts: list[str]) -> Any:
    """A copy of the map or list under ``field`` without nulls and unknown fields; adds fields that may have a wrong type to ``doubts``.

    Every object goes through here value by value: plain strings, which most values are, cost no call.
    """
    if isinstance(value, list):
        return _known_items(value, schema, field, doubts)
    shapes, others = schema.get("properties"), schema.get("additionalProperties")
    if schema.get("type") not in _OBJECT:
        doubts.append(field)
    if not shapes and not isinstance(others, dict):
        return without_nulls(value)
    found: Json = {}
    for name, item in value.items():
        inner = shapes.get(name) if shapes else others
        if inner is None:
            continue
        if item is None:
            # In maps of strings a null decodes to the empty string and stays.
            if not shapes and field in NULLS:
                found[name] = NULLS[field]
            continue
        if isinstance(item, dict | list):
            found[name] = _known(item, inner, name, doubts)
            continue
        found[name] = item
        if ("format" in inner or inner.get("type") not in _PLAIN.get(item.__class__, ())) and not fits(item, inner):
            doubts.append(name)
    return found


def _known_items(value: list[Any], schema: Json, field: str, doubts: list[str]) -> list[Any]:
    inner = schema.get("items") or {}
    if schema.get("type") not in _ARRAY:
        doubts.append(field)
    for item in value:  # the type of maps and lists is checked when they are copied
        if item is None or isinstance(item, dict | list) or ("format" not in inner and inner.get("type") in _PLAIN.get(item.__class__, ())):
            continue
        if not fits(item, inner):
            doubts.append(field)
    return [
        _empty(value, field, inner) if item is None else _known(item, inner, "", doubts) if isinstance(item, dict | list) else item
        for item in value
    ]


def _empty(items: list[Any], field: str, schema: Json) -> Any:
    """What a null among the items of a list decodes to: the empty string or object, depending on the schema."""
    if schema.get("type") in _PLAIN[str]:
        return ""
    return {} if schema.get("type") in _OBJECT else empty_item(items, field)


def without_nulls_of(value: Any, schema: Json, field: str = "") -> Any:
    """A copy of a document of that schema as it decodes, but including fields that the schema does not know. Cost: O(document)."""
    if isinstance(value, list):
        inner = schema.get("items") or {}
        return [_empty(value, field, inner) if item is None else without_nulls_of(item, inner) for item in value]
    if not isinstance(value, dict):
        return value
    shapes, others = schema.get("properties"), schema.get("additionalProperties")
    if not shapes and not isinstance(others, dict):
        return without_nulls(value)
    found: Json = {}
    for name, item in value.items():
        inner = shapes.get(name) if shapes else others
        if item is not None:
            found[name] = without_nulls_of(item, inner, name) if isinstance(inner, dict) else without_nulls(item, name)
        elif not shapes and field in NULLS:
            found[name] = NULLS[field]
    return found
