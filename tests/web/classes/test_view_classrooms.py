"""The pages of classes."""

from types import SimpleNamespace

import pytest
from django.test import Client

from lifecycle_site.throttle import Allowances
from simulator.models import Classroom
from simulator.runs.selectors import class_guesses
from simulator.runs.services.classrooms import classroom_lead, classroom_open

pytestmark = pytest.mark.django_db
RUN = "/r/330375d2-6d75-484f-9f65-66ce71c09163/"


@pytest.fixture
def room():
    return classroom_open(owner_key="anna", address="school")


def led(room, path=RUN, query="t=4.5&tab=yaml"):
    return classroom_lead(code=room.id, owner_key="anna", path=path, query=query)


def test_opening_a_class_shows_its_code_and_a_way_to_a_story(client):
    answer = client.post("/class/", follow=True)
    page = answer.content.decode()
    assert answer.redirect_chain[-1][0] == f"/class/?class={Classroom.objects.get().id}"  # the tab leads it from now on
    code = Classroom.objects.get().id
    assert f"{code[:3]}-{code[3:]}" in page
    assert f'href="/scenarios/?class={code}"' in page


def test_class_that_begins_at_a_run_opens_there(client):
    answer = client.post("/class/", {"path": RUN})
    assert answer["Location"] == f"{RUN}?class={Classroom.objects.get().id}"


def test_class_cannot_begin_elsewhere(client):
    assert client.post("/class/", {"path": "//elsewhere.example/"}).status_code == 422
    assert not Classroom.objects.exists()


def test_typed_code_leads_to_the_teachers_moment(client, room):
    led(room)
    typed = f"{room.id[:3].upper()}-{room.id[3:]}"
    answer = client.get("/class/", {"code": typed}, follow=False)
    assert answer["Location"] == f"/class/{room.id}/"
    assert client.get(answer["Location"])["Location"] == f"{RUN}?t=4.5&tab=yaml&class={room.id}"


@pytest.mark.parametrize("typed", ["zzzzzz", "nonsense", '"><b>x'])
def test_code_that_is_none_is_told_with_the_form_again(client, typed):
    answer = client.get("/class/", {"code": typed})
    page = answer.content.decode()
    assert answer.status_code == 404
    assert "There is no class" in page
    assert "<b>x" not in page


def test_address_of_a_class_that_has_ended_says_so(client):
    answer = client.get("/class/zzzzzz/")
    assert (answer.status_code, "There is no class zzzzzz" in answer.content.decode()) == (404, True)


def test_class_that_is_nowhere_yet_waits_and_then_goes_along(client, room):
    assert "You are in." in client.get(f"/class/{room.id}/").content.decode()
    htmx = {"HX-Request": "true"}
    assert client.get(f"/class/{room.id}/", headers=htmx).status_code == 204
    led(room)
    assert client.get(f"/class/{room.id}/", headers=htmx)["HX-Redirect"].startswith(f"{RUN}?t=4.5")


def test_only_its_teacher_ends_a_class(client, room):
    assert client.post(f"/class/{room.id}/end/").status_code == 403
    client.post("/class/")
    own = Classroom.objects.exclude(id=room.id).get()
    assert client.post(f"/class/{own.id}/end/")["Location"] == "/class/"
    assert list(Classroom.objects.all()) == [room]


def test_code_of_a_class_is_a_picture_for_the_wall(client, room):
    answer = client.get(f"/class/{room.id}/qr.svg")
    assert (answer["Content-Type"], answer.content[:5]) == ("image/svg+xml", b"<?xml")
    assert client.get("/class/zzzzzz/qr.svg").status_code == 404


def test_class_page_reads_in_chinese(client, room):
    page = client.get(f"/class/{room.id}/", headers={"Accept-Language": "zh-hant"}).content.decode()
    assert "您已加入" in page


@pytest.fixture
def few_guesses(settings, monkeypatch):
    """Three nonexistent codes may be tried."""
    settings.SIM_CODE_MISSES_MAX = 3
    clock = SimpleNamespace(now_s=0.0)
    monkeypatch.setattr(class_guesses, "MISSES", Allowances(lambda: clock.now_s, burst_s=class_guesses.WINDOW_S))
    monkeypatch.setattr(class_guesses, "JOINED", class_guesses.Joined())
    return clock


GUESSES = ["/class/zzzzzz/", "/class/yyyyyy/", "/class/?code=xxxxxx", "/class/wwwwww/qr.svg", "/class/?code=vvvvvv"]


def test_guessing_codes_is_refused_with_a_time_to_come_back(client, few_guesses):
    answers = [client.get(path) for path in GUESSES]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 429, 429]
    assert answers[-1]["Retry-After"] == "200" and "200 seconds" in answers[-1].content.decode()


def test_existing_code_is_not_revealed_after_too_many_guesses(client, room, few_guesses):
    for path in GUESSES:
        client.get(path)
    assert client.get(f"/class/{room.id}/").status_code == 429
    few_guesses.now_s = 200.0
    assert client.get(f"/class/{room.id}/").status_code == 200


def test_school_behind_one_address_joins_as_often_as_it_likes(client, room, few_guesses):
    assert {client.get(f"/class/{room.id}/").status_code for _ in range(50)} == {200}


def test_class_that_was_joined_before_stays_open_to_its_address(client, room, few_guesses):
    client.get(f"/class/{room.id}/")
    for path in GUESSES:
        client.get(path)
    assert client.get(f"/class/{room.id}/").status_code == 200
    room.delete()
    few_guesses.now_s = class_guesses.WINDOW_S
    assert {client.get(f"/class/{room.id}/").status_code for _ in range(10)} == {404}  # a class that has ended does not count as a guess


def test_class_that_was_opened_after_too_many_guesses_is_open_to_its_address(client, few_guesses):
    for path in GUESSES:
        client.get(path)
    client.post("/class/", {"path": ""})
    assert Client().get(f"/class/{Classroom.objects.get().id}/").status_code == 200


def test_who_leads_a_class_comes_to_it_whatever_was_guessed_at_the_address(client, few_guesses):
    client.post("/class/", {"path": ""})
    room = Classroom.objects.get()
    class_guesses.JOINED._pairs.clear()  # the site was restarted
    for path in GUESSES:
        client.get(path)
    assert (client.get(f"/class/{room.id}/").status_code, Client().get("/class/zzzzzz/").status_code) == (200, 429)


def test_leading_a_class_opens_no_other_to_who_has_guessed_too_much(client, room, few_guesses):
    client.post("/class/", {"path": ""})
    for path in GUESSES:
        client.get(path)
    assert client.get(f"/class/{room.id}/").status_code == 429


def test_what_can_be_no_code_is_not_a_guess(client, few_guesses):
    assert {client.get("/class/", {"code": "nonsense"}).status_code for _ in range(10)} == {404}


def test_another_address_has_its_own_guesses(client, few_guesses):
    for path in GUESSES:
        client.get(path)
    assert client.get("/class/zzzzzz/", REMOTE_ADDR="192.0.2.9").status_code == 404


def test_guesses_may_be_unbounded(client, few_guesses, settings):
    settings.SIM_CODE_MISSES_MAX = 0
    assert {client.get(path).status_code for path in GUESSES} == {404}
