"""Whether a document has the shape of its kind: what Go's decoder reports of the first value that has the wrong type.

The shapes are those of the official schemas. Fields that a schema does not know are ignored.

A value can reach a Go struct in two ways, with different error messages. A request's body goes
through encoding/json, which names the struct and the field. The result of a strategic merge patch
is a map in memory that a reflecting converter turns into the struct (``restore_problem``); it names
kinds of Go values and not their position.

Source: encoding/json, as the API server uses it to read requests; apimachinery
pkg/runtime/converter.go.
"""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.formats import base64_problem
from simulator.engine.apiserver.wire.go_names import go_type
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.go_time import time_problem
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.quantity import QUANTITY_RULE, quantity_problem

_BITS = {"int32": 31, "int64": 63}
_CONVERTIBLE = (("int64", "string"), ("float64", "integer"))
"""Type pairs that the language converts, but JSON does not."""
_NAMED = {
    **{key: f"v1.{key[:1].upper()}{key[1:]}" for key in ("restartPolicy", "terminationMessagePolicy", "protocol", "preemptionPolicy")},
    "dnsPolicy": "v1.DNSPolicy",
    "imagePullPolicy": "v1.PullPolicy",
    "phase": "v1.PodPhase",
    "qosClass": "v1.PodQOSClass",
    "uid": "types.UID",
    "effect": "v1.TaintEffect",
    "scheme": "v1.URIScheme",
    "conditionType": "v1.PodConditionType",
}
"""String fields that have a type of their own."""


def shape_problem(document: Json, *, minor: int) -> str:
    """The problem with the first value of a wrong type; "" when all fit or the kind has no schema. Cost: O(document), a few µs per field.

    Null stands for nothing everywhere. The first use loads the schemas of a version, about 10 ms.
    """
    misfit = _first_misfit(document, minor)
    return _message(misfit) if misfit is not None else ""


def misread(document: Json, schema: Json) -> str:
    """The problem with the first value of a document that does not have the type of ``schema``; "" when all fit. Cost: O(document)."""
    misfit = next(_misfits(document, schema, ("", "")), None)
    return _message(misfit) if misfit is not None else ""


def restore_problem(document: Json, *, minor: int) -> str:
    """The same for an object from a strategic patch, which is not read from JSON but assembled in memory.

    Source: apimachinery pkg/runtime/converter.go fromUnstructured.
    """
    misfit = _first_misfit(document, minor)
    return _not_restored(misfit) if misfit is not None else ""


class _Misfit(Struct, frozen=True):
    """A value that does not have the type of its schema; ``owner`` is the Go type of the structure with the field at ``path``."""

    value: Any
    schema: Json
    owner: str
    path: str


def _first_misfit(document: Json, minor: int) -> _Misfit | None:
    schema = _schema_of(str(document.get("kind") or ""), minor)
    return next(_misfits(document, schema, ("", "")), None) if schema is not None else None


def _schema_of(kind: str, minor: int) -> Json | None:
    """The schema of a kind, from whichever API version has one."""
    info = KINDS.get(kind)
    if info is None:
        return None
    prefix = f"{info.group}/" if info.group else ""
    known = catalog(minor).schemas
    return next((known[name] for served in info.versions if (name := f"{prefix}{served.version} {kind}") in known), None)


def _misfits(value: Any, schema: Json, place: tuple[str, str]) -> Iterator[_Misfit]:
    """The misfits of a value. ``place`` is the Go type around the value, and its path."""
    owner, path = place
    if value is None:
        return
    if not fits(value, schema):
        yield _Misfit(value, schema, owner, path)
    elif isinstance(value, dict):
        title = schema.get("title", owner)
        shapes, others = schema.get("properties"), schema.get("additionalProperties")
        for key, item in value.items():
            inner = shapes.get(key) if shapes else others
            inside = f"{path}.{key}".removeprefix(".") if shapes else path
            if isinstance(inner, dict):
                yield from _misfits(item, inner, (title, inside))
    # A list item has no path of its own: encoding/json reports the list's field.
    elif isinstance(value, list):
        for item in value:
            yield from _misfits(item, schema.get("items", {}), place)


def fits(value: Any, schema: Json) -> bool:
    """Whether a value itself has the type of a schema, whatever its contents are."""
    form, kind = schema.get("format", ""), type_of(schema)
    if form == "quantity":
        return isinstance(value, str | int | float) and not isinstance(value, bool) and not quantity_problem(value)
    if form == "date-time" and isinstance(value, str):
        return not time_problem(value)
    if form == "byte" and isinstance(value, str):
        return not base64_problem(value)
    if form == "int-or-string":
        return isinstance(value, str) or _is_number(value, 31)
    if kind == "integer":
        return _is_number(value, _BITS.get(form, 31))
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "number": int | float}
    return kind not in types or isinstance(value, types[kind])


def type_of(schema: Json) -> str:
    """The JSON type of a schema; "" if it accepts any."""
    kind = schema.get("type", "")
    return str(kind[0]) if isinstance(kind, list) else str(kind)


def _is_number(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits


def _own_words(value: Any, form: str) -> str:
    """The message of types that decode their own JSON; "" for the others."""
    if form == "quantity":
        is_read = isinstance(value, str | int | float) and not isinstance(value, bool)
        return (quantity_problem(value) if is_read else "") or QUANTITY_RULE
    if form == "date-time" and isinstance(value, str):
        return time_problem(value)
    if form == "byte" and isinstance(value, str):
        return base64_problem(value) or ""
    if form in ("int-or-string", "date-time"):
        given = f"number {json.dumps(value)}" if form == "int-or-string" and _given(value) == "number" else _given(value)
        return f"json: cannot unmarshal {given} into Go value of type {'string' if form == 'date-time' else 'int32'}"
    return ""


def _message(misfit: _Misfit) -> str:
    value, schema = misfit.value, misfit.schema
    if own := _own_words(value, schema.get("format", "")):
        return own
    given = _given(value)
    if given == "number" and type_of(schema) == "integer":
        given = f"number {json.dumps(value)}"
    return f"json: cannot unmarshal {given} into Go struct field {misfit.owner}.{misfit.path} of type {go_type(schema)}"


def _not_restored(misfit: _Misfit) -> str:
    value, kind = misfit.value, type_of(misfit.schema)
    if own := _own_words(value, misfit.schema.get("format", "")):
        return own
    given = _kind_in_go(value)
    if kind == "array":
        return f"cannot restore slice from {given}"
    if kind == "object":
        return f"cannot restore struct from: {given}" if misfit.schema.get("properties") else f"cannot restore map from {given}"
    wanted = go_type(misfit.schema)
    if (given, kind) in _CONVERTIBLE:
        return f"cannot convert {given} to {_NAMED.get(misfit.path.rpartition('.')[2], wanted)}"
    return f"unrecognized type: {wanted}"


def _kind_in_go(value: Any) -> str:
    if isinstance(value, dict | list):
        return "map" if isinstance(value, dict) else "slice"
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) else "int64" if isinstance(value, int) else "float64"


def _given(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
