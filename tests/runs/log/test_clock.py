"""Reloading a run: everything that may have changed, and its header only if that may have."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from simulator.engine.course.header import REVISION
from simulator.models import Run
from simulator.runs.log import clock
from simulator.runs.log.clock import (
    AHEAD_MS,
    SILENT_MS,
    coming,
    is_coming,
    is_driven,
    is_resting,
    read_again,
    standing_ms,
    stands_at_beginning,
)
from tests.factories import make_run

pytestmark = pytest.mark.django_db


def test_everything_that_changed_is_read_in_one_query_without_what_the_run_begins_with(django_assert_num_queries):
    run = make_run()
    Run.objects.filter(id=run.id).update(head_ms=7, state=Run.State.LIMIT, is_paused=True, title="new", header_body=b"{}")
    with django_assert_num_queries(1):
        read_again(run)
    assert (run.head_ms, run.state, run.is_paused, run.title) == (7, "limit", True, "new")
    assert bytes(run.header_body) != b"{}"


def test_run_that_another_revision_has_now_is_read_whole():
    run = make_run()
    Run.objects.filter(id=run.id).update(revision=run.revision + 1, header_body=b"{}", source_body="[]")
    read_again(run)
    assert (bytes(run.header_body), run.source_body) == (b"{}", "[]")


def test_run_that_is_gone_is_an_error():
    run = make_run()
    Run.objects.filter(id=run.id).delete()
    with pytest.raises(Run.DoesNotExist):
        read_again(run)


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def row(**fields):
    """A run as read at NOW, with nobody driving it."""
    usual = {
        "read_at": NOW, "driven_at": None, "stands_ms": None, "base_ms": 0, "head_ms": 0, "head_seq": 1, "is_paused": True,
        "controls": 0, "idle_as_of": 0, "epoch": 0, "state": Run.State.LIVE, "revision": REVISION, "is_frozen": False, "is_idle": False,
    }  # fmt: skip
    return SimpleNamespace(**usual | fields)


@pytest.mark.parametrize(("silent_ms", "driven"), [(None, False), (0, True), (SILENT_MS - 1, True), (SILENT_MS, False), (60_000, False)])
def test_owner_drives_a_run_until_it_has_been_silent_for_so_long(silent_ms, driven):
    driven_at = None if silent_ms is None else NOW - timedelta(milliseconds=silent_ms)
    assert is_driven(row(driven_at=driven_at)) is driven


@pytest.mark.parametrize(("stands_ms", "base_ms", "head_ms"), [(None, 3, 2), (3, 2, 1), (1, 3, 2), (1, 2, 3), (0, 3, 0)])
def test_clock_that_nobody_drives_stands_at_the_latest_moment_that_is_known(stands_ms, base_ms, head_ms):
    assert standing_ms(row(stands_ms=stands_ms, base_ms=base_ms, head_ms=head_ms)) == 3


@pytest.mark.parametrize(
    ("is_paused", "idle_as_of", "resting"), [(False, 5, True), (True, 5, False), (False, 4, False), (False, None, False)]
)
def test_clock_rests_if_it_plays_and_nothing_follows_as_of_its_last_move(is_paused, idle_as_of, resting):
    assert is_resting(row(is_paused=is_paused, idle_as_of=idle_as_of, controls=5)) is resting


@pytest.mark.parametrize(
    ("fields", "stands"),
    [
        ({}, True),
        *(({name: value}, False) for name, value in (("epoch", 1), ("controls", 1), ("idle_as_of", None), ("head_seq", 0))),
        *(({name: value}, False) for name, value in (("is_paused", False), ("head_ms", 4), ("state", "stopped"))),
    ],
)
def test_run_stands_at_its_beginning_as_long_as_nothing_has_touched_it(fields, stands):
    assert stands_at_beginning(row(**fields)) is stands


LINK = {"is_frozen": True, "head_ms": 5, "base_ms": 10}


@pytest.mark.parametrize(
    ("fields", "is_to_come"),
    [
        ({}, True),
        ({"is_frozen": False}, False),
        ({"state": "stopped"}, False),
        ({"head_ms": 10}, False),
        ({"head_ms": 9}, True),
        ({"revision": REVISION - 1}, False),
        ({"revision": REVISION - 1, "head_seq": 0}, True),
        ({"head_ms": 10, "head_seq": 0}, True),
    ],
)
def test_log_of_a_link_is_still_to_come_until_it_is_whole(fields, is_to_come):
    assert is_coming(row(**LINK | fields)) is is_to_come


FAR = {"base_ms": AHEAD_MS + 11, "head_ms": 10}


@pytest.mark.parametrize(
    ("fields", "on_its_way"),
    [
        ({}, True),
        ({"base_ms": AHEAD_MS + 10}, False),
        ({"is_frozen": True}, True),
        ({"is_frozen": True, "revision": REVISION - 1}, False),
        ({"driven_at": NOW}, False),
        ({"is_idle": True}, False),
        ({"state": "stopped"}, False),
    ],
)
def test_run_is_on_its_way_if_its_moment_is_far_ahead_and_nobody_drives_it(fields, on_its_way):
    assert coming(row(**FAR | fields)) == ((10, AHEAD_MS + 11) if on_its_way else None)


@pytest.mark.parametrize(
    ("state", "driven_at", "head_ms", "moment_ms"),
    [
        (Run.State.STOPPED, NOW, 7, 7),
        (Run.State.LIVE, None, 7, 100),
        (Run.State.LIVE, NOW, 7, 3100),
        (Run.State.LIVE, NOW, 9000, 9000),
    ],
)
def test_moment_of_a_run_is_that_of_its_clock_or_of_its_log(monkeypatch, state, driven_at, head_ms, moment_ms):
    monkeypatch.setattr(clock, "wall_ms", lambda: 1_000_000)
    base_at = datetime.fromtimestamp(997, UTC)
    run = row(
        state=state,
        driven_at=driven_at,
        head_ms=head_ms,
        base_ms=100,
        base_at=base_at,
        is_paused=False,
        rate_permille=1000,
        idle_as_of=None,
    )
    assert clock.moment_of(run) == moment_ms
