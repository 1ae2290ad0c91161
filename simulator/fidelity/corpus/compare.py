"""How a value is compared with an expectation: one function for each ``op``."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from simulator.engine.model.quantity import BadQuantity, milli

Compare = Callable[[Any, Any], bool]


def is_same(found: Any, wanted: Any) -> bool:
    """Whether the values are equal; a container's state may be given by name only, and a map need only have every wanted key."""
    if isinstance(found, Mapping) and "state" in found:
        return found["state"] == wanted if isinstance(wanted, str) else has_all(found, wanted)
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return has_all(found, wanted)
    return bool(found == wanted)


def has_all(found: Any, wanted: Any) -> bool:
    """Whether every wanted key has the wanted value; a message need only match."""
    if not isinstance(found, Mapping) or not isinstance(wanted, Mapping):
        return False
    for key, value in wanted.items():
        if key == "message" and value:
            if not re.search(str(value), str(found.get(key, ""))):
                return False
        elif isinstance(value, Mapping):
            if not has_all(found.get(key), value):
                return False
        elif found.get(key) != value:
            return False
    return True


def matches(found: Any, wanted: Any) -> bool:
    """Whether a pattern is found in the text; for a map, as in ``has_all``."""
    if isinstance(wanted, Mapping):
        return has_all(found, wanted)
    return found is not None and re.search(str(wanted), str(found)) is not None


def _lines(found: Any) -> list[str]:
    return str(found or "").splitlines()


def _line_matches(found: Any, wanted: Any) -> bool:
    lines = _lines(found)
    return all(int(number) < len(lines) and re.search(pattern, lines[int(number)]) is not None for number, pattern in wanted.items())


def contains(found: Any, wanted: Any) -> bool:
    """Whether a part is in a text, or all items are in a list."""
    if isinstance(wanted, list):
        return found is not None and all(item in found for item in wanted)
    return found is not None and wanted in found


def _lacks(found: Any, wanted: Any) -> bool:
    """Whether a part is missing from a text, or none of the items is in a list."""
    if found is None:
        return False
    held = found if isinstance(found, str) else words_of(found)
    return not any(item in held for item in (wanted if isinstance(wanted, list) else [wanted]))


def words_of(found: Any) -> list[Any]:
    """The items of a list; for records of Events, their reasons."""
    return [getattr(item, "target", item) for item in found or ()]


def comes_before(found: Any, wanted: list[Any]) -> bool:
    """Whether each wanted word is present, and the first of each comes before the first of the next."""
    words = words_of(found)
    return all(word in words for word in wanted) and [words.index(word) for word in wanted] == sorted(words.index(word) for word in wanted)


def in_order(found: Any, wanted: list[Any]) -> bool:
    """Whether the wanted words come in that order, possibly with others in between."""
    rest = iter(words_of(found))
    return all(any(word == item for item in rest) for word in wanted)


def by_amount(value: Any) -> Any:
    """The value with every quantity in the same notation, so that 0.5 and 500m are equal."""
    if isinstance(value, Mapping):
        return {key: by_amount(item) for key, item in value.items()}
    if isinstance(value, list):
        return [by_amount(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    try:
        return f"{milli(value)}m"
    except BadQuantity:
        return value


COMPARE: dict[str, Compare] = {
    "eq": is_same,
    "seen": is_same,
    "in": lambda found, wanted: found in wanted,
    "ge": lambda found, wanted: found >= wanted,
    "le": lambda found, wanted: found <= wanted,
    "matches": matches,
    "contains": contains,
    "exists": lambda found, wanted: (found is not None) == wanted,
    "absent": lambda found, wanted: found is None,
    "empty": lambda found, wanted: (not found) == wanted,
    "nonempty": lambda found, wanted: bool(found) == wanted,
    "count_eq": lambda found, wanted: len(found) == wanted,
    "count_ge": lambda found, wanted: len(found) >= wanted,
    "ne": lambda found, wanted: not is_same(found, wanted),
    "not_contains": _lacks,
    "multiset": lambda found, wanted: sorted(map(str, words_of(found))) == sorted(map(str, wanted)),
    "superset": lambda found, wanted: all(item in words_of(found) for item in wanted),
    "seq": in_order,
    "seq_subset": in_order,
    "before": comes_before,
    "line_count_ge": lambda found, wanted: len(_lines(found)) >= wanted,
    "line_count_between": lambda found, wanted: wanted[0] <= len(_lines(found)) <= wanted[1],
    "line_matches": _line_matches,
    "line_matches_any": lambda found, wanted: any(re.search(wanted, line) for line in _lines(found)),
}
"""Every comparison by name."""
