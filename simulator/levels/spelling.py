"""The table of a level in one form, where authors may write the same in several ways."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_SPANS = {
    "": ("horizon",),
    "check": ("max", "from", "by", "at", "within"),
    "ask": ("at", "within", "tolerance"),
}
"""Fields that are spans of time: of a level, and of the tables of its lists."""
_WHICH = ("each", "any")
"""Which of the records like ``after`` count; may be written next to it or in it."""
_YAML = ("cluster", "script")
"""Fields with a text in YAML, which may be tables instead."""


def in_one_form(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with what may be written in several ways in one of them.

    A bare number of a span is seconds, 3.0 is 3, ``version`` is ``kubernetes`` and may be a number, and ``each`` and ``any`` may stand in
    the pattern of ``after`` that they go with. ``manifests`` may be a list of texts, ``cluster`` and ``script`` tables with what their YAML
    says. O(table).
    """
    plain = {**table, **_spans_of(table, _SPANS[""]), **_yaml_of(table)}
    if "version" in plain and "kubernetes" not in plain:
        plain["kubernetes"] = plain.pop("version")
    if isinstance(minor := plain.get("kubernetes"), float):
        plain["kubernetes"] = f"{minor:.2f}"  # 1.3 is how TOML reads 1.30
    for part, names in _SPANS.items():
        rows = table.get(part)
        if isinstance(rows, list):
            plain[part] = [{**row, **_spans_of(row, names), **_which_of(row)} if isinstance(row, dict) else row for row in rows]
    return {name: _whole(value) for name, value in plain.items()}


def _which_of(row: dict[str, Any]) -> dict[str, Any]:
    after = row.get("after")
    if not isinstance(after, dict):
        return {}
    moved = {name: after[name] for name in _WHICH if name in after and name not in row}
    return {"after": {name: value for name, value in after.items() if name not in moved}, **moved} if moved else {}


def _spans_of(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    return {name: f"{row[name]}s" for name in names if type(row.get(name)) in (int, float)}


def _yaml_of(table: Mapping[str, Any]) -> dict[str, str]:
    found = {name: table[name] for name in _YAML if isinstance(table.get(name), (dict, list))}
    texts = {name: json.dumps(value, default=str, ensure_ascii=False) for name, value in found.items()}  # JSON is YAML
    rows = table.get("manifests")
    if isinstance(rows, list) and all(isinstance(row, str) for row in rows):
        texts["manifests"] = "\n---\n".join(rows)
    return texts


def _whole(value: Any) -> Any:
    """The value with whole numbers in place of floats that are some; nothing in a level has a fraction but moments and spans."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
