"""RFC 3339 timestamps and milliseconds since the Unix epoch, by plain arithmetic (the engine uses no clock library).

RFC 3339 years have four digits, so texts cover the years 0 to 9999. A run begins no later than EPOCH_S_MAX, so that
all its moments can be written.
"""

import re

from simulator.engine.kernel.units import Ms

_PATTERN = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
_DAY_MS = 86_400_000
_FIRST_MS, _LAST_MS = -719_528 * _DAY_MS, 2_932_897 * _DAY_MS - 1
"""The years 0 to 9999."""
EPOCH_S_MAX = 2**33
"""The latest second since 1970 at which a run may begin, in the year 2242."""
GO_ZERO = "0001-01-01T00:00:00Z"
"""How Go writes a time that was never set."""
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _days_from_civil(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar; internally the year begins in March."""
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
    """Milliseconds since the Unix epoch (finer digits are dropped). Raises ValueError for anything but RFC 3339.

    As in Go there is no February 30 and no second 60, and no moment whose UTC year is outside 0 to 9999.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"not an RFC 3339 time: {text!r}")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month) and hour < 24 and minute < 60 and second < 60):
        raise ValueError(f"no such moment: {text!r}")
    moment = _days_from_civil(year, month, day) * _DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000
    if match[7]:
        moment += int(match[7][:3].ljust(3, "0"))
    if match[8]:
        offset = (int(match[9]) * 60 + int(match[10])) * 60_000
        moment += offset if match[8] == "-" else -offset
    if not _FIRST_MS <= moment <= _LAST_MS:
        raise ValueError(f"not in the years 0 to 9999: {text!r}")
    return moment


def _days_in(year: int, month: int) -> int:
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 28 if month == 2 and not is_leap else _DAYS_IN_MONTH[month - 1]


def format_time_nano(moment: Ms) -> str:
    """The moment as Go's RFC3339Nano writes it, without trailing zeros: ``2024-01-01T00:00:00.35Z``. A run has no finer digits."""
    fraction = f"{moment % 1000:03d}".rstrip("0")
    return f"{format_time(moment)[:-1]}.{fraction}Z" if fraction else format_time(moment)


def format_time(moment: Ms) -> str:
    """The moment as Kubernetes writes it: UTC, whole seconds, ``2024-01-01T00:00:00Z``; a moment outside the four-digit years
    is replaced by the first or last one inside."""
    days, rest = divmod(min(max(moment, _FIRST_MS), _LAST_MS), _DAY_MS)
    year, month, day = _civil_from_days(days)
    second = rest // 1000
    return f"{year:04d}-{month:02d}-{day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
