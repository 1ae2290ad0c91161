import pytest

from simulator.engine.policies.backoff import crash_backoff, in_backoff, in_backoff_since_update, is_stale, next_entry
from simulator.engine.world.rows import BackoffEntry

LIMITS = {"initial_ms": 10_000, "max_ms": 300_000}


def waits(runs_s, **limits):
    """The wait after each run of the given number of seconds."""
    entry, now, result = None, 0, []
    for run in runs_s:
        now += run * 1000
        finished, verdict = now, crash_backoff(entry, now, now, **limits)
        if not verdict.may_start:
            now = verdict.until_ms
            verdict = crash_backoff(entry, finished, now, **limits)
        assert verdict.may_start
        entry = verdict.entry
        result.append((now - finished) // 1000)
    return result


@pytest.mark.parametrize(
    ("runs_s", "expected"),
    [
        ([0] * 8, [0, 10, 20, 40, 80, 160, 300, 300]),
        ([1, 1, 600, 1], [0, 10, 20, 40]),
        ([1, 1, 601, 1], [0, 10, 0, 10]),
    ],
)
def test_crash_backoff_doubles_until_a_long_run(runs_s, expected):
    assert waits(runs_s) == expected


def test_crash_backoff_follows_other_limits():
    assert waits([0] * 4, initial_ms=1000, max_ms=2000) == [0, 1, 2, 2]


def test_crash_backoff_leaves_the_entry_alone_when_nothing_has_exited():
    entry = BackoffEntry(10_000, 5)
    assert crash_backoff(entry, None, 6).entry is entry


@pytest.mark.parametrize(
    ("entry", "finished_ms", "now_ms", "rule_id"),
    [
        (None, 5, 5, "BACKOFF-FIRST"),
        (BackoffEntry(10_000, 0), 1000, 2000, "BACKOFF-WAIT"),
        (BackoffEntry(10_000, 0), 1000, 11_000, "BACKOFF-OVER"),
        (BackoffEntry(300_000, 0), 600_001, 600_001, "BACKOFF-RESET"),
    ],
)
def test_crash_backoff_names_its_rule(entry, finished_ms, now_ms, rule_id):
    assert crash_backoff(entry, finished_ms, now_ms).rule_id == rule_id


def test_next_entry_resets_only_after_twice_the_maximum():
    entry = BackoffEntry(300_000, 0)
    assert next_entry(entry, 600_000, 600_000, **LIMITS) == BackoffEntry(300_000, 600_000)
    assert next_entry(entry, 600_001, 600_001, **LIMITS) == BackoffEntry(10_000, 600_001)


def test_in_backoff_counts_from_the_event_and_ends_on_time():
    entry = BackoffEntry(10_000, 1000)
    assert in_backoff(entry, 5000, 14_999)
    assert not in_backoff(entry, 5000, 15_000)
    assert not in_backoff(None, 5000, 5000)


def test_in_backoff_since_update_counts_from_the_last_advance():
    entry = BackoffEntry(10_000, 1000)
    assert in_backoff_since_update(entry, 10_999)
    assert not in_backoff_since_update(entry, 11_000)


def test_is_stale_after_twice_the_maximum():
    assert not is_stale(BackoffEntry(10_000, 0), 600_000)
    assert is_stale(BackoffEntry(10_000, 0), 600_001)
