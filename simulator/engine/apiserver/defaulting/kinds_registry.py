"""The registry of defaults: small functions that fill in a document in place, with the kinds and versions they apply to."""

from collections.abc import Callable
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import OPEN, Span

Fill = Callable[[Json], None]


class Default(Span, frozen=True, kw_only=True):
    """What some versions fill in for some kinds."""

    kinds: tuple[str, ...]
    fill: Fill


DEFAULTS: list[Default] = []


def fills(*kinds: str, since: int = 0, until: int = OPEN) -> Callable[[Fill], Fill]:
    """Register the decorated function; functions run in the order of their registration."""

    def register(fill: Fill) -> Fill:
        DEFAULTS.append(Default(kinds=kinds, fill=fill, since=since, until=until))
        return fill

    return register


def part(value: Json, *keys: str) -> Json:
    """The map at a path, created if it is missing or null."""
    for key in keys:
        found = value.get(key)
        if not isinstance(found, dict):
            found = value[key] = {}
        value = found
    return value


def part_or_empty(value: Json, *keys: str) -> Json:
    """The map at a path; if it is missing, an empty one that is not part of the document."""
    for key in keys:
        found = value.get(key)
        value = found if isinstance(found, dict) else {}
    return value


def set_unset(value: Json, **defaults: Any) -> None:
    """Fill in fields that are missing, null or an empty string."""
    for key, default in defaults.items():
        if value.get(key) in (None, ""):
            value[key] = default


def maps_in(value: Json, key: str) -> list[Json]:
    """The maps in a list field."""
    found = value.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
