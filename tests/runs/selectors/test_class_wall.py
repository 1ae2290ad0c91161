"""The content of a class wall: pupils' attempts, who is present, where everybody was sent."""

from datetime import timedelta

import pytest
from django.utils import timezone

from simulator.models import ClassStart, LevelAttempt
from simulator.runs.selectors.class_wall import (
    AWAY_AFTER,
    classroom_of,
    has_results,
    is_here,
    levels_sent,
    member_of,
    place_among_members,
    start_of_class,
    tried_of,
)
from simulator.runs.services.class_wall import ask_put, class_start, member_join
from simulator.runs.services.classrooms import classroom_open
from tests.factories import OWNER, make_run

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def room():
    return classroom_open(owner_key=OWNER, address="school")


@pytest.fixture
def bo(room):
    return member_join(room=room, owner_key="bo", name="Bo")


def attempts(*outcomes, owner="bo", level="hello"):
    """Attempts at a level in a run of its own, passed or not, one after the other, each an hour after the one before."""
    run = make_run(owner_key=owner, level=level)
    made = []
    for number, passed in enumerate(outcomes):
        made.append(LevelAttempt.objects.create(run=run, level=level, passed=passed, failed="", points=1, points_max=1, results_body=""))
        LevelAttempt.objects.filter(id=made[-1].id).update(created_at=NOW + timedelta(hours=number))
    return made


def test_attempts_are_counted_with_the_newest_and_the_first_that_passed(bo):
    made = attempts(False, True, False, True)
    found = tried_of([bo], since=NOW)[bo.owner_hash, "hello"]
    assert (found.count, found.failed, found.newest, found.passed) == (4, 2, made[3], made[1])


def test_where_none_passed_there_is_none_that_did(bo):
    attempts(False)
    found = tried_of([bo], since=NOW)[bo.owner_hash, "hello"]
    assert (found.count, found.failed, found.passed) == (1, 1, None)


def test_attempts_count_since_the_class_began(bo):
    made = attempts(True, False, False)
    found = tried_of([bo], since=NOW + timedelta(hours=1))[bo.owner_hash, "hello"]
    assert (found.count, found.newest, found.passed) == (2, made[2], None)


def test_each_pupil_has_their_own_attempts_at_each_level(room, bo):
    ann = member_join(room=room, owner_key="ann", name="Ann")
    attempts(True)
    attempts(False, False, owner="ann")
    attempts(True, owner="ann", level="other")
    attempts(True, owner="stranger")
    found = tried_of([bo, ann], since=NOW)
    assert {key: tried.count for key, tried in found.items()} == {
        (bo.owner_hash, "hello"): 1,
        (ann.owner_hash, "hello"): 2,
        (ann.owner_hash, "other"): 1,
    }
    assert set(tried_of([bo, ann], since=NOW, levels=["other"])) == {(ann.owner_hash, "other")}


def test_pupil_is_away_once_nothing_was_heard_for_so_long(bo):
    seen = bo.seen_at
    assert [is_here(bo, seen + after) for after in (timedelta(), AWAY_AFTER - timedelta(seconds=1), AWAY_AFTER)] == [True, True, False]
    assert timedelta(seconds=90) == AWAY_AFTER  # pages report twice a minute that they are present


def test_only_the_browser_that_leads_a_class_has_its_wall(room):
    assert [classroom_of(code, owner_key=key) for code, key in ((room.id, OWNER), (room.id, "bo"), (room.id, None), ("none", OWNER))] == [
        room,
        None,
        None,
        None,
    ]


def test_pupil_is_found_by_their_browser_in_their_class_only(room, bo):
    other = classroom_open(owner_key="else", address="school")
    assert (member_of(room, "bo"), member_of(room, "ann"), member_of(room, None), member_of(other, "bo")) == (bo, None, None, None)


def test_pupils_have_places_in_the_order_in_which_they_joined(room):
    other = classroom_open(owner_key="else", address="school")
    member_join(room=other, owner_key="x", name="X")
    members = [member_join(room=room, owner_key=key, name=key) for key in ("a", "b", "c")]
    assert [place_among_members(member) for member in members] == [(0, 3), (1, 3), (2, 3)]


def test_last_start_counts_and_levels_stand_in_the_order_of_the_first_time(room):
    for level in ("b", "a", "b"):
        class_start(room=room, level=level)
        room.refresh_from_db()
    class_start(room=room, run=make_run(level="c"))
    room.refresh_from_db()
    class_start(room=room, run=make_run())
    room.refresh_from_db()
    run = make_run(level="d")
    class_start(room=room, run=run)
    run.delete()
    assert levels_sent(room) == ["b", "a", "c"]
    assert start_of_class(room) == ClassStart.objects.order_by("n").last()


def test_class_has_results_once_it_was_sent_to_a_level_or_asked_anything(room):
    assert not has_results(room)
    class_start(room=room, run=make_run())
    assert not has_results(room)
    other = classroom_open(owner_key="else", address="school")
    ask_put(room=other, question="What?", choices=["yes", "no"])
    room.refresh_from_db()
    class_start(room=room, level="hello")
    assert [has_results(each) for each in (room, other)] == [True, True]
