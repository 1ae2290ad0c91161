"""What a pupil's page is told of its class: its run, its turn, and the question. Without a site."""

from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest
from django.utils import timezone

from simulator.web.classes import members
from simulator.web.classes.members import APART, HEARD, UNMADE_APART

RUN = UUID(int=7)


def pupil(**fields):
    return SimpleNamespace(**{"name": "Bo", "hand_at": None, "run_id": RUN, "start_n": 2} | fields)


@pytest.fixture
def told(monkeypatch):
    """What the page of a pupil is told in a class that was started twice."""
    monkeypatch.setattr(members, "_wait_ms", lambda room, member, *, begun: 500)
    monkeypatch.setattr(members, "_ask", lambda room, member: None)

    def state(member, **room):
        return members._state(SimpleNamespace(**{"starts": 2, "is_apart": False, "path": "", "query": "", "turn": 1} | room), member)

    return state


@pytest.mark.parametrize(
    ("member", "room", "begun"),
    [
        (pupil(), {}, True),
        (pupil(start_n=1), {}, False),
        (pupil(run_id=None), {}, False),
        (pupil(start_n=0), {"starts": 0}, False),
        (None, {}, False),
    ],
)
def test_pupil_has_begun_with_a_run_of_the_newest_start(told, member, room, begun):
    assert told(member, **room)["begun"] is begun


@pytest.mark.parametrize(("member", "is_apart", "wait_ms"), [(pupil(), True, 500), (pupil(), False, 0), (None, True, 0)])
def test_only_pupils_with_runs_of_their_own_wait_for_their_turn(told, member, is_apart, wait_ms):
    assert told(member, is_apart=is_apart)["wait_ms"] == wait_ms


@pytest.mark.parametrize(
    ("member", "shown"),
    [
        (pupil(), ("Bo", False, f"/r/{RUN}/")),
        (pupil(hand_at=5, run_id=None), ("Bo", True, "")),
        (None, ("", False, "")),
    ],
)
def test_page_knows_its_pupil(told, member, shown):
    state = told(member)
    assert (state["name"], state["hand"], state["run"]) == shown


@pytest.mark.parametrize(
    ("has_start", "begun", "ago", "expected"),
    [
        (False, True, timedelta(), timedelta()),
        (True, True, timedelta(), 3 * APART),
        (True, False, timedelta(), 10 * HEARD + 3 * UNMADE_APART),
        (True, True, timedelta(hours=1), timedelta()),
    ],
)
def test_turn_comes_after_those_who_joined_before(monkeypatch, has_start, begun, ago, expected):
    now = timezone.now()
    start = SimpleNamespace(created_at=now - ago) if has_start else None
    monkeypatch.setattr(members, "start_of_class", lambda room: start)
    monkeypatch.setattr(members, "place_among_members", lambda member: (3, 10))
    monkeypatch.setattr(members, "timezone", SimpleNamespace(now=lambda: now))
    assert members._wait_ms(None, None, begun=begun) == expected // timedelta(milliseconds=1)


@pytest.mark.parametrize(("is_open", "right", "counts"), [(True, None, []), (False, 1, [[3, 4]])])
@pytest.mark.parametrize(("member", "mine"), [(pupil(), 0), (None, None)])
def test_votes_of_others_are_told_once_the_vote_is_closed(monkeypatch, is_open, right, counts, member, mine):
    ask = SimpleNamespace(id=5, question="?", choices=["a", "b"], round=1, is_open=is_open, right=1)
    monkeypatch.setattr(members, "ask_of", lambda room: ask)
    monkeypatch.setattr(members, "vote_of", lambda ask, member: 0)
    monkeypatch.setattr(members, "counts_of", lambda ask: [[3, 4]])
    found = members._ask(None, member)
    assert (found["right"], found["counts"], found["mine"], found["open"]) == (right, counts, mine, is_open)


def test_class_that_is_asked_nothing_has_no_question(monkeypatch):
    monkeypatch.setattr(members, "ask_of", lambda room: None)
    assert members._ask(None, pupil()) is None
