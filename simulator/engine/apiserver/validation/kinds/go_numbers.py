"""Numbers and durations as Go parses them, with its messages for what it cannot parse (packages strconv and time)."""

import json
import re

_INT = re.compile(r"[+-]?[0-9]+", re.ASCII)
_MAX = 2**63
# Possessive quantifiers keep a long hostile text from backtracking.
_DURATION = re.compile(r"[+-]?(?:(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:ns|us|µs|μs|ms|s|m|h))+")
_BARE_DURATION = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)")


class BadNumber(ValueError):
    """A string that is not a number; says why in Go's wording."""


def atoi(text: str) -> int:
    """A whole number of 64 bits. Raises BadNumber."""
    if not _INT.fullmatch(text):
        raise BadNumber(f"strconv.Atoi: parsing {json.dumps(text)}: invalid syntax")
    value = int(text[:30])
    if not -_MAX <= value < _MAX:
        raise BadNumber(f"strconv.Atoi: parsing {json.dumps(text)}: value out of range")
    return value


def duration_problem(text: str) -> str:
    """Go's error for a duration such as ``1h30m``; "" when it is valid."""
    if text == "0" or _DURATION.fullmatch(text):
        return ""
    if _BARE_DURATION.fullmatch(text):
        return f"time: missing unit in duration {json.dumps(text)}"
    return f"time: invalid duration {json.dumps(text)}"


NANO_PER_SECOND = 1_000_000_000
_UNITS = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000,
    "s": NANO_PER_SECOND, "m": 60 * NANO_PER_SECOND, "h": 3600 * NANO_PER_SECOND,
}  # fmt: skip
_PART = re.compile(r"([0-9]*)\.?([0-9]*)(ns|us|µs|μs|ms|s|m|h)")
_DIGITS = 18


def duration_ns(text: str) -> int:
    """The nanoseconds of a duration in which ``duration_problem`` finds nothing wrong."""
    total = 0
    for whole, part, unit in _PART.findall(text):
        total += int(whole[:_DIGITS] or 0) * _UNITS[unit] + int(part[:_DIGITS] or 0) * _UNITS[unit] // 10 ** len(part[:_DIGITS])
    return -total if text.startswith("-") else total
