"""The value formats of the Kubernetes schemas, with the wording of the API server's decoder."""

import re
from collections.abc import Callable

from simulator.engine.model.go_time import time_problem
from simulator.engine.model.quantity import QUANTITY_RULE, quantity_problem

_QUANTITY_CHARS_MAX = 100
_BASE64 = re.compile(r"[A-Za-z0-9+/]*")


def is_quantity(value: object) -> bool:
    """Whether a number or text is a Kubernetes quantity, such as 1, 0.5, 100m, 64Mi, 1e3, of at most 100 characters (our limit)."""
    if isinstance(value, str):
        return len(value) <= _QUANTITY_CHARS_MAX and not quantity_problem(value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def quantity_format_problem(value: object) -> str | None:
    """The decoder's error for a bad quantity."""
    if is_quantity(value) or value is None:
        return None
    return (quantity_problem(value) if isinstance(value, str) and len(value) <= _QUANTITY_CHARS_MAX else "") or QUANTITY_RULE


def time_format_problem(value: object) -> str | None:
    """The decoder's error for a string that is not an RFC 3339 time."""
    return (time_problem(value) or None) if isinstance(value, str) else None


def base64_problem(value: object) -> str | None:
    """The decoder's error for a string that is not standard base64 (line breaks are skipped)."""
    if not isinstance(value, str):
        return None
    text = value.replace("\r", "").replace("\n", "")
    body = text.rstrip("=")
    match = _BASE64.match(body)
    valid = match.end() if match is not None else 0
    if valid < len(body):
        return f"illegal base64 data at input byte {valid}"
    # Go reports the group of four that is incomplete.
    if len(text) % 4 or len(text) - len(body) > 2:
        return f"illegal base64 data at input byte {len(text) - len(text) % 4}"
    return None


def int_check(bits: int) -> Callable[[object], bool]:
    """A check that a whole number fits a signed integer of that many bits."""
    limit = 1 << (bits - 1)
    return lambda value: not isinstance(value, int) or -limit <= value < limit
