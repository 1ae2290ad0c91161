"""Structured values as the messages of the API server print them: Go's ``%#v`` before 1.34, JSON of the internal types since.

Source: apimachinery pkg/util/validation/field/errors.go ErrorBody.
"""

import json
from typing import Any

from simulator.engine.apiserver.validation.errors import Verbatim

_NO_REQUIREMENTS = "[]core.NodeSelectorRequirement(nil)"


def text_map(values: dict[str, str] | None, *, as_json: bool) -> Verbatim:
    """A map of strings, sorted by key."""
    if values is None:
        return Verbatim("null" if as_json else "map[string]string(nil)")
    if as_json:
        return Verbatim(_json(dict(sorted(values.items()))))
    return Verbatim("map[string]string{" + ", ".join(f"{_json(key)}:{_json(value)}" for key, value in sorted(values.items())) + "}")


def selector_terms(terms: list[dict[str, Any]] | None, *, as_json: bool) -> Verbatim:
    """A list of node selector terms."""
    if as_json:
        return Verbatim(_json(None if terms is None else [_term_fields(term) for term in terms]))
    if terms is None:
        return Verbatim("[]core.NodeSelectorTerm(nil)")
    return Verbatim("[]core.NodeSelectorTerm{" + ", ".join(_go_term(term) for term in terms) + "}")


def selector_term(term: dict[str, Any], *, as_json: bool) -> Verbatim:
    """One node selector term."""
    return Verbatim(_json(_term_fields(term)) if as_json else _go_term(term))


def _lists(term: dict[str, Any] | None) -> tuple[tuple[str, Any], ...]:
    found = term or {}
    return ("MatchExpressions", found.get("matchExpressions")), ("MatchFields", found.get("matchFields"))


def _term_fields(term: dict[str, Any] | None) -> dict[str, Any]:
    return {name: [_requirement_fields(item or {}) for item in found] if found else None for name, found in _lists(term)}


def _requirement_fields(item: dict[str, Any]) -> dict[str, Any]:
    return {"Key": item.get("key", ""), "Operator": item.get("operator", ""), "Values": item.get("values") or None}


def _go_term(term: dict[str, Any] | None) -> str:
    return "core.NodeSelectorTerm{" + ", ".join(f"{name}:{_go_requirements(found)}" for name, found in _lists(term)) + "}"


def _go_requirements(items: list[dict[str, Any]] | None) -> str:
    if not items:
        return _NO_REQUIREMENTS
    return "[]core.NodeSelectorRequirement{" + ", ".join(_go_requirement(item or {}) for item in items) + "}"


def _go_requirement(item: dict[str, Any]) -> str:
    values = item.get("values")
    listed = "[]string{" + ", ".join(map(_json, values)) + "}" if values else "[]string(nil)"
    return f"core.NodeSelectorRequirement{{Key:{_json(item.get('key', ''))}, Operator:{_json(item.get('operator', ''))}, Values:{listed}}}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
