"""Whole numbers of strangers: texts of any number of digits, of which Python reads only so many."""

WHOLE_MAX = 2**63 - 1
_DIGITS = 19


def clamped(digits: str) -> int:
    """The number that decimal digits write, at most WHOLE_MAX, as Go's strconv gives it. Raises ValueError for anything else."""
    plain = digits.lstrip("0") or "0"
    return min(int(plain), WHOLE_MAX) if len(plain) <= _DIGITS or not plain.isdecimal() else WHOLE_MAX
