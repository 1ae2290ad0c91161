"""The pages of classes."""

import pytest

from simulator.models import Classroom
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
    assert answer.redirect_chain[-1][0] == f"/class/?class={Classroom.objects.get().id}"  # the tab leads it from here on
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
