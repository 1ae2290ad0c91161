"""Moments of a run as kubectl shows them: RFC 3339 in YAML, RFC 1123 in describe, ages in tables."""

from simulator.engine.kernel.units import SECOND, Ms, whole_second
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.times import format_time, parse_time

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_MS: Ms = 86_400_000
_EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday


def timestamp(moment: Ms, epoch_s: int) -> str:
    """A moment of the run as Kubernetes stores it: ``2026-01-01T00:00:48Z``."""
    return format_time(whole_second(moment) + epoch_s * SECOND)


def long_date(text: str) -> str:
    """A stored timestamp as describe prints it: ``Thu, 01 Jan 2026 00:00:48 +0000``."""
    weekday = _DAYS[(parse_time(text) // _DAY_MS + _EPOCH_WEEKDAY) % 7]
    return f"{weekday}, {text[8:10]} {_MONTHS[int(text[5:7]) - 1]} {text[0:4]} {text[11:19]} +0000"


def since(moment: Ms | None, now_ms: Ms) -> str:
    """How long ago a stored moment is, as kubectl rounds it. Stored moments have no fractions; ``<unknown>`` for None."""
    return "<unknown>" if moment is None else human_duration_ms(now_ms - whole_second(moment))
