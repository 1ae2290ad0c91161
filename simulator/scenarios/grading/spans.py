"""Durations as authors write them: ``90s``, ``20.5s``, ``2m``, ``1h``."""

import re
from decimal import Decimal

from simulator.engine.kernel.units import Ms

_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?", re.ASCII)
_UNITS: dict[str, Ms] = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def span_ms(text: str) -> Ms:
    """The milliseconds of a text like ``90s``, ``20.5s``, ``1500ms``, ``2m`` or ``1h``; a bare number is in seconds. Raises ValueError."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:20]!r} is no span of time: write a number and its unit, such as 90s, 20.5s or 2m")
    return int(Decimal(found[1]) * _UNITS[found[2] or "s"])


def optional_ms(text: str) -> Ms | None:
    """The milliseconds of such a text, None for an empty one. Raises ValueError."""
    return span_ms(text) if text else None


def check_spans(*, may_be_empty: bool = False, **texts: str) -> None:
    """Raise ValueError, which begins with the name of the field, where one of these texts is no span of time."""
    for name, text in texts.items():
        try:
            optional_ms(text) if may_be_empty else span_ms(text)
        except ValueError as error:
            raise ValueError(f"{name.rstrip('_')}: {error}") from None


def span_text(ms: Ms) -> str:
    """A moment in seconds as authors write it: ``20.5s``."""
    whole, rest = divmod(ms, 1000)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".") + "s"
