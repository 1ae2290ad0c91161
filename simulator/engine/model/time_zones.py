"""Time zones by name (``Europe/Berlin``, ``UTC``) and how far their clocks are ahead of UTC, by the rules in effect from 2026 on.

``engine/data/time_zones.txt`` has the rule of each zone in the POSIX TZ format. A zone's history before 2026 is not known here, nor is
what only a table can express: Morocco's clocks stay as they are outside Ramadan.
"""

import re
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct

from simulator.engine.kernel.units import DAY, HOUR, MINUTE, SECOND, Ms
from simulator.engine.model.times import format_time, parse_time

_NAME = r"(?:<[^>]+>|[A-Za-z]{3,})"
_OFFSET = r"[+-]?\d+(?::\d+){0,2}"
_RULE = re.compile(rf"{_NAME}({_OFFSET})(?:{_NAME}({_OFFSET})?,M(\d+)\.(\d)\.(\d)(?:/({_OFFSET}))?,M(\d+)\.(\d)\.(\d)(?:/({_OFFSET}))?)?")
_CHANGE: Ms = 2 * HOUR
"""The local time at which clocks change unless a rule says otherwise."""


class _Change(Struct, frozen=True):
    """When clocks change: in that month, on its n-th (5: last) such day of the week (0: Sunday), at that time after midnight."""

    month: int
    week: int
    weekday: int
    at: Ms


class _ZoneRules(Struct, frozen=True):
    standard: Ms
    summer: Ms = 0
    begin: _Change | None = None
    end: _Change | None = None


@lru_cache(maxsize=1)
def _rules() -> dict[str, str]:
    """The rule of every zone by its name."""
    text = files("simulator.engine").joinpath("data/time_zones.txt").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    rule = ""
    for line in text.splitlines():
        if line.startswith(" "):
            found.update(dict.fromkeys(line.split(), rule))
        elif not line.startswith("#"):
            rule = line
    return found


@lru_cache(maxsize=1)
def time_zones() -> frozenset[str]:
    """All names."""
    return frozenset(_rules())


def ahead_of_utc(name: str, moment: Ms) -> Ms:
    """How far the clocks of a zone are ahead of UTC at a moment since the Unix epoch. Raises KeyError for an unknown zone."""
    zone = _zone(_rules()[name])
    if zone.begin is None or zone.end is None:
        return zone.standard
    year = int(format_time(moment)[:4])
    begin = _moment(zone.begin, year) - zone.standard
    end = _moment(zone.end, year) - zone.summer
    # In the southern hemisphere summer time spans the turn of the year.
    is_summer = begin <= moment < end if begin < end else not end <= moment < begin
    return zone.summer if is_summer else zone.standard


@lru_cache(maxsize=128)
def _zone(rule: str) -> _ZoneRules:
    match = _RULE.fullmatch(rule)
    if match is None:
        raise ValueError(f"not a rule of a time zone: {rule}")
    # POSIX counts west of Greenwich as positive.
    standard = -_span(match[1])
    if match[3] is None:
        return _ZoneRules(standard)
    summer = -_span(match[2]) if match[2] else standard + HOUR
    parts = match.groups()
    return _ZoneRules(standard, summer, _change(*parts[2:6]), _change(*parts[6:10]))


def _change(month: str, week: str, weekday: str, at: str | None) -> _Change:
    return _Change(int(month), int(week), int(weekday), _span(at) if at else _CHANGE)


def _span(text: str) -> Ms:
    hours, minutes, seconds = (*(int(part) for part in text.lstrip("+-").split(":")), 0, 0)[:3]
    span = hours * HOUR + minutes * MINUTE + seconds * SECOND
    return -span if text.startswith("-") else span


def _moment(change: _Change, year: int) -> Ms:
    """The change in a given year, by the local clock before the change."""
    first = parse_time(f"{year:04d}-{change.month:02d}-01T00:00:00Z")
    weekday = (first // DAY + 4) % 7  # 1970-01-01 was a Thursday
    day = (change.weekday - weekday) % 7 + 7 * (change.week - 1)
    following = parse_time(f"{year + change.month // 12:04d}-{change.month % 12 + 1:02d}-01T00:00:00Z")
    # Week 5 means the last such day: a month may have only four.
    while first + day * DAY >= following:
        day -= 7
    return first + day * DAY + change.at
