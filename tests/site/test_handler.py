import asyncio
from threading import get_ident

import pytest
from channels.testing import HttpCommunicator
from django.core.signals import request_finished
from django.db import connection
from django.http import HttpResponse
from django.test import override_settings
from django.urls import path

from lifecycle_site.connections import keep_connections
from lifecycle_site.handler import KEPT_THREADS, ThreadedHandler

SEEN = []


class Noted:
    """Middleware that notes its thread."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        SEEN.append(("middleware", get_ident()))
        return self.get_response(request)


def view(request):
    SEEN.append(("view", get_ident()))
    return HttpResponse("seen")


def stored(request):
    was_connected = connection.connection is not None
    connection.ensure_connection()
    return HttpResponse(str(was_connected))


async def later(request):
    await asyncio.sleep(0)
    return HttpResponse("later")


def broken(request):
    raise ValueError("broken")


def failed(request):
    return HttpResponse("failed", status=500)


handler500 = failed
urlpatterns = [path(f"{each.__name__}/", each) for each in (view, stored, later, broken)]


@pytest.fixture
def handler():
    SEEN.clear()
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[f"{__name__}.Noted"], ALLOWED_HOSTS=["*"], DEBUG=False):
        yield ThreadedHandler()


async def ask(handler, what):
    asking = HttpCommunicator(handler, "GET", f"/{what}/")
    answer = await asking.get_response()
    await asking.wait()
    return answer["status"], answer["body"].decode()


async def test_middleware_and_view_share_a_thread_that_is_not_the_loops(handler):
    assert await ask(handler, "view") == (200, "seen")
    threads = {thread for _, thread in SEEN}
    assert len(threads) == 1 and threads.isdisjoint({get_ident()})


async def test_next_request_has_the_same_thread(handler):
    await ask(handler, "view")
    await ask(handler, "view")
    assert len({thread for _, thread in SEEN}) == 1


async def test_requests_at_the_same_time_have_threads_of_their_own(handler):
    await asyncio.gather(ask(handler, "view"), ask(handler, "view"))
    assert len({thread for what, thread in SEEN if what == "view"}) == 2


async def test_few_threads_are_kept_after_a_rush(handler):
    await asyncio.gather(*(ask(handler, "view") for _ in range(KEPT_THREADS + 4)))
    assert len(handler._idle) == KEPT_THREADS


async def test_asynchronous_view_is_answered_too(handler):
    assert await ask(handler, "later") == (200, "later")


async def test_failed_view_gives_its_thread_back(handler, caplog):
    assert await ask(handler, "broken") == (500, "failed")
    assert len(handler._idle) == 1


async def test_end_of_a_request_is_signalled_in_its_thread(handler):
    ended = []

    def note(**_):
        ended.append(get_ident())

    request_finished.connect(note)
    try:
        await ask(handler, "view")
    finally:
        request_finished.disconnect(note)
    assert ended == [SEEN[-1][1]]


async def test_thread_that_could_not_be_started_is_not_used_again(handler, monkeypatch):
    async def starve(*_):
        raise RuntimeError("can't start new thread")

    ended = []
    with monkeypatch.context() as starved:
        starved.setattr(handler, "handle", starve)
        starved.setattr(handler, "_end", ended.append)
        with pytest.raises(RuntimeError, match="new thread"):
            await ask(handler, "view")
    assert len(ended) == 1 and handler._idle == []
    assert await ask(handler, "view") == (200, "seen")


async def test_only_http_is_answered(handler):
    with pytest.raises(ValueError, match="websocket"):
        await handler({"type": "websocket"}, None, None)


@pytest.mark.django_db(transaction=True)
async def test_a_kept_thread_uses_its_connection_again(handler, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", False)
    keep_connections()
    assert [await ask(handler, "stored") for _ in range(2)] == [(200, "False"), (200, "True")]
