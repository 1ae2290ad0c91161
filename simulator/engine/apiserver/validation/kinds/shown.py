"""Values in error messages other than plain strings and numbers: JSON from 1.34 on, Go's own notation before.

Source: staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go (%#v until 1.33).
"""

import json
from typing import Any

from msgspec import Struct, structs

from simulator.engine.apiserver.validation.errors import FieldError, Verbatim
from simulator.engine.apiserver.validation.go_diff import object_diff
from simulator.engine.apiserver.validation.pod_rules import fields, items, text
from simulator.engine.apiserver.validation.pod_rules import texts as texts_in
from simulator.engine.versions.facts import facts_of

_NIL = Verbatim("null")


class Shown(Struct, frozen=True):
    """A value in both notations: ``go`` is the text until 1.33, ``plain`` the value shown as JSON since."""

    go: str
    plain: Any


class Changed(Struct, frozen=True):
    """Two states of a part of an object, whose difference follows the detail on separate lines; ``kind`` is its Go type."""

    kind: str
    old: dict[str, Any]
    new: dict[str, Any]


def as_shown(error: FieldError, *, minor: int) -> FieldError:
    """The error with its value in the notation of ``1.<minor>``."""
    # The difference is computed only here: most errors never need it.
    if isinstance(error.value, Changed):
        difference = object_diff(error.value.kind, error.value.old, error.value.new, minor=minor)
        return structs.replace(error, value=None, detail=f"{error.detail}\n{difference}")
    if not isinstance(error.value, Shown):
        return error
    shown = error.value
    plain = _NIL if shown.plain is None else shown.plain
    return structs.replace(error, value=plain if facts_of(minor).values_as_json else Verbatim(shown.go))


def selector(value: dict[str, Any]) -> Shown:
    """A label selector."""
    labels, expressions = fields(value, "matchLabels") or None, [item for _, item in items(value, "matchExpressions")]
    plain: dict[str, Any] = {}
    if labels:
        plain["matchLabels"] = dict(sorted(labels.items()))
    if expressions:
        plain["matchExpressions"] = expressions
    go = f"v1.LabelSelector{{MatchLabels:{_go_labels(labels)}, MatchExpressions:{_go_expressions(expressions)}}}"
    return Shown(go, plain)


def labels(value: dict[str, Any]) -> Shown:
    """A map of labels; a missing one is nil in Go."""
    return Shown(_go_labels(value or None), dict(sorted(value.items())) if value else None)


def int_or_text(value: int | str) -> Shown:
    """A whole number or a string such as a percentage."""
    if isinstance(value, str):
        return Shown(f"intstr.IntOrString{{Type:1, IntVal:0, StrVal:{json.dumps(value)}}}", value)
    return Shown(f'intstr.IntOrString{{Type:0, IntVal:{value}, StrVal:""}}', value)


def shown_texts(value: list[str], go_type: str = "string") -> Shown:
    """A list of strings."""
    inner = ", ".join(json.dumps(item, ensure_ascii=False) for item in value)
    return Shown(f"[]{go_type}{{{inner}}}" if value else f"[]{go_type}(nil)", value or None)


def numbers(value: list[int]) -> Shown:
    """A list of 32-bit numbers."""
    inner = ", ".join(str(item) for item in value)
    return Shown(f"[]int32{{{inner}}}" if value else "[]int32(nil)", value or None)


def _go_labels(value: dict[str, Any] | None) -> str:
    if value is None:
        return "map[string]string(nil)"
    inner = ", ".join(f"{json.dumps(key)}:{json.dumps(item, ensure_ascii=False)}" for key, item in sorted(value.items()))
    return f"map[string]string{{{inner}}}"


def _go_expressions(value: list[dict[str, Any]] | None) -> str:
    if not value:
        return "[]v1.LabelSelectorRequirement(nil)"
    parts = []
    for item in value:
        key, operator = json.dumps(text(item, "key")), json.dumps(text(item, "operator"))
        parts.append(f"v1.LabelSelectorRequirement{{Key:{key}, Operator:{operator}, Values:{shown_texts(texts_in(item, 'values')).go}}}")
    return f"[]v1.LabelSelectorRequirement{{{', '.join(parts)}}}"
