"""Durations on a command line, as Go reads them: ``10s``, ``1m30s``, ``1.5h``.

Go keeps fractions to the nanosecond; here they are cut to milliseconds, the unit of the run's clock.
"""

import re

from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.units import SECOND, Ms

_CHARS_MAX = 40
_UNIT_MS = {"ms": 1, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_WHOLE = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+", re.ASCII)
_PART = re.compile(r"([0-9]+)(?:\.([0-9]+))?(ms|s|m|h)", re.ASCII)


class BadDuration(EngineError):
    """A text that is not a valid duration, with Go's message."""


def duration_of(text: str) -> Ms:
    """The milliseconds of a duration; ``0`` needs no unit. Raises BadDuration."""
    if text == "0":
        return 0
    if len(text) > _CHARS_MAX or _WHOLE.fullmatch(text) is None:
        raise BadDuration(f'time: invalid duration "{text}"')
    parts = ((int(whole), fraction[:9], _UNIT_MS[unit]) for whole, fraction, unit in _PART.findall(text))
    return sum(whole * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0) for whole, fraction, unit in parts)


def seconds_of(text: str) -> int:
    """The duration in whole seconds, rounded up. Raises BadDuration."""
    return -(-duration_of(text) // SECOND)
