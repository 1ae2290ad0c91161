"""When a schedule is due."""

import pytest

from simulator.engine.apiserver.validation.kinds.workloads.schedule import BadSchedule, parse_schedule
from simulator.engine.controllers.cron_job.times import missed_since, next_ms
from simulator.engine.model.times import format_time, parse_time

DUE = [
    ("* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"),
    ("* * * * *", "2026-01-01T00:00:59Z", "2026-01-01T00:01:00Z"),
    ("*/15 * * * *", "2026-01-01T00:46:00Z", "2026-01-01T01:00:00Z"),
    ("5-20/7 3 * * *", "2026-01-01T03:12:00Z", "2026-01-01T03:19:00Z"),
    ("0 0 1 * *", "2026-01-31T23:59:00Z", "2026-02-01T00:00:00Z"),
    ("0 12 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T12:00:00Z"),
    ("0 9 * * MON-FRI", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"),
    ("0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),  # either day will do
    ("0 0 13 * *", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z"),
    ("0 0 */1 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00Z"),  # a star restricts nothing
    ("@hourly", "2026-01-01T00:30:00Z", "2026-01-01T01:00:00Z"),
    ("@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    ("@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"),
    ("@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    ("@every 90s", "2026-01-01T00:00:10Z", "2026-01-01T00:01:40Z"),
    ("@every 1.5h", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z"),
]


@pytest.mark.parametrize(("text", "after", "due"), DUE)
def test_next_moment_of_a_schedule(text, after, due):
    assert format_time(next_ms(text, "", parse_time(after))) == due


ZONED = [
    ("0 5 * * *", "Europe/Berlin", "2026-01-01T00:00:00Z", "2026-01-01T04:00:00Z"),
    ("0 5 * * *", "Europe/Berlin", "2026-07-01T00:00:00Z", "2026-07-01T03:00:00Z"),
    ("0 0 * * *", "America/New_York", "2026-01-01T00:00:00Z", "2026-01-01T05:00:00Z"),
    ("30 9 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T04:00:00Z"),
    ("0 1 * * *", "Australia/Sydney", "2026-01-01T00:00:00Z", "2026-01-01T14:00:00Z"),
    ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"),  # 02:30 does not occur on 29 March
    ("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),  # and occurs twice on 25 October
    ("0 12 * * *", "Pacific/Auckland", "2026-01-01T00:00:00Z", "2026-01-01T23:00:00Z"),
]


@pytest.mark.parametrize(("text", "zone", "after", "due"), ZONED)
def test_schedule_is_read_in_its_time_zone(text, zone, after, due):
    assert format_time(next_ms(text, zone, parse_time(after))) == due


def test_zone_in_front_of_a_schedule_is_the_one_that_counts():
    assert format_time(next_ms("TZ=Asia/Tokyo 0 9 * * *", "", parse_time("2026-01-01T01:00:00Z"))) == "2026-01-02T00:00:00Z"


def test_day_that_never_comes_is_never_due():
    assert next_ms("0 0 31 2 *", "", 0) is None
    with pytest.raises(ValueError, match="less than 1 second"):
        missed_since("0 0 31 2 *", "", 0, 10)


MISSED = [("00:04:59", None, 0), ("00:05:00", "00:05:00", 1), ("00:12:30", "00:10:00", 2), ("23:01:00", "23:00:00", 276)]


@pytest.mark.parametrize(("now", "due", "count"), MISSED)
def test_last_moment_that_was_missed(now, due, count):
    found = missed_since("*/5 * * * *", "", parse_time("2026-01-01T00:00:00Z"), parse_time(f"2026-01-01T{now}Z"))
    assert (found.due_ms, found.count) == (due and parse_time(f"2026-01-01T{due}Z"), count)


@pytest.mark.parametrize("text", ["", "* * * *", "@soon", "60 * * * *", "@every soon", "* * * * MOON"])
def test_schedule_that_cannot_be_read(text):
    with pytest.raises(BadSchedule):
        parse_schedule(text)
