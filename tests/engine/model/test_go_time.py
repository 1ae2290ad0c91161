"""The messages of Go's parser about invalid RFC 3339 times."""

import pytest

from simulator.engine.model.go_time import time_problem

AS = 'as "2006-01-02T15:04:05Z07:00": cannot parse'


@pytest.mark.parametrize("text", ["2020-02-29T23:59:59Z", "2020-01-01T00:00:00.123456789+02:00", "2020-01-01T7:00:00Z"])
def test_time_is_read(text):
    assert time_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", f'{AS} "" as "2006"'),
        ("yesterday", f'{AS} "yesterday" as "2006"'),
        ("2020", f'{AS} "" as "-"'),
        ("2020-01-01", f'{AS} "" as "T"'),
        ("2020-01-01 00:00:00", f'{AS} " 00:00:00" as "T"'),
        ("2020-1-01T00:00:00Z", f'{AS} "1-01T00:00:00Z" as "01"'),
        ("2020-01-01T00:00:00", f'{AS} "" as "Z07:00"'),
    ],
)
def test_time_is_refused_at_the_first_part_that_does_not_match(text, problem):
    assert time_problem(text) == f'parsing time "{text}" {problem}'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2020-13-01T00:00:00Z", "month out of range"),
        ("2021-02-29T00:00:00Z", "day out of range"),
        ("2020-01-00T00:00:00Z", "day out of range"),
        ("2020-01-01T24:00:00Z", "hour out of range"),
        ("2020-01-01T00:60:00Z", "minute out of range"),
        ("2020-01-01T00:00:00Zulu", "extra text: ulu"),
    ],
)
def test_time_is_refused_when_a_number_is_out_of_range_or_text_is_left(text, problem):
    assert time_problem(text) == f'parsing time "{text}": {problem}'
