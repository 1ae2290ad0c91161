"""Whole numbers that users write: texts of any number of digits, of which Python reads only so many."""

import re

WHOLE_MAX = 2**63 - 1
_CANONICAL = re.compile(r"0|-?[1-9][0-9]*")
_DIGITS = 19


def clamped(digits: str) -> int:
    """The number that decimal digits write, at most WHOLE_MAX, as Go's strconv gives it. Raises ValueError for anything else."""
    plain = digits.lstrip("0") or "0"
    return min(int(plain), WHOLE_MAX) if len(plain) <= _DIGITS or not plain.isdecimal() else WHOLE_MAX


def is_canonical(text: str) -> bool:
    """Whether a text writes a whole number as people do: no plus, no leading zeros, not -0 (apimachinery content.IsDecimalInteger)."""
    return _CANONICAL.fullmatch(text) is not None


def canonical_int64(text: str) -> int | None:
    """The number of 64 bits that a text writes as people do, or None."""
    if not is_canonical(text) or len(text) > _DIGITS + 1:
        return None
    found = int(text)
    return found if -WHOLE_MAX - 1 <= found <= WHOLE_MAX else None
