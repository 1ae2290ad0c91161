"""The times in a schedule, in the time zone it is read in. Milliseconds since the epoch.

A schedule is five sets of values; the next time is found by stepping through local time and
skipping as far as the first set that does not match allows. When both day of month and day of week
are restricted, either suffices; when one of them is ``*``, both must match: cron's old quirk.

When clocks change, a local time that does not occur is skipped, and one that occurs twice is due
twice. "@every" counts from the moment asked about, not from midnight.

How many times were missed is counted one by one in 1.20; later it is an estimate from the distance
of the first two times, exact only for even schedules.

Source: github.com/robfig/cron/v3 SpecSchedule.Next, ConstantDelaySchedule.Next;
pkg/controller/cronjob/utils.go mostRecentScheduleTime.
"""

from functools import lru_cache

from msgspec import Struct

from simulator.engine.apiserver.validation.kinds.workloads.schedule import Schedule, parse_schedule
from simulator.engine.kernel.units import DAY, HOUR, MINUTE, SECOND, Ms, seconds, whole_second
from simulator.engine.model.time_zones import ahead_of_utc, time_zones
from simulator.engine.model.times import format_time

_YEARS_MAX = 5
MANY = 100
"""More missed starts than this are reported in an Event."""


class Missed(Struct, frozen=True):
    """The last moment that was due since ``since_ms``, None if none was, and about how many were: an estimate, as upstream makes it."""

    since_ms: Ms
    due_ms: Ms | None = None
    count: int = 0


@lru_cache(maxsize=4096)
def next_ms(text: str, zone: str, after_ms: Ms) -> Ms | None:
    """The first moment of the schedule after ``after_ms``; None if there is none within five years. Raises BadSchedule.

    Up to some ms for a moment that is years away.
    """
    schedule = parse_schedule(text)
    if schedule.every_s:
        return whole_second(after_ms) + seconds(schedule.every_s)
    zone = schedule.zone or zone
    moment = after_ms - after_ms % MINUTE + MINUTE
    end = moment + _YEARS_MAX * 366 * DAY
    while moment < end:
        skip = _to_skip(schedule, moment + (ahead_of_utc(zone, moment) if zone in time_zones() else 0))
        if not skip:
            return moment
        moment += skip
    return None


def _to_skip(schedule: Schedule, local: Ms) -> Ms:
    """The minimum distance to the next possible moment; 0 if this one matches. Midnight is never skipped, whatever clocks do there."""
    text = format_time(local)
    day, hour, minute = int(text[8:10]), int(text[11:13]), int(text[14:16])
    to_hour = (60 - minute) * MINUTE
    if int(text[5:7]) not in schedule.months.values or not _is_day(schedule, day, local):
        # Not 24 - hour: a day may be an hour or more shorter or longer, and midnight must be hit,
        # not passed.
        return max(to_hour, (21 - hour) * HOUR)
    if hour not in schedule.hours.values:
        return to_hour
    return 0 if minute in schedule.minutes.values else MINUTE


def _is_day(schedule: Schedule, day: int, local: Ms) -> bool:
    weekday = (local // DAY + 4) % 7  # 1970-01-01 was a Thursday
    of_month, of_week = day in schedule.days.values, weekday in schedule.weekdays.values
    if schedule.days.is_any or schedule.weekdays.is_any:
        return of_month and of_week
    return of_month or of_week


def unmet_since(text: str, zone: str, since_ms: Ms, now_ms: Ms) -> Missed:
    """What has been due since a moment, counted one by one up to 101 starts (a schedule that is never due has no end). Raises BadSchedule.

    Source: pkg/controller/cronjob/utils.go getRecentUnmetScheduleTimes (1.20).
    """
    count, due, found = 0, None, next_ms(text, zone, since_ms)
    while count <= MANY and (found is None or found <= now_ms):
        count, due = count + 1, found
        found = next_ms(text, zone, found) if found is not None else None
    return Missed(since_ms, due, count)


def missed_since(text: str, zone: str, since_ms: Ms, now_ms: Ms) -> Missed:
    """What has been due since a moment, excluding that moment. Raises BadSchedule; ValueError for a schedule that never is."""
    first = next_ms(text, zone, since_ms)
    second = next_ms(text, zone, first) if first is not None else None
    if first is None or second is None:
        raise ValueError("time difference between two schedules is less than 1 second")
    if now_ms < first:
        return Missed(since_ms)
    if now_ms < second:
        return Missed(since_ms, first, 1)
    between = max(1, (second - first) // SECOND)
    count = (now_ms - first) // SECOND // between + 1
    # Begin shortly before the estimate: with an uneven schedule it may overshoot.
    due, found = None, next_ms(text, zone, first + seconds((count - 2) * between))
    while found is not None and found <= now_ms:
        due, found = found, next_ms(text, zone, found)
    return Missed(since_ms, due, count)
