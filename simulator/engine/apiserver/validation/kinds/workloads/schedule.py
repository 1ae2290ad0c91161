"""The syntax of cron schedules, with the messages of the parser that the API server uses.

Five fields, each a comma list of ranges with optional steps, or one of the descriptors such as
``@daily`` and ``@every 5m``. What the parser reports is its first mistake, so the order of the
checks within a range is part of the answer. A bare ``*`` or ``?`` is remembered as such: day of the
month and day of the week combine by *or* where both restrict, and by *and* where one does not.

Kubernetes changed from v1 of the library to v3 in 1.22. The older one knows no time zone prefix and
takes such a text for a schedule of six fields, and its messages begin with a capital.

Source: github.com/robfig/cron, v3 from Kubernetes 1.22 on (pull request 102735) and v1 before.
"""

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.validation.kinds.go_numbers import NANO_PER_SECOND, BadNumber, atoi, duration_ns, duration_problem

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(_MONTHS, start=1)}),
    (0, 6, {name: number for number, name in enumerate(_DAYS)}),
)
"""Lowest and highest value and names of minute, hour, day of the month, month and day of the week."""
_EVERY = "@every "
_ZONES = ("TZ=", "CRON_TZ=")


class BadSchedule(Exception):
    """The parser's error for a schedule that it cannot read: its first mistake."""


class ScheduleField(Struct, frozen=True, gc=False):
    """The values of one field; ``is_any``: a bare ``*`` or ``?``, which restricts nothing."""

    values: frozenset[int]
    is_any: bool = False


class Schedule(Struct, frozen=True, kw_only=True, gc=False):
    """When something is due. ``every_s``: an interval in seconds, without fields. ``zone``: the time zone of the prefix."""

    minutes: ScheduleField
    hours: ScheduleField
    days: ScheduleField
    months: ScheduleField
    weekdays: ScheduleField
    every_s: int = 0
    zone: str = ""


def schedule_problem(text: str) -> str:
    """The parser's error for a schedule; "" when it is well formed. The name of a time zone prefix is not checked."""
    try:
        parse_schedule(text)
    except BadSchedule as problem:
        return str(problem)
    return ""


def schedule_problem_of_v1(text: str) -> str:
    """The error of the first version of the parser, which takes a time zone prefix for one more field; "" when it is well formed."""
    count = len(text.split())
    if text.strip() and not text.startswith("@") and count != len(_FIELDS):
        return f"Expected exactly {len(_FIELDS)} fields, found {count}: {text}"
    try:
        parse_schedule(text, has_zones=False)
    except BadSchedule as problem:
        return f"{problem}"[:1].upper() + f"{problem}"[1:]
    return ""


@lru_cache(maxsize=256)
def parse_schedule(text: str, *, has_zones: bool = True) -> Schedule:
    """The schedule in a text. Raises BadSchedule. ``has_zones``: a time zone prefix is allowed."""
    zone = ""
    if has_zones and text.startswith(_ZONES):
        zone, _, text = text.partition("=")[2].partition(" ")
        text = text.strip()
    if not text:
        raise BadSchedule("empty spec string")
    if text.startswith("@"):
        return replace(_descriptor(text), zone=zone)
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise BadSchedule(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    minutes, hours, days, months, weekdays = (_field(part, *limits) for part, limits in zip(parts, _FIELDS, strict=True))
    return Schedule(minutes=minutes, hours=hours, days=days, months=months, weekdays=weekdays, zone=zone)


_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


def _descriptor(text: str) -> Schedule:
    if text in _DESCRIPTORS:
        return parse_schedule(_DESCRIPTORS[text])
    if not text.startswith(_EVERY):
        raise BadSchedule(f"unrecognized descriptor: {text}")
    problem = duration_problem(text.removeprefix(_EVERY))
    if problem:
        raise BadSchedule(f"failed to parse duration {text}: {problem}")
    return replace(parse_schedule("* * * * *"), every_s=max(1, duration_ns(text.removeprefix(_EVERY)) // NANO_PER_SECOND))


def _field(part: str, low: int, high: int, names: dict[str, int]) -> ScheduleField:
    found = [_range(expression, low, high, names) for expression in part.split(",") if expression]
    return ScheduleField(frozenset(value for item in found for value in item.values), any(item.is_any for item in found))


def _range(expression: str, low: int, high: int, names: dict[str, int]) -> ScheduleField:
    steps = expression.split("/")
    limits = steps[0].split("-")
    start, end = _limits(limits, expression, low, high, names)
    if len(steps) > 2:
        raise BadSchedule(f"too many slashes: {expression}")
    step = 1
    if len(steps) == 2:
        step = _number(steps[1])
        # "5/10" means from 5 to the end, every 10.
        end = high if len(limits) == 1 else end
    if start < low:
        raise BadSchedule(f"beginning of range ({start}) below minimum ({low}): {expression}")
    if end > high:
        raise BadSchedule(f"end of range ({end}) above maximum ({high}): {expression}")
    if start > end:
        raise BadSchedule(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise BadSchedule(f"step of range should be a positive number: {expression}")
    # "*/2" restricts, so it is not a bare star.
    return ScheduleField(frozenset(range(start, end + 1, step)), limits[0] in ("*", "?") and step == 1)


def _limits(limits: list[str], expression: str, low: int, high: int, names: dict[str, int]) -> tuple[int, int]:
    if limits[0] in ("*", "?"):
        return low, high
    start = _value(limits[0], names)
    if len(limits) == 1:
        return start, start
    if len(limits) > 2:
        raise BadSchedule(f"too many hyphens: {expression}")
    return start, _value(limits[1], names)


def _value(text: str, names: dict[str, int]) -> int:
    return names[text.lower()] if text.lower() in names else _number(text)


def _number(text: str) -> int:
    try:
        value = atoi(text)
    except BadNumber as problem:
        raise BadSchedule(f"failed to parse int from {text}: {problem}") from problem
    if value < 0:
        raise BadSchedule(f"negative number ({value}) not allowed: {text}")
    return value
