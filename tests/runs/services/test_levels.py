"""Levels and courses that are shared, whose they are, and how many results of checks are kept."""

import pytest

from simulator.models import LevelAttempt, SharedLevel
from simulator.runs.services import levels
from simulator.runs.services.errors import LimitReached
from simulator.runs.services.levels import course_share, is_level_owner, level_attempt, level_share
from tests.factories import OWNER, STRANGER, make_run

pytestmark = pytest.mark.django_db


def shared(text="a", **fields):
    return level_share(text=text, title="t", **fields)


def test_level_of_nobody_belongs_to_nobody():
    level = shared()
    assert level.owner_hash == ""
    assert [is_level_owner(level, key) for key in ("", None, OWNER)] == [False, False, False]


def test_level_belongs_to_the_browser_that_shared_it_first():
    first = shared(owner_key=OWNER)
    again = shared(owner_key=STRANGER)
    assert first.id == again.id and SharedLevel.objects.count() == 1
    assert [is_level_owner(again, key) for key in (OWNER, STRANGER, "", None)] == [True, False, False, False]


def test_course_of_the_same_text_is_another():
    assert shared().id != course_share(text="a", title="t").id


def test_findings_of_a_trial_are_kept_on_a_line_each():
    assert shared(problems=["one\n two", "three"]).problems == "one two\nthree"


def test_address_shares_only_so_many_and_what_is_known_at_any_time(monkeypatch):
    monkeypatch.setattr(levels, "PER_ADDRESS_MAX", 2)
    for text in "ab":
        shared(text, address="school")
    with pytest.raises(LimitReached):
        shared("c", address="school")
    assert shared("b", address="school") and shared("c", address="elsewhere") and shared("d")


def checked(run, n):
    return level_attempt(run=run, passed=False, failed="", at_ms=None, acts=n, hints=0, points=0, points_max=0, results="")


def test_first_results_of_a_run_are_kept_and_the_newest(monkeypatch):
    monkeypatch.setattr(levels, "ATTEMPTS_MAX", 3)
    run, other = make_run(), make_run()
    for n in range(5):
        checked(run, n)
    checked(other, 9)
    assert [*LevelAttempt.objects.filter(run=run).order_by("id").values_list("acts", flat=True)] == [0, 1, 4]
