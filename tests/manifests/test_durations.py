"""Durations in scripts and cluster files."""

import pytest

from simulator.manifests.script.durations import DURATION_MS_MAX, duration_ms


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (0, 0),
        (7.8, 7_800),
        (-1, None),
        (True, None),
        (None, None),
        ("6s", 6_000),
        ("500ms", 500),
        ("1m30s", 90_000),
        ("1.5h", 5_400_000),
        ("6", None),
        ("s", None),
        ("", None),
        ("1s ", None),
        (DURATION_MS_MAX // 1000, DURATION_MS_MAX),
        (DURATION_MS_MAX // 1000 + 1, None),
        (f"{DURATION_MS_MAX}ms", DURATION_MS_MAX),
        (f"{DURATION_MS_MAX + 1}ms", None),
        ("0" * 38 + "1s", 1_000),
        ("0" * 39 + "1s", None),
    ],
)
def test_duration_is_a_number_of_seconds_or_a_text_with_units(value: object, ms: int | None) -> None:
    assert duration_ms(value) == ms
