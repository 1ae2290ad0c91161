"""When an answer agrees with what a case expects."""

from collections.abc import Iterable
from typing import Any


def covers(expected: Any, got: Any) -> bool:
    """Whether ``got`` has every key in ``expected`` with an equal value; lists must have the same length."""
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(key in got and covers(value, got[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(got, list) and len(expected) == len(got) and all(map(covers, expected, got))
    return type(expected) is type(got) and bool(expected == got)


def covers_with_sets(expected: dict[str, Any], got: dict[str, Any], *, sets: Iterable[str]) -> bool:
    """Like ``covers``, but the lists named by ``sets`` are compared without order."""
    names = frozenset(sets)

    def ordered(document: dict[str, Any]) -> dict[str, Any]:
        return {key: sorted(value) if key in names else value for key, value in document.items()}

    return covers(ordered(expected), ordered(got))
