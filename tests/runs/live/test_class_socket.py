"""The socket of a class: who leads it, who receives its messages, and what ends it."""

import json
from contextlib import asynccontextmanager

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.core import signing
from django.db import OperationalError

from lifecycle_site.throttle import Allowances
from simulator.models import ClassMember, Classroom
from simulator.runs import permissions
from simulator.runs.live import class_socket, consumers
from simulator.runs.live.presence import PRESENCE
from simulator.runs.live.routing import websocket_application
from simulator.runs.selectors import class_guesses
from simulator.runs.services.class_wall import class_come_back, class_start, copies_of, member_join
from simulator.runs.services.classrooms import classroom_lead, classroom_open
from simulator.runs.turns.constants import PUPILS_APART_MS
from simulator.runs.wire import protocol
from tests.factories import make_run

pytestmark = pytest.mark.django_db(transaction=True)
RUN = "/r/330375d2-6d75-484f-9f65-66ce71c09163/"
TEACHER = f"{permissions.COOKIE}={signing.dumps('anna', salt='podscope.owner')}"


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(consumers, "OPENINGS", Allowances())
    monkeypatch.setattr(class_socket, "LOOK_S", 0.01)
    monkeypatch.setattr(class_guesses, "MISSES", Allowances(burst_s=class_guesses.WINDOW_S))
    monkeypatch.setattr(class_guesses, "JOINED", class_guesses.Joined())


@pytest.fixture
def room():
    return classroom_open(owner_key="anna", address="school", path=RUN)


@asynccontextmanager
async def socket(code, *, cookie=None, origin=b"http://localhost"):
    headers = [(b"host", b"localhost"), (b"origin", origin)]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    communicator = WebsocketCommunicator(websocket_application, f"/ws/class/{code}/", headers=headers)
    communicator.scope["client"] = ("192.0.2.7", 1)
    try:
        yield communicator
    finally:
        await communicator.disconnect()


async def opened(communicator):
    connected, _ = await communicator.connect(timeout=5)
    assert connected
    return await heard(communicator)


async def heard(communicator):
    return json.loads(await communicator.receive_from(timeout=5))


async def closed(communicator):
    """The code with which the server closed; earlier messages are dropped."""
    while True:
        output = await communicator.receive_output(timeout=5)
        if output["type"] == "websocket.close":
            return output["code"]


async def test_socket_says_at_once_where_the_class_is_and_who_leads_it(room):
    async with socket(room.id, cookie=TEACHER) as teacher, socket(room.id) as pupil:
        assert (await opened(teacher))["leads"]
        frame = await opened(pupil)
    assert (frame["type"], frame["path"], frame["is_led"], frame["leads"]) == ("room", RUN, True, False)


async def test_class_hears_at_once_where_its_teacher_goes(room, monkeypatch):
    monkeypatch.setattr(class_socket, "LOOK_S", 60)
    async with socket(room.id, cookie=TEACHER) as teacher, socket(room.id) as pupil:
        await opened(teacher)
        await opened(pupil)
        await teacher.send_to(json.dumps({"path": "/s/abc/", "query": "t=4"}))
        frame = await heard(pupil)
    assert (frame["path"], frame["query"]) == ("/s/abc/", "t=4")


async def test_what_another_process_was_told_comes_by_the_database(room):
    async with socket(room.id) as pupil:
        await opened(pupil)
        await sync_to_async(classroom_lead)(code=room.id, owner_key="anna", calls=True)
        assert (await heard(pupil))["calls"] == 1


async def test_pupil_who_says_where_to_go_is_shown_out_and_moves_nobody(room):
    async with socket(room.id) as pupil:
        await opened(pupil)
        await pupil.send_to(json.dumps({"path": "/s/abc/"}))
        assert await closed(pupil) == protocol.CLOSE_GONE
    assert (await Classroom.objects.aget()).path == RUN


async def test_class_that_ends_ends_its_sockets(room):
    async with socket(room.id) as pupil:
        await opened(pupil)
        await Classroom.objects.all().adelete()
        assert await closed(pupil) == protocol.CLOSE_GONE


async def test_code_that_nobody_has_closes_with_a_reason():
    async with socket("zzzzzz") as pupil:
        await pupil.connect(timeout=5)
        assert await closed(pupil) == protocol.CLOSE_GONE


@pytest.mark.parametrize("said", ["nothing", '{"path": 4}', '{"other": 1}', "x" * (protocol.TEACHER_BYTES_MAX + 1), '{"path": "/admin/"}'])
async def test_nonsense_closes_the_socket(room, said):
    async with socket(room.id, cookie=TEACHER) as teacher:
        await opened(teacher)
        await teacher.send_to(said)
        assert await closed(teacher) == protocol.CLOSE_BAD


async def test_flood_closes_the_socket(room):
    async with socket(room.id) as pupil:
        await opened(pupil)
        for _ in range(2 * protocol.CLIENT_MESSAGES_AT_ONCE):
            await pupil.send_to('{"type": "ping"}')
        assert await closed(pupil) == protocol.CLOSE_FLOOD


async def test_address_moves_its_classes_as_often_as_it_may_post(room, settings, monkeypatch):
    settings.SIM_POSTS_PER_SECOND_MAX = 0.1
    monkeypatch.setattr(class_socket, "MOVES", Allowances(clock_s=lambda: 0.0))
    async with socket(room.id, cookie=TEACHER) as first, socket(room.id, cookie=TEACHER) as second:
        await opened(first)
        await opened(second)
        await first.send_to('{"calls": true}')
        assert (await heard(second))["calls"] == 1
        await second.send_to('{"calls": true}')
        assert await closed(second) == protocol.CLOSE_FLOOD
        await first.send_to('{"type": "ping"}')
        while (await heard(first))["type"] != "pong":
            pass
    assert (await Classroom.objects.aget()).calls == 1


async def test_page_of_another_site_opens_no_socket(room):
    async with socket(room.id, origin=b"https://elsewhere.example") as stranger:
        connected, _ = await stranger.connect(timeout=5)
        assert not connected


async def test_too_many_sockets_of_an_address_are_refused(room, settings):
    settings.SIM_SOCKETS_PER_ADDRESS_MAX = 1
    async with socket(room.id) as first:
        await opened(first)
        async with socket(room.id) as second:
            await second.connect(timeout=5)
            assert await closed(second) == protocol.CLOSE_FULL


async def test_socket_that_has_gone_counts_no_more(room):
    async with socket(room.id) as pupil:
        await opened(pupil)
    assert PRESENCE.from_address("192.0.2.7") == 0
    assert class_socket.CLASSES._sockets == {}


async def test_database_that_is_away_lets_the_page_come_back(room, monkeypatch):
    def away(_code, **_who):
        raise OperationalError("away")

    monkeypatch.setattr(class_socket, "classroom_joined", away)
    async with socket(room.id) as pupil:
        await pupil.connect(timeout=5)
        assert await closed(pupil) == protocol.CLOSE_AWAY


@pytest.mark.parametrize("place", ["admitted", "receive", "_frame"])
async def test_socket_of_a_class_in_which_anything_fails_closes_with_a_code(room, monkeypatch, place):
    def fail(*args, **kwargs):
        raise RecursionError("a mistake")

    monkeypatch.setattr(class_socket.ClassConsumer, place, fail)
    async with socket(room.id) as pupil:
        connected, _ = await pupil.connect(timeout=5)
        assert connected
        await pupil.send_to('{"type": "ping"}')
        assert await closed(pupil) == protocol.CLOSE_FAILED


async def test_classes_are_looked_at_again_after_a_look_that_failed(room, monkeypatch):
    looks = []

    def look(codes):
        looks.append(codes)
        if len(looks) == 1:
            raise ValueError("a mistake")
        return class_socket.Classroom.objects.in_bulk(codes).values()

    monkeypatch.setattr(class_socket, "AWAY_S", 0.01)
    monkeypatch.setattr(class_socket, "classrooms_get", lambda codes: list(look(codes)))
    async with socket(room.id) as pupil:
        await opened(pupil)
        await sync_to_async(classroom_lead)(code=room.id, owner_key="anna", calls=True)
        assert (await heard(pupil))["calls"] == 1


async def test_socket_that_guesses_codes_is_told_to_come_back_later(room, settings):
    settings.SIM_CODE_MISSES_MAX = 2
    codes = []
    for code in ("zzzzzz", "yyyyyy", "xxxxxx", room.id):
        async with socket(code) as pupil:
            await pupil.connect(timeout=5)
            codes.append(await closed(pupil))
    assert codes == [protocol.CLOSE_GONE, protocol.CLOSE_GONE, protocol.CLOSE_GUESSED, protocol.CLOSE_GUESSED]


async def test_teacher_is_let_in_whatever_was_guessed_at_the_address(room, settings):
    settings.SIM_CODE_MISSES_MAX = 1
    async with socket("zzzzzz") as pupil:
        await pupil.connect(timeout=5)
    async with socket(room.id, cookie=TEACHER) as teacher:
        assert (await opened(teacher))["leads"]


PUPIL = f"{permissions.COOKIE}={signing.dumps('bo', salt='podscope.owner')}"


async def test_pupil_is_told_of_the_run_that_a_start_has_made_for_them_and_nobody_else_is(room):
    run = await sync_to_async(make_run)()
    await sync_to_async(member_join)(room=room, owner_key="bo", name="Bo")
    begins = await sync_to_async(copies_of)(run, at_ms=0, is_begun=True)
    async with socket(room.id, cookie=PUPIL) as pupil, socket(room.id) as stranger:
        assert [(await opened(each))["own"] for each in (pupil, stranger)] == [None, None]
        await sync_to_async(class_start)(room=room, run=run, at_ms=0, begins=begins)
        told, other = await heard(pupil), await heard(stranger)
    mine = (await sync_to_async(ClassMember.objects.get)()).run_id
    assert (told["own"], other["own"]) == ({"url": f"/r/{mine}/", "start": 1, "wait_ms": 0}, None)


async def test_pupils_go_to_their_runs_in_the_order_in_which_they_joined(room):
    run = await sync_to_async(make_run)()
    for name in ("bo", "ada"):
        await sync_to_async(member_join)(room=room, owner_key=name, name=name)
    begins = await sync_to_async(copies_of)(run, at_ms=0, is_begun=True)
    ada = f"{permissions.COOKIE}={signing.dumps('ada', salt='podscope.owner')}"
    async with socket(room.id, cookie=PUPIL) as first, socket(room.id, cookie=ada) as second:
        await opened(first)
        await opened(second)
        await sync_to_async(class_start)(room=room, run=run, at_ms=0, begins=begins)
        waits = [(await heard(each))["own"]["wait_ms"] for each in (first, second)]
    assert waits == [0, PUPILS_APART_MS]


async def test_news_are_heard_at_once_and_not_only_with_the_next_look(room, monkeypatch):
    monkeypatch.setattr(class_socket, "LOOK_S", 3600.0)
    async with socket(room.id) as pupil:
        await opened(pupil)
        await class_socket.CLASSES.hears.wait()
        await sync_to_async(class_come_back)(room=room)
        assert (await heard(pupil))["calls"] == 1
