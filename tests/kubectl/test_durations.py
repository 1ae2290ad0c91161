"""Durations on a command line, as Go reads them."""

import pytest

from simulator.kubectl.durations import BadDuration, duration_of, seconds_of


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("0", 0),
        ("250ms", 250),
        ("1m30s", 90_000),
        ("1.5h", 5_400_000),
        ("0.25m", 15_000),
        ("1.05s", 1_050),
        ("2h0.125m1.5s", 7_209_000),
        ("1.0009s", 1_000),
    ],
)
def test_duration_is_the_sum_of_its_parts_with_their_fractions(text, expected_ms):
    assert duration_of(text) == expected_ms


@pytest.mark.parametrize(("text", "expected_s"), [("1s", 1), ("1.001s", 2), ("999ms", 1), ("0", 0)])
def test_seconds_are_rounded_up(text, expected_s):
    assert seconds_of(text) == expected_s


@pytest.mark.parametrize("text", ["", "5", "1.s", ".5s", "-1s", "1d", "1 s", "1" * 40 + "s"])
def test_what_is_not_a_duration_is_refused_in_the_words_of_go(text):
    with pytest.raises(BadDuration, match="time: invalid duration"):
        duration_of(text)
