"""Durations as Kubernetes prints them: the AGE column of kubectl and Go's ``Duration.String()``.

Source: apimachinery duration.go. Cost: below 1 µs.
"""

from functools import lru_cache

SECOND_NS = 1_000_000_000
INVALID = "<invalid>"
_HOUR_S = 3600
_DAY_S = 24 * _HOUR_S
_YEAR_S = 365 * _DAY_S


def _whole_seconds(nanoseconds: int) -> int:
    """Seconds truncated towards zero, as Go converts them."""
    return nanoseconds // SECOND_NS if nanoseconds >= 0 else -(-nanoseconds // SECOND_NS)


def _two(first: int, unit: str, rest: int, rest_unit: str) -> str:
    return f"{first}{unit}{rest}{rest_unit}" if rest else f"{first}{unit}"


def human_duration(nanoseconds: int) -> str:
    """The age that kubectl prints, with two to three digits: ``47h``, ``2d1h``. Below -1 s it is ``<invalid>``."""
    total = _whole_seconds(nanoseconds)
    if total < 0:
        return INVALID if total < -1 else "0s"
    # Two units while the second one is still significant, then one.
    if total < 120:
        return f"{total}s"
    if total < 600:
        return _two(total // 60, "m", total % 60, "s")
    if total < 3 * _HOUR_S:
        return f"{total // 60}m"
    if total < 8 * _HOUR_S:
        return _two(total // _HOUR_S, "h", total // 60 % 60, "m")
    if total < 2 * _DAY_S:
        return f"{total // _HOUR_S}h"
    if total < 8 * _DAY_S:
        return _two(total // _DAY_S, "d", total // _HOUR_S % 24, "h")
    if total < 2 * _YEAR_S:
        return f"{total // _DAY_S}d"
    if total < 8 * _YEAR_S:
        return _two(total // _YEAR_S, "y", total // _DAY_S % 365, "d")
    return f"{total // _YEAR_S}y"


def short_human_duration(nanoseconds: int) -> str:
    """The age as one number and unit: ``59m``, ``364d``."""
    total = _whole_seconds(nanoseconds)
    if total < 0:
        return INVALID if total < -1 else "0s"
    if total < 60:
        return f"{total}s"
    if total < _HOUR_S:
        return f"{total // 60}m"
    if total < _DAY_S:
        return f"{total // _HOUR_S}h"
    if total < _YEAR_S:
        return f"{total // _DAY_S}d"
    return f"{total // _YEAR_S}y"


def human_duration_ms(milliseconds: int) -> str:
    """``human_duration`` of milliseconds, the unit of the engine."""
    return human_duration(milliseconds * 1_000_000)


@lru_cache(maxsize=4096)
def go_duration(milliseconds: int) -> str:
    """The duration as Go prints it: ``0s``, ``500ms``, ``1.5s``, ``1m20s``, ``5m0s``, ``1h0m0s``."""
    if milliseconds < 0:
        return "-" + go_duration(-milliseconds)
    if milliseconds == 0:
        return "0s"
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    total, rest = divmod(milliseconds, 1000)
    fraction = f".{rest:03d}".rstrip("0") if rest else ""
    text = f"{total % 60}{fraction}s"
    if total >= 60:
        text = f"{total // 60 % 60}m{text}"
    if total >= _HOUR_S:
        text = f"{total // _HOUR_S}h{text}"
    return text
