"""Offsets of time zones from UTC."""

import pytest

from simulator.engine.kernel.units import HOUR, MINUTE
from simulator.engine.model.time_zones import ahead_of_utc, time_zones
from simulator.engine.model.times import parse_time


@pytest.mark.parametrize(
    ("name", "moment", "minutes"),
    [
        ("UTC", "2026-07-01T00:00:00Z", 0),
        ("Europe/Berlin", "2026-03-29T00:59:59Z", 60),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", 120),
        ("Europe/Berlin", "2026-10-25T01:00:00Z", 60),
        ("Europe/Dublin", "2026-01-01T00:00:00Z", 0),
        ("Europe/Dublin", "2026-07-01T00:00:00Z", 60),
        ("America/New_York", "2026-03-08T06:59:00Z", -300),
        ("America/New_York", "2026-03-08T07:00:00Z", -240),
        ("America/St_Johns", "2026-01-01T00:00:00Z", -210),
        ("Asia/Kathmandu", "2026-01-01T00:00:00Z", 345),
        ("Australia/Lord_Howe", "2026-01-01T00:00:00Z", 660),
        ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", 630),
        ("Etc/GMT-14", "2026-01-01T00:00:00Z", 840),
    ],
)
def test_offset(name, moment, minutes):
    assert ahead_of_utc(name, parse_time(moment)) == minutes * MINUTE


def test_every_zone_has_a_rule_that_can_be_read():
    for name in sorted(time_zones()):
        assert -12 * HOUR <= ahead_of_utc(name, parse_time("2030-06-01T00:00:00Z")) <= 14 * HOUR


def test_name_that_no_zone_has():
    with pytest.raises(KeyError):
        ahead_of_utc("Mars/Olympus", 0)
