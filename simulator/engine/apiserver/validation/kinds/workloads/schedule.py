"""The syntax of cron schedules in the words of the parser that the API server uses (github.com/robfig/cron)."""

from simulator.engine.apiserver.validation.kinds.go_numbers import BadNumber, atoi, duration_problem

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
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY = "@every "


class _BadSchedule(Exception):
    """Stops at the first mistake."""


def schedule_problem(text: str) -> str:
    """What the parser says of a schedule; "" when it is well formed. The name of a time zone in front is not looked at."""
    if text.startswith(("TZ=", "CRON_TZ=")):
        _, _, text = text.partition(" ")
        text = text.strip()
    if not text:
        return "empty spec string"
    if text.startswith("@"):
        return _descriptor_problem(text)
    parts = text.split()
    if len(parts) != len(_FIELDS):
        return f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]"
    try:
        for part, (low, high, names) in zip(parts, _FIELDS, strict=True):
            for expression in part.split(","):
                if expression:
                    _check(expression, low, high, names)
    except _BadSchedule as problem:
        return str(problem)
    return ""


def _descriptor_problem(text: str) -> str:
    if text in _DESCRIPTORS:
        return ""
    if text.startswith(_EVERY):
        problem = duration_problem(text.removeprefix(_EVERY))
        return f"failed to parse duration {text}: {problem}" if problem else ""
    return f"unrecognized descriptor: {text}"


def _check(expression: str, low: int, high: int, names: dict[str, int]) -> None:
    steps = expression.split("/")
    limits = steps[0].split("-")
    start, end = _limits(limits, expression, low, high, names)
    if len(steps) > 2:
        raise _BadSchedule(f"too many slashes: {expression}")
    step = 1
    if len(steps) == 2:
        step = _number(steps[1])
        end = high if len(limits) == 1 else end
    if start < low:
        raise _BadSchedule(f"beginning of range ({start}) below minimum ({low}): {expression}")
    if end > high:
        raise _BadSchedule(f"end of range ({end}) above maximum ({high}): {expression}")
    if start > end:
        raise _BadSchedule(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise _BadSchedule(f"step of range should be a positive number: {expression}")


def _limits(limits: list[str], expression: str, low: int, high: int, names: dict[str, int]) -> tuple[int, int]:
    if limits[0] in ("*", "?"):
        return low, high
    start = _value(limits[0], names)
    if len(limits) == 1:
        return start, start
    if len(limits) > 2:
        raise _BadSchedule(f"too many hyphens: {expression}")
    return start, _value(limits[1], names)


def _value(text: str, names: dict[str, int]) -> int:
    return names[text.lower()] if text.lower() in names else _number(text)


def _number(text: str) -> int:
    try:
        value = atoi(text)
    except BadNumber as problem:
        raise _BadSchedule(f"failed to parse int from {text}: {problem}") from problem
    if value < 0:
        raise _BadSchedule(f"negative number ({value}) not allowed: {text}")
    return value
