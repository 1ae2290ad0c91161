"""What a structural schema finds wrong with a value, in the wording of the validator that API servers use.

Source: kube-openapi pkg/validation/validate and pkg/validation/errors; apiextensions-apiserver pkg/apiserver/validation/validation.go.
Patterns are matched by RE2, in time that grows only with the text. CEL rules (x-kubernetes-validations) are not evaluated.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2

from simulator.engine.apiserver.structural.values import INT_OR_STRING, SchemaWork
from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported, required, too_long, too_many
from simulator.engine.kernel.json_text import Json

PATTERN_CHARS_MAX = 4096
_MEMORY_BYTES = 1 << 19
"""Bounds the program that RE2 compiles from a pattern."""
_SAID_CHARS = 4
"""Characters of an error message that cost as much as one look: each error repeats a long list of allowed values."""
_STEPS = 250
"""Steps of matching a pattern that cost as much as one look."""
_LARGEST = 1.7e308
"""Python has larger integers, which cannot be combined with floats."""
_INTEGERS = {"int32": 31, "int64": 63}
ERRORS_MAX = 100
"""Maximum number of errors reported for one object."""


def schema_errors(value: Any, schema: Json, work: SchemaWork) -> list[FieldError]:
    """The errors of the value, at most ERRORS_MAX. Raises SchemaTooCostly."""
    found = []
    for error in _errors(value, schema, "", work):
        work.spend((len(error.field) + len(error.detail)) // _SAID_CHARS)
        found.append(error)
        if len(found) >= ERRORS_MAX:
            break
    return found


def _errors(value: Any, schema: Json, path: str, work: SchemaWork) -> Iterator[FieldError]:
    work.spend(1 + len(schema.get("enum") or ()))
    if value is None and schema.get("nullable"):
        return
    wrong = _wrong_type(value, schema)
    if wrong:
        yield invalid(path, _shown(value), f"{path} in body must be of type {wrong}: {json.dumps(_type_of(value))}")
        return
    yield from _of_enum(value, schema, path)
    if isinstance(value, str):
        yield from _of_text(value, schema, path, work)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _of_number(value, schema, path)
    elif isinstance(value, list):
        yield from _of_list(value, schema, path, work)
    elif isinstance(value, dict):
        yield from _of_map(value, schema, path, work)
    yield from _of_several(value, schema, path, work)


# ---- types -----------------------------------------------------------------------------------------------------------
def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    for kind, word in ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"), (list, "array")):
        if isinstance(value, kind):
            return word
    return "object"


def _shown(value: Any) -> Any:
    """What a message quotes for a value of the wrong type: the name of its type."""
    return _type_of(value)


def _wrong_type(value: Any, schema: Json) -> str:
    """The type that the value should have but has not; empty if it has it."""
    wanted = str(schema.get("type") or "")
    found = _type_of(value)
    if schema.get(INT_OR_STRING):
        return "" if found in ("integer", "string") else "integer,string"
    is_whole = found == "number" and isinstance(value, float) and value.is_integer()
    if not wanted or found == wanted or (wanted == "number" and found == "integer") or (wanted == "integer" and is_whole):
        return ""
    return wanted


# ---- rules -----------------------------------------------------------------------------------------------------------
def _of_enum(value: Any, schema: Json, path: str) -> Iterator[FieldError]:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(type(item) is type(value) and item == value for item in allowed):
        yield not_supported(path, value, tuple(item if isinstance(item, str) else json.dumps(item) for item in allowed))


def _of_text(value: str, schema: Json, path: str, work: SchemaWork) -> Iterator[FieldError]:
    most, least, pattern = schema.get("maxLength"), schema.get("minLength"), schema.get("pattern")
    if isinstance(most, int) and len(value) > most:
        yield too_long(path, f"may not be more than {most} bytes")
    if isinstance(least, int) and len(value) < least:
        yield invalid(path, value, f"{path} in body should be at least {least} chars long")
    if isinstance(pattern, str) and not matches(pattern, value, work):
        yield invalid(path, value, f"{path} in body should match '{pattern}'")


@lru_cache(maxsize=64)
def compiled(pattern: str) -> Any:
    """The compiled pattern; None if RE2 rejects it, in which case everything matches."""
    if len(pattern) > PATTERN_CHARS_MAX:
        return None
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY_BYTES, False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


def matches(pattern: str, text: str, work: SchemaWork) -> bool:
    """Whether the pattern is found in the text; at worst each character meets each step of the pattern. Raises SchemaTooCostly."""
    found = compiled(pattern)
    work.spend(len(text) * found.programsize // _STEPS if found is not None else 0)
    return found is None or found.search(text.encode("utf-8", "replace").decode()) is not None


def _of_number(value: float, schema: Json, path: str) -> Iterator[FieldError]:
    most, least, step = (_number(schema.get(key)) for key in ("maximum", "minimum", "multipleOf"))
    if most is not None and (value > most or (schema.get("exclusiveMaximum") and value == most)):
        yield invalid(path, value, f"{path} in body should be less than {'' if schema.get('exclusiveMaximum') else 'or equal to '}{most}")
    if least is not None and (value < least or (schema.get("exclusiveMinimum") and value == least)):
        yield invalid(
            path, value, f"{path} in body should be greater than {'' if schema.get('exclusiveMinimum') else 'or equal to '}{least}"
        )
    if step and (abs(value) > _LARGEST or value % step):
        yield invalid(path, value, f"{path} in body should be a multiple of {step}")
    bits = _INTEGERS.get(str(schema.get("format") or ""))
    if bits is not None and not -(1 << bits) <= value < 1 << bits:
        yield invalid(path, value, f"{path} in body must be of type {schema['format']}: {json.dumps(_type_of(value))}")


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST else None


def _of_list(value: list[Any], schema: Json, path: str, work: SchemaWork) -> Iterator[FieldError]:
    most, least, items = schema.get("maxItems"), schema.get("minItems"), schema.get("items")
    if isinstance(most, int) and len(value) > most:
        yield too_many(path, len(value), most)
    if isinstance(least, int) and len(value) < least:
        yield invalid(path, len(value), f"{path} in body should have at least {least} items")
    if schema.get("uniqueItems") and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
        yield invalid(path, value, f"{path} in body shouldn't contain duplicates")
    if isinstance(items, dict):
        for index, item in enumerate(value):
            yield from _errors(item, items, f"{path}[{index}]", work)


def _of_map(value: Json, schema: Json, path: str, work: SchemaWork) -> Iterator[FieldError]:
    known, more = schema.get("properties") or {}, schema.get("additionalProperties")
    work.spend(len(schema.get("required") or ()))
    for name in schema.get("required") or ():
        if name not in value:
            yield required(_below(path, str(name)))
    most, least = schema.get("maxProperties"), schema.get("minProperties")
    if isinstance(most, int) and len(value) > most:
        yield too_many(path, len(value), most)
    if isinstance(least, int) and len(value) < least:
        yield invalid(path, len(value), f"{path} in body should have at least {least} properties")
    for name, item in value.items():
        inner = known.get(name, more)
        if isinstance(inner, dict):
            yield from _errors(item, inner, _below(path, name), work)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _of_several(value: Any, schema: Json, path: str, work: SchemaWork) -> Iterator[FieldError]:
    def fits(item: Any) -> bool:
        return not isinstance(item, dict) or next(_errors(value, item, path, work), None) is None

    every, some, one, none = (schema.get(key) for key in ("allOf", "anyOf", "oneOf", "not"))
    shown = value if isinstance(value, str | int | float) else ""
    if isinstance(every, list):
        for item in every:
            if isinstance(item, dict):
                yield from _errors(value, item, path, work)
    if isinstance(some, list) and some and not any(fits(item) for item in some):
        yield invalid(path, shown, f"{path} in body must validate at least one schema (anyOf)")
    if isinstance(one, list) and one:
        count = sum(fits(item) for item in one)
        if count != 1:
            found = "none valid" if not count else f"{count} valid alternatives"
            yield invalid(path, shown, f"{path} in body must validate one and only one schema (oneOf). Found {found}")
    if isinstance(none, dict) and fits(none):
        yield invalid(path, shown, f"{path} in body must not validate the schema (not)")
