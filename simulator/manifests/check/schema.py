"""The structural check: a document against the official schema of its kind, with the messages of the API server's decoder.

``jsonschema`` finds what does not fit; this module reports it as ``kubectl apply`` would: unknown fields in the words
of strict decoding, wrong types in those of Go's decoder, missing fields in those of validation.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, cast

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.field_paths import child, format_path
from simulator.engine.apiserver.wire.formats import base64_problem, int_check, quantity_format_problem, time_format_problem
from simulator.engine.apiserver.wire.go_names import go_type
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import ERROR, WARNING

_WORDED = {"quantity": quantity_format_problem, "date-time": time_format_problem, "byte": base64_problem}


_NEEDED_BY_MISTAKE = {"PodFailurePolicyRule": ("onPodConditions",)}
"""Fields that the schemas of 1.25 and 1.26 require although no server ever did, by the definition that has them."""


def check_structure(document: dict[str, Any], *, minor: int, lenient: bool = False) -> Iterator[Finding]:
    """Findings for a document without nulls whose apiVersion and kind have a schema in ``1.<minor>``.

    Unknown fields are errors, or warnings if ``lenient``. Cost: O(document), a few µs a line.
    """
    validator = _validator(minor, document["apiVersion"], document["kind"])
    severity = WARNING if lenient else ERROR
    for error in validator.iter_errors(document):
        yield from _findings(error, validator.schema, severity)


@lru_cache(maxsize=256)
def _validator(minor: int, api_version: str, kind: str) -> Draft202012Validator:
    schema = catalog(minor).schema(api_version, kind)
    assert schema is not None, (api_version, kind)
    return Draft202012Validator(schema, format_checker=_format_checker())


@lru_cache(maxsize=1)
def _format_checker() -> FormatChecker:
    # None of the library's own formats: its date-time, for one, is not Kubernetes'.
    checker = FormatChecker(formats=())
    for name, bits in (("int32", 32), ("int64", 64), ("int-or-string", 32)):
        checker.checkers[name] = (int_check(bits), ())
    for name in _WORDED:
        checker.checkers[name] = (_passes(name), ())
    return checker


def _passes(name: str) -> Callable[[object], bool]:
    return lambda value: _WORDED[name](value) is None


def _schema(error: ValidationError) -> dict[str, Any]:
    return cast(dict[str, Any], error.schema)


def _findings(error: ValidationError, root: Any, severity: str) -> Iterable[Finding]:
    path = format_path(error.absolute_path)
    if error.validator == "additionalProperties":
        return _unknown_fields(error, path, severity)
    if error.validator == "required":
        return _missing_fields(error, path)
    if error.validator == "format" and error.validator_value in _WORDED:
        message = _WORDED[error.validator_value](error.instance) or ""
        return [Finding(path=path, message=message, code="bad-value")]
    return [_wrong_type(error, path, root)]


def _unknown_fields(error: ValidationError, path: str, severity: str) -> Iterator[Finding]:
    known = _schema(error).get("properties", {})
    for name in cast(dict[str, Any], error.instance):
        if name not in known:
            # Close enough for a typo, but not so loose as to match other words.
            close = get_close_matches(name, known, n=1, cutoff=0.7)
            field = child(path, name)
            yield Finding(
                path=field,
                message=f'unknown field "{field}"',
                code="unknown-field",
                severity=severity,
                hint=close[0] if close else "",
                at_key=True,
            )


def _missing_fields(error: ValidationError, path: str) -> Iterator[Finding]:
    written = cast(dict[str, Any], error.instance)
    needless = _NEEDED_BY_MISTAKE.get(_schema(error).get("title", ""), ())
    for name in cast(list[str], error.validator_value):
        if name not in written and name not in needless:
            yield Finding(path=child(path, name), message="Required value", code="required", at_key=True)


def _wrong_type(error: ValidationError, path: str, root: Any) -> Finding:
    expected = go_type(_schema(error))
    # Quantities have their own decoder, whose message says more than the type.
    if expected == "resource.Quantity":
        return Finding(path=path, message=quantity_format_problem(error.instance) or "", code="bad-value")
    given = _json_type(error.instance, expected)
    field = ".".join(str(step) for step in error.absolute_path if isinstance(step, str))
    owner = _owner(root, list(error.absolute_path))
    message = f"json: cannot unmarshal {given} into Go struct field {owner}.{field} of type {expected}"
    return Finding(path=path, message=message, code="wrong-type", hint=_type_hint(error.instance, expected))


def _json_type(value: Any, expected: str) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return f"number {json.dumps(value)}" if expected.startswith("int") else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _owner(root: Any, steps: list[str | int]) -> str:
    """The Go type that contains the last step: the innermost named definition on the path."""
    schema, title = root, "Object"
    for step in steps:
        title = schema.get("title", title)
        if isinstance(step, int):
            schema = schema.get("items", {})
        else:
            schema = schema.get("properties", {}).get(step) or schema.get("additionalProperties") or {}
        if not isinstance(schema, dict):
            break
    return str(title)


def _type_hint(value: Any, expected: str) -> str:
    if expected == "string" and isinstance(value, int | float):
        return json.dumps(json.dumps(value))
    if expected.startswith("int") and isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return value.strip()
    return ""
