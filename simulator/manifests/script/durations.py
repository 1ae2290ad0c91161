"""Convert the durations in scripts and cluster files to milliseconds."""

import re
from fractions import Fraction

_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)", re.ASCII)
_WHOLE = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+", re.ASCII)
_CHARS_MAX = 40
DURATION_MS_MAX = 10 * 365 * 24 * 3_600_000
"""Ten years, in milliseconds: longer than any run."""


def duration_ms(value: object) -> int | None:
    """The milliseconds of a number of seconds (``7.8``) or a text such as ``6s``, ``500ms``, ``1m30s``; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and (len(value) > _CHARS_MAX or _WHOLE.fullmatch(value) is None):
        return None
    if isinstance(value, str):
        total = sum((Fraction(number) * _UNIT_MS[unit] for number, unit in _PART.findall(value)), Fraction(0))
    else:
        # Converted through its text: 7.8 must be 7800 ms, which the binary value is not.
        total = Fraction(repr(value)) * 1000
    ms = round(total)
    return ms if 0 <= ms <= DURATION_MS_MAX else None
