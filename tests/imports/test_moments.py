"""Moments of an imported text, and the placement of what happened within one of its seconds."""

import pytest

from simulator.imports.moments import BadMoment, moment, placed

AT = 10_000
STEP = [(0, 0, step) for step in range(4)]


def at(facts, *, start_ms=0, until_ms=60_000):
    """The moments at which facts are placed, by position."""
    return dict(placed(facts, start_ms=start_ms, until_ms=until_ms))


@pytest.mark.parametrize("nothing", [None, "", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_what_says_that_there_was_no_moment_is_none(nothing):
    assert moment(nothing) is None


@pytest.mark.parametrize(
    ("text", "ms"), [("1970-01-01T00:00:01Z", 1000), ("1970-01-01T01:00:00.5+01:00", 500), ("2026-01-01T12:00:00Z", 1_767_268_800_000)]
)
def test_moments_count_from_1970(text, ms):
    assert moment(text) == ms


@pytest.mark.parametrize("bad", [5, True, ["2026-01-01T12:00:00Z"], "yesterday", "1969-12-31T23:59:59Z", "2300-01-01T00:00:00Z"])
def test_what_is_not_a_moment_of_a_run_is_refused(bad):
    with pytest.raises(BadMoment):
        moment(bad)


def test_facts_of_one_second_are_spread_over_it_in_their_order():
    assert at([(AT, False, STEP[2]), (AT, False, STEP[0]), (AT, False, STEP[1])]) == {1: 10_250, 2: 10_500, 0: 10_750}


def test_one_fact_stands_in_the_midst_of_its_second():
    assert at([(AT, False, STEP[0])]) == {0: 10_500}


def test_facts_of_the_last_second_stand_before_its_end_is_known():
    facts = [(AT, False, STEP[0]), (AT, False, STEP[1])]
    assert at(facts, until_ms=10_300) == {0: 10_100, 1: 10_200}
    assert at(facts, until_ms=10_000) == {0: 10_000, 1: 10_000}
    assert at(facts, until_ms=9_000) == {0: 10_000, 1: 10_000}
    assert at(facts, until_ms=11_000) == {0: 10_333, 1: 10_666}


def test_exact_moments_stay_and_take_no_room_of_the_others():
    assert at([(AT, True, STEP[0]), (AT, False, STEP[1])]) == {0: 10_000, 1: 10_500}
    assert at([(10_900, True, STEP[0]), (AT, False, STEP[1])]) == {0: 10_900, 1: 10_900}


def test_nothing_is_put_before_the_start_or_before_what_led_to_it():
    assert at([(AT, False, STEP[0]), (11_000, False, STEP[1])], start_ms=10_900) == {0: 10_900, 1: 11_500}
    assert at([(AT, False, STEP[0])], start_ms=20_000) == {0: 20_000}


def test_seconds_are_spread_apart_from_each_other():
    facts = [(11_000, False, STEP[0]), (AT, False, STEP[1]), (11_000, False, STEP[2])]
    assert at(facts) == {1: 10_500, 0: 11_333, 2: 11_666}


def test_positions_come_in_the_order_in_which_the_facts_happened():
    facts = [(11_000, False, STEP[0]), (AT, False, STEP[1]), (AT, False, STEP[0])]
    assert [position for position, _ in placed(facts, start_ms=0, until_ms=60_000)] == [2, 1, 0]
