"""Whole numbers that users write: strings with any number of digits, while Python parses only a limited number."""

import re

WHOLE_MAX = 2**63 - 1
_CANONICAL = re.compile(r"0|-?[1-9][0-9]*")
_DIGITS = 19


def clamped(digits: str) -> int:
    """The number written in decimal digits, at most WHOLE_MAX, as Go's strconv returns it. Raises ValueError for anything else."""
    plain = digits.lstrip("0") or "0"
    return min(int(plain), WHOLE_MAX) if len(plain) <= _DIGITS or not plain.isdecimal() else WHOLE_MAX


def is_canonical(text: str) -> bool:
    """Whether a string is a whole number in canonical form: no plus, no leading zeros, not -0 (apimachinery content.IsDecimalInteger)."""
    return _CANONICAL.fullmatch(text) is not None


def canonical_int64(text: str) -> int | None:
    """The 64-bit number that a string writes in canonical form, or None."""
    if not is_canonical(text) or len(text) > _DIGITS + 1:
        return None
    found = int(text)
    return found if -WHOLE_MAX - 1 <= found <= WHOLE_MAX else None
