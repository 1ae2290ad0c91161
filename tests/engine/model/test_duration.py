import json
from pathlib import Path

import pytest

from simulator.engine.model.duration import go_duration, human_duration, human_duration_ms, short_human_duration

S = 1_000_000_000
M, H, D = 60 * S, 3600 * S, 86400 * S


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (-2 * S, "<invalid>"),
        (-2 * S + 1, "0s"),
        (0, "0s"),
        (119 * S + S - 1, "119s"),
        (120 * S, "2m"),
        (121 * S, "2m1s"),
        (10 * M + 59 * S, "10m"),
        (180 * M - 1, "179m"),
        (3 * H + 5 * M, "3h5m"),
        (8 * H + 59 * M, "8h"),
        (49 * H, "2d1h"),
        (8 * D + 23 * H, "8d"),
        (2 * 365 * D, "2y"),
        (7 * 365 * D + 3 * D, "7y3d"),
        (8 * 365 * D + 3 * D, "8y"),
    ],
)
def test_human_duration_keeps_two_figures_at_most(span, expected):
    assert human_duration(span) == expected


@pytest.mark.parametrize(("age_ms", "expected"), json.loads(Path(__file__).with_name("ages.json").read_text()))
def test_age_on_both_sides_of_each_boundary_is_what_the_browser_says(age_ms, expected):
    assert human_duration_ms(age_ms) == expected


def test_human_duration_ms_takes_the_unit_of_the_engine():
    assert human_duration_ms(601_000) == "10m"


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (-3 * S, "<invalid>"),
        (-S, "0s"),
        (59 * S, "59s"),
        (60 * S, "1m"),
        (H - S, "59m"),
        (H, "1h"),
        (D - S, "23h"),
        (D, "1d"),
        (365 * D - S, "364d"),
        (365 * D, "1y"),
    ],
)
def test_short_human_duration_keeps_one_figure(span, expected):
    assert short_human_duration(span) == expected


@pytest.mark.parametrize(
    ("span_ms", "expected"),
    [
        (0, "0s"),
        (500, "500ms"),
        (1500, "1.5s"),
        (10_000, "10s"),
        (80_000, "1m20s"),
        (160_000, "2m40s"),
        (300_000, "5m0s"),
        (3_600_000, "1h0m0s"),
        (-1500, "-1.5s"),
    ],
)
def test_go_duration_prints_like_go(span_ms, expected):
    assert go_duration(span_ms) == expected
