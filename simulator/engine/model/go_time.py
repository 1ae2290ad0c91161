"""Parses times as Go's time.Parse does with the RFC 3339 layout, including its error messages.

Source: Go 1.15 time/format.go, with which 1.20 was built.
"""

import calendar
import re

_LAYOUT = "2006-01-02T15:04:05Z07:00"
_PARTS = (("", "2006"), ("-", "01"), ("-", "02"), ("T", "15"), (":", "04"), (":", "05"))
_NAMES = ("year", "month", "day", "hour", "minute", "second")
_RANGES = ((0, 9999), (1, 12), (0, 99), (0, 23), (0, 59), (0, 59))
_DIGITS = (*(re.compile(pattern, re.ASCII) for pattern in (r"\d{4}", r"\d{2}", r"\d{2}", r"\d{1,2}", r"\d{2}", r"\d{2}(?:\.\d+)?")),)
_ZONE = re.compile(r"Z|[+-]\d{2}:\d{2}", re.ASCII)


def time_problem(text: str) -> str:
    """The server's message about a string that is not a time; "" if it is one."""
    rest, numbers = text, []
    for (before, part), digits, name, (low, high) in zip(_PARTS, _DIGITS, _NAMES, _RANGES, strict=True):
        if not rest.startswith(before):
            return _unreadable(text, rest, before)
        rest = rest.removeprefix(before)
        match = digits.match(rest)
        if match is None:
            return _unreadable(text, rest, part)
        number = int(match[0].partition(".")[0])
        rest = rest[match.end() :]
        if not low <= number <= high:
            return _refused(text, f"{name} out of range")
        numbers.append(number)
    zone = _ZONE.match(rest)
    if zone is None:
        return _unreadable(text, rest, "Z07:00")
    if rest[zone.end() :]:
        return _refused(text, f"extra text: {rest[zone.end() :]}")
    year, month, day, *_ = numbers
    return "" if 1 <= day <= _days(year, month) else _refused(text, "day out of range")


def _days(year: int, month: int) -> int:
    february = 29 if calendar.isleap(year) else 28
    return (31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _unreadable(text: str, rest: str, part: str) -> str:
    return f'parsing time "{text}" as "{_LAYOUT}": cannot parse "{rest}" as "{part}"'


def _refused(text: str, why: str) -> str:
    return f'parsing time "{text}": {why}'
