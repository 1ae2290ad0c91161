from uuid import UUID

import pytest

from simulator.runs.live.presence import PROCESS, REMOTE_SILENT_S, Presence

RUN = UUID(int=1)


@pytest.fixture
def now():
    return [0.0]


@pytest.fixture
def presence(now):
    return Presence(lambda: now[0])


def test_viewers_are_counted_by_run(presence):
    for run, address in ((RUN, "a"), (RUN, "b"), (UUID(int=2), "a")):
        presence.enter(run, address)
    assert (presence.viewers(RUN), presence.from_address("a")) == (2, 2)


def test_viewer_who_left_is_not_counted(presence):
    presence.enter(RUN, "a")
    presence.leave(RUN, "a")
    assert (presence.viewers(RUN), presence.from_address("a")) == (0, 0)


def test_viewers_of_other_processes_are_added(presence):
    presence.enter(RUN, "a")
    presence.heard(RUN, "other", 3)
    assert presence.viewers(RUN) == 4


def test_own_count_is_not_added_twice(presence):
    presence.enter(RUN, "a")
    presence.heard(RUN, PROCESS, 1)
    assert presence.viewers(RUN) == 1


def test_silent_process_is_forgotten(presence, now):
    presence.heard(RUN, "other", 3)
    now[0] = REMOTE_SILENT_S + 1
    assert presence.viewers(RUN) == 0


def test_process_whose_last_viewer_left_is_forgotten_at_once(presence):
    presence.heard(RUN, "other", 3)
    presence.heard(RUN, "other", 0)
    assert presence.viewers(RUN) == 0
