"""Pupils of a class: joining, own runs, votes."""

import pytest

from simulator.models import ClassMember, ClassVote, Run
from simulator.runs.selectors.class_wall import ask_of, counts_of, member_of
from simulator.runs.services import class_wall
from simulator.runs.services.class_wall import (
    ask_change,
    ask_put,
    class_come_back,
    class_start,
    member_begin,
    member_hand,
    member_join,
    member_seen,
    run_copied,
    start_run_of,
    vote_give,
)
from simulator.runs.services.classrooms import classroom_lead, classroom_open
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from tests.factories import OWNER, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return classroom_open(owner_key=OWNER, address="school")


def joined(room, key="bo", name="Bo"):
    return member_join(room=room, owner_key=key, name=name)


def test_pupil_joins_once_and_may_take_another_name(room):
    first, again = joined(room), joined(room, name="  Bodil\n ")
    assert (first.id, again.name, ClassMember.objects.count()) == (again.id, "Bodil", 1)


@pytest.mark.parametrize("name", ["", " \u200b\u202e\n"])
def test_name_has_to_be_one_that_can_be_read(room, name):
    with pytest.raises(Refused, match="name"):
        joined(room, name=name)


def test_name_is_cut_where_it_is_too_long(room):
    assert joined(room, name="n" * 500).name == "n" * 40


def test_pupils_of_one_name_are_told_apart(room):
    assert [joined(room, key=key).name for key in ("bo", "cy", "di", "cy")] == ["Bo", "Bo (2)", "Bo (3)", "Bo (2)"]
    assert joined(room, key="di", name="Di").name == "Di"
    assert [joined(room, key=key, name="n" * 40).name[-5:] for key in ("bo", "cy")] == ["nnnnn", "n (2)"]


def test_teacher_is_not_a_pupil_of_their_own_class(room):
    with pytest.raises(Refused, match="You lead"):
        joined(room, key=OWNER)


def test_class_that_is_full_takes_only_who_is_in_it(room, monkeypatch):
    monkeypatch.setattr(class_wall, "MEMBERS_MAX", 1)
    joined(room)
    with pytest.raises(LimitReached, match="full"):
        joined(room, key="cy", name="Cy")
    assert joined(room, name="Other").name == "Other"


def test_hand_stays_up_since_when_it_was_raised(room):
    member = joined(room)
    member_hand(member=member, is_raised=True)
    since = ClassMember.objects.get().hand_at
    member_hand(member=member, is_raised=True)
    assert since and ClassMember.objects.get().hand_at == since
    member_hand(member=member, is_raised=False)
    assert ClassMember.objects.get().hand_at is None


def test_run_counts_as_a_pupils_only_where_it_is_their_own(room):
    member, theirs, own = joined(room), make_run(), make_run(owner_key="bo")
    member_seen(member=member, run=theirs)
    assert ClassMember.objects.get().run is None
    member_seen(member=member, run=own)
    assert ClassMember.objects.get().run == own


def begin_copy(key):
    return lambda start: run_copied(run=start.run, owner_key=key, at_ms=start.at_ms)


def test_each_pupil_gets_one_run_of_their_own_that_is_nobodys_branch(room):
    run = make_run()
    joined(room)
    joined(room, key="cy", name="Cy")
    class_start(room=room, run=run, at_ms=0)
    mine, again, other = (member_begin(room=room, owner_key=key, begin=begin_copy(key)) for key in ("bo", "bo", "cy"))
    assert (mine.id == again.id, other.id != mine.id, run.branches.count(), mine.is_paused) == (True, True, 0, True)
    stored = Run.objects.get(id=mine.id)
    assert (stored.parent, stored.owner_hash) == (None, member_of(room, "bo").owner_hash)


def test_another_start_gives_another_run(room):
    run = make_run()
    joined(room)
    class_start(room=room, run=run, at_ms=0)
    first = member_begin(room=room, owner_key="bo", begin=begin_copy("bo"))
    class_start(room=room, run=run, at_ms=0)
    assert member_begin(room=room, owner_key="bo", begin=begin_copy("bo")) != first


def test_nobody_begins_who_has_not_joined_or_was_not_sent(room):
    with pytest.raises(NotAllowed):
        member_begin(room=room, owner_key="bo", begin=begin_copy("bo"))
    joined(room)
    with pytest.raises(Refused):
        member_begin(room=room, owner_key="bo", begin=begin_copy("bo"))


def test_start_and_come_back_are_news_to_every_page(room):
    class_start(room=room, level="x")
    assert (room.is_apart, room.starts, room.news, room.turn) == (True, 1, 1, 1)
    class_come_back(room=room)
    assert (room.is_apart, room.calls, room.news, room.turn) == (False, 1, 2, 2)


def test_calling_everyone_by_the_socket_ends_the_work_apart(room):
    class_start(room=room, level="x")
    assert not classroom_lead(code=room.id, owner_key=OWNER, calls=True).is_apart


def test_everybody_starts_only_from_a_run_of_the_teachers(room):
    with pytest.raises(NotAllowed):
        start_run_of(make_run(owner_key="bo"), owner_key=OWNER)
    with pytest.raises(Refused):
        start_run_of(None, owner_key=OWNER)


@pytest.mark.parametrize(
    ("question", "choices"),
    [("", ["a", "b"]), ("What?", ["a"]), ("What?", list("abcdefg")), ("What?", ["a", " a "]), ("What?", ["a", " "])],
)
def test_question_needs_words_and_two_to_six_choices(room, question, choices):
    with pytest.raises(Refused):
        ask_put(room=room, question=question, choices=choices)


def test_votes_are_counted_by_round_and_may_change_while_open(room):
    bo, cy = joined(room), joined(room, key="cy", name="Cy")
    ask = ask_put(room=room, question="What?", choices=["a", "b"])
    for member, choice in ((bo, 0), (cy, 0), (cy, 1)):
        vote_give(member=member, ask_id=ask.id, choice=choice)
    ask_change(room=room, do="close")
    ask_change(room=room, do="again")
    vote_give(member=bo, ask_id=ask.id, choice=1)
    assert counts_of(ask_of(room)) == [[1, 1], [0, 1]]


def test_closed_vote_takes_no_more(room):
    bo = joined(room)
    ask = ask_put(room=room, question="What?", choices=["a", "b"])
    ask_change(room=room, do="close")
    with pytest.raises(Refused, match="closed"):
        vote_give(member=bo, ask_id=ask.id, choice=0)


@pytest.mark.parametrize("choice", [None, -1, 2])
def test_vote_is_for_a_choice_that_is_there(room, choice):
    bo = joined(room)
    ask = ask_put(room=room, question="What?", choices=["a", "b"])
    with pytest.raises(Refused):
        vote_give(member=bo, ask_id=ask.id, choice=choice)
    assert not ClassVote.objects.exists()


def test_nobody_votes_in_another_class(room):
    elsewhere = classroom_open(owner_key="eva", address="school")
    ask = ask_put(room=elsewhere, question="What?", choices=["a", "b"])
    with pytest.raises(Refused):
        vote_give(member=joined(room), ask_id=ask.id, choice=0)


def test_there_is_no_third_vote_and_none_while_one_is_open(room):
    ask_put(room=room, question="What?", choices=["a", "b"])
    with pytest.raises(Refused):
        ask_change(room=room, do="again")
    ask_change(room=room, do="close")
    ask_change(room=room, do="again")
    ask_change(room=room, do="close")
    with pytest.raises(Refused):
        ask_change(room=room, do="again")


def test_new_question_takes_the_place_of_the_one_before(room):
    ask_put(room=room, question="First?", choices=["a", "b"])
    ask_put(room=room, question="Second?", choices=["a", "b"])
    assert ask_of(room).question == "Second?"
    ask_change(room=room, do="end")
    assert ask_of(room) is None


def test_only_so_many_questions_are_kept(room, monkeypatch):
    monkeypatch.setattr(class_wall, "ASKS_MAX", 2)
    for n in range(4):
        ask_put(room=room, question=f"{n}?", choices=["a", "b"])
    assert [ask.question for ask in room.asks.all()] == ["2?", "3?"]
