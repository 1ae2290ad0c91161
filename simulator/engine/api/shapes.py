"""Whether a document has the shape of its kind: what Go's decoder says of the first value that has the wrong type.

The shapes are those of the official schemas. Fields that a schema does not know are left alone. Source: encoding/json, as the
API server uses it to read requests.
"""

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from simulator.engine.api.go_time import time_problem
from simulator.engine.api.kinds import KINDS
from simulator.engine.api.later_fields import as_of
from simulator.engine.api.quantity import QUANTITY_RULE, quantity_problem

Json = dict[str, Any]
_WORDS = {"quantity": "resource.Quantity", "int-or-string": "intstr.IntOrString", "byte": "[]uint8", "date-time": "string"}
_PLAIN = {"integer": "int32", "boolean": "bool", "number": "float64", "string": "string"}
_BITS = {"int32": 31, "int64": 63}
_CONVERTIBLE = (("int64", "string"), ("float64", "integer"))
"""Pairs that the language converts, but JSON does not."""
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
"""Fields of texts that have a type of their own."""


def shape_problem(document: Json, *, minor: int) -> str:
    """The problem with the first value of a wrong type; "" when all fit or the kind has no schema. Cost: O(document), some µs a field.

    Null stands for nothing everywhere. The first use loads the schemas of a version, about 10 ms.
    """
    definitions, misfit = _first_misfit(document, minor)
    return _said(misfit, definitions) if misfit is not None else ""


def restore_problem(document: Json, *, minor: int) -> str:
    """The same for an object that a strategic patch made, which is not read from JSON, but put together in memory.

    Source: apimachinery pkg/runtime/converter.go fromUnstructured.
    """
    definitions, misfit = _first_misfit(document, minor)
    return _not_restored(misfit, definitions) if misfit is not None else ""


class _Misfit(Struct, frozen=True):
    """A value that does not have the type of its schema; ``owner`` is the Go type of the structure with the field at ``path``."""

    value: Any
    schema: Json
    owner: str
    path: str


def _first_misfit(document: Json, minor: int) -> tuple[dict[str, Json], _Misfit | None]:
    definitions, kinds = _schemas(minor)
    info = KINDS.get(str(document.get("kind") or ""))
    if info is None:
        return definitions, None
    prefix = f"{info.group}/" if info.group else ""
    names = (kinds.get(f"{prefix}{served.version} {info.kind}") for served in info.versions)
    name = next((found for found in names if found), "")
    return definitions, next(_misfits(document, {"$ref": name}, ("", ""), definitions), None) if name else None


@lru_cache(maxsize=32)
def _schemas(minor: int) -> tuple[dict[str, Json], dict[str, str]]:
    """The definitions of a version by name, and the definition of each "apiVersion Kind"."""
    stored = _stored()
    minors = sorted(int(name.split(".")[1]) for name in stored["versions"])
    version = stored["versions"][f"1.{min(max(minor, minors[0]), minors[-1])}"]
    return {name: as_of(minor, stored["definitions"][place]) for name, place in version["definitions"].items()}, version["kinds"]


@lru_cache(maxsize=1)
def _stored() -> Json:
    data = files("simulator.schemas").joinpath("schemas.json.gz").read_bytes()
    stored: Json = json.loads(gzip.decompress(data))
    return stored


def _misfits(value: Any, schema: Json, place: tuple[str, str], definitions: dict[str, Json]) -> Iterator[_Misfit]:
    """``place`` is the Go type around the value, and its path."""
    owner, path = place
    while "$ref" in schema:
        schema = definitions[schema["$ref"]]
    if value is None:
        return
    if not _fits(value, schema):
        yield _Misfit(value, schema, owner, path)
    elif isinstance(value, dict):
        title = schema.get("title", owner)
        shapes, others = schema.get("properties"), schema.get("additionalProperties")
        for key, item in value.items():
            inner = shapes.get(key) if shapes else others
            inside = f"{path}.{key}".removeprefix(".") if shapes else path
            if isinstance(inner, dict):
                yield from _misfits(item, inner, (title, inside), definitions)
    elif isinstance(value, list):
        for item in value:
            yield from _misfits(item, schema.get("items", {}), place, definitions)


def _fits(value: Any, schema: Json) -> bool:
    form, kind = schema.get("format", ""), _type(schema)
    if form == "quantity":
        return isinstance(value, str | int | float) and not isinstance(value, bool) and not quantity_problem(value)
    if form == "date-time" and isinstance(value, str):
        return not time_problem(value)
    if form == "int-or-string":
        return isinstance(value, str) or _is_number(value, 31)
    if kind == "integer":
        return _is_number(value, _BITS.get(form, 31))
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "number": int | float}
    return kind not in types or isinstance(value, types[kind])


def _type(schema: Json) -> str:
    kind = schema.get("type", "")
    return str(kind[0]) if isinstance(kind, list) else str(kind)


def _is_number(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits


def _own_words(value: Any, form: str) -> str:
    """What the types say that read their JSON themselves; "" for the others."""
    if form == "quantity":
        is_read = isinstance(value, str | int | float) and not isinstance(value, bool)
        return (quantity_problem(value) if is_read else "") or QUANTITY_RULE
    if form == "date-time" and isinstance(value, str):
        return time_problem(value)
    if form in ("int-or-string", "date-time"):
        given = f"number {json.dumps(value)}" if form == "int-or-string" and _given(value) == "number" else _given(value)
        return f"json: cannot unmarshal {given} into Go value of type {'string' if form == 'date-time' else 'int32'}"
    return ""


def _said(misfit: _Misfit, definitions: dict[str, Json]) -> str:
    value, schema = misfit.value, misfit.schema
    if own := _own_words(value, schema.get("format", "")):
        return own
    given = _given(value)
    if given == "number" and _type(schema) == "integer":
        given = f"number {json.dumps(value)}"
    return f"json: cannot unmarshal {given} into Go struct field {misfit.owner}.{misfit.path} of type {_go_type(schema, definitions)}"


def _not_restored(misfit: _Misfit, definitions: dict[str, Json]) -> str:
    value, kind = misfit.value, _type(misfit.schema)
    if own := _own_words(value, misfit.schema.get("format", "")):
        return own
    given = _kind_in_go(value)
    if kind == "array":
        return f"cannot restore slice from {given}"
    if kind == "object":
        return f"cannot restore struct from: {given}" if misfit.schema.get("properties") else f"cannot restore map from {given}"
    wanted = _go_type(misfit.schema, definitions)
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


def _go_type(schema: Json, definitions: dict[str, Json]) -> str:
    while "$ref" in schema:
        schema = definitions[schema["$ref"]]
    form, kind = schema.get("format", ""), _type(schema)
    if form in _WORDS:
        return _WORDS[form]
    if kind == "array":
        return "[]" + _go_type(schema.get("items", {}), definitions)
    if kind == "object":
        values = schema.get("additionalProperties")
        return "map[string]" + _go_type(values, definitions) if isinstance(values, dict) else f"v1.{schema.get('title', 'Object')}"
    return form if kind == "integer" and form else _PLAIN.get(kind, "string")
