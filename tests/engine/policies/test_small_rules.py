"""Deadlines, image pulls, availability and times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.kubelet.pods.start.image_pull import after_failed_pull, ensure_image
from simulator.engine.kubelet.pods.status.deadline import deadline_exceeded
from simulator.engine.model.status import PodCondition, PodStatus
from simulator.engine.model.times import format_time, format_time_nano, parse_time
from simulator.engine.policies.availability import is_available
from simulator.engine.world.rows import BackoffEntry


@pytest.mark.parametrize(
    ("seconds", "start_ms", "now_ms", "expected"),
    [(10, 1500, 10_999, False), (10, 1500, 11_000, True), (None, 0, 99_000, False), (10, None, 99_000, False)],
)
def test_deadline_counts_from_the_whole_second_of_the_start(seconds, start_ms, now_ms, expected):
    assert deadline_exceeded(seconds, start_ms, now_ms) is expected


@pytest.mark.parametrize(
    ("policy", "present", "expected"),
    [
        ("Never", True, "use"),
        ("Never", False, "fail"),
        ("IfNotPresent", True, "use"),
        ("IfNotPresent", False, "pull"),
        ("Always", True, "pull"),
    ],
)
def test_ensure_image_follows_the_policy(policy, present, expected):
    assert ensure_image(policy, is_present=present, entry=None, now_ms=0).action == expected


def test_ensure_image_waits_after_a_failed_pull():
    entry = after_failed_pull(None, 1000)
    assert entry == BackoffEntry(10_000, 1000)
    assert ensure_image("Always", is_present=False, entry=entry, now_ms=10_999).reason == "ImagePullBackOff"
    assert ensure_image("Always", is_present=False, entry=entry, now_ms=11_000).action == "pull"


def test_ensure_image_fails_when_the_runtime_cannot_tell():
    assert ensure_image("Always", is_present=True, entry=None, now_ms=0, inspect_fails=True).reason == "ImageInspectError"


@pytest.mark.parametrize(
    ("status", "min_ready_s", "now_ms", "expected"),
    [("True", 0, 5000, True), ("True", 10, 15_000, False), ("True", 10, 15_001, True), ("False", 0, 99_000, False)],
)
def test_is_available_needs_readiness_for_long_enough(status, min_ready_s, now_ms, expected):
    pod = PodStatus(conditions=(PodCondition(type="Ready", status=status, transition_ms=5000),))
    assert is_available(pod, min_ready_s=min_ready_s, now_ms=now_ms) is expected


@given(st.integers(min_value=-(10**10), max_value=10**11))
def test_times_read_back_as_written(second):
    assert parse_time(format_time(second * 1000)) == second * 1000


@pytest.mark.parametrize(("moment", "text"), [(0, "00Z"), (10, "00.01Z"), (1_250, "01.25Z"), (59_999, "59.999Z")])
def test_time_with_its_fraction_has_no_zeros_behind(moment: int, text: str) -> None:
    assert format_time_nano(moment) == f"1970-01-01T00:00:{text}"
    assert parse_time(format_time_nano(moment)) == moment


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2024-02-29T12:00:00.25Z", 1_709_208_000_250),
        ("2024-03-01T02:00:00+02:00", 1_709_251_200_000),
        ("2000-01-01T00:00:00Z", 946_684_800_000),
    ],
)
def test_parse_time_counts_from_the_epoch(text, expected):
    assert parse_time(text) == expected


@pytest.mark.parametrize("text", ["2024-01-01", "2024-01-01 00:00:00Z", "now", "2024-01-01T00:00:00"])
def test_parse_time_refuses_other_forms(text):
    with pytest.raises(ValueError):
        parse_time(text)
