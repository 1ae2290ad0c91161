"""RFC 3339 timestamps and milliseconds since the Unix epoch, by plain arithmetic (the engine reads no clock library)."""

import re

from simulator.engine.kernel.units import Ms

_PATTERN = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))")
_DAY_MS = 86_400_000


def _days_from_civil(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar; the year is taken to begin in March."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + day_of_year - 719_468


def _civil_from_days(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    day_of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def parse_time(text: str) -> Ms:
    """Milliseconds since the Unix epoch (finer digits are cut). Raises ValueError for anything but RFC 3339."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"not an RFC 3339 time: {text!r}")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    moment = _days_from_civil(year, month, day) * _DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000
    if match[7]:
        moment += int(match[7][:3].ljust(3, "0"))
    if match[8]:
        offset = (int(match[9]) * 60 + int(match[10])) * 60_000
        moment += offset if match[8] == "-" else -offset
    return moment


def format_time_nano(moment: Ms) -> str:
    """The moment as Go's RFC3339Nano writes it, without trailing zeros: ``2024-01-01T00:00:00.35Z``. A run knows no finer digits."""
    fraction = f"{moment % 1000:03d}".rstrip("0")
    return f"{format_time(moment)[:-1]}.{fraction}Z" if fraction else format_time(moment)


def format_time(moment: Ms) -> str:
    """The moment as Kubernetes writes it: UTC, whole seconds, ``2024-01-01T00:00:00Z``."""
    days, rest = divmod(moment, _DAY_MS)
    year, month, day = _civil_from_days(days)
    second = rest // 1000
    return f"{year:04d}-{month:02d}-{day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
