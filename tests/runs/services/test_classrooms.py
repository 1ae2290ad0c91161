"""Classes: one per browser, led only by it, at places that exist."""

from datetime import timedelta

import pytest
from django.utils import timezone

from simulator.models import Classroom
from simulator.runs.services import classrooms
from simulator.runs.services.class_code import LENGTH, LETTERS, code_of, draw_code
from simulator.runs.services.classrooms import QUERY_MAX, classroom_end, classroom_lead, classroom_open, classrooms_prune, clean_query
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused

pytestmark = pytest.mark.django_db
RUN = "/r/330375d2-6d75-484f-9f65-66ce71c09163/"


def opened(key: str = "anna", **fields: str) -> Classroom:
    return classroom_open(**{"owner_key": key, "address": "school", "path": RUN, **fields})


def test_code_is_read_however_it_is_typed():
    assert code_of(" K4M-2Q9 ") == code_of("k4m 2q9") == "k4m2q9"


@pytest.mark.parametrize("words", ["", "k4m2q", "k4m2q9x", "k4m2qo", "../../x"])
def test_words_that_are_no_code_are_none(words):
    assert code_of(words) == ""


def test_drawn_code_is_a_code():
    assert code_of(draw_code()) and len(draw_code()) == LENGTH
    assert not set("ilo01") & set(LETTERS)


def test_browser_leads_one_class_and_takes_it_along():
    first = opened()
    again = opened(path="/s/abc/")
    assert (again.id, again.path, Classroom.objects.count()) == (first.id, "/s/abc/", 1)
    assert again.turn > first.turn


def test_code_that_is_taken_is_drawn_again(monkeypatch):
    taken = opened().id
    codes = iter([taken, "zzzzzz"])
    monkeypatch.setattr(classrooms, "draw_code", lambda: next(codes))
    assert opened("bert").id == "zzzzzz"


def test_address_has_a_bound_of_classes(monkeypatch):
    monkeypatch.setattr(classrooms, "PER_ADDRESS_MAX", 1)
    opened()
    with pytest.raises(LimitReached):
        opened("bert")
    opened("bert", address="elsewhere")


def test_classes_of_no_address_have_no_bound(monkeypatch):
    monkeypatch.setattr(classrooms, "PER_ADDRESS_MAX", 1)
    assert opened(address="").id != opened("bert", address="").id


def test_only_who_opened_it_leads_or_ends_it():
    room = opened()
    for key in ("bert", None, ""):
        with pytest.raises(NotAllowed):
            classroom_lead(code=room.id, owner_key=key, path=RUN)
        with pytest.raises(NotAllowed):
            classroom_end(code=room.id, owner_key=key)
    classroom_end(code=room.id, owner_key="anna")
    assert not Classroom.objects.exists()


@pytest.mark.parametrize("path", ["https://elsewhere.example/", "//elsewhere.example/r/", "/admin/", f"{RUN}delete/", "/s/../admin/"])
def test_class_is_never_led_elsewhere(path):
    room = opened()
    with pytest.raises(Refused):
        classroom_lead(code=room.id, owner_key="anna", path=path)
    with pytest.raises(Refused):
        opened("bert", path=path)


def test_call_brings_everybody_back_even_after_a_release():
    code = opened().id
    assert not classroom_lead(code=code, owner_key="anna", is_led=False).is_led
    called = classroom_lead(code=code, owner_key="anna", calls=True)
    assert (called.is_led, called.calls, called.path) == (True, 1, RUN)


def test_query_keeps_the_moment_and_nothing_else():
    assert clean_query("t=4.5&sel=pod%2Fa&class=zzzzzz&next=//elsewhere&lang=de") == "t=4.5&sel=pod%2Fa"


def test_query_that_is_too_long_loses_its_last_parts():
    kept = clean_query(f"t=1&notes={'x' * QUERY_MAX}")
    assert kept == "t=1"


def test_class_that_nobody_leads_is_forgotten_as_runs_are(settings):
    settings.SIM_KEEP_DAYS = 30
    old, new = opened(), opened("bert")
    Classroom.objects.filter(id=old.id).update(changed_at=timezone.now() - timedelta(days=31))
    assert classrooms_prune() == 1
    assert Classroom.objects.get().id == new.id
    assert classrooms_prune(days=0) == 0
