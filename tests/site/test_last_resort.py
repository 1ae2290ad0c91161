"""The fallback pages for a visitor."""

import json

import pytest

from lifecycle_site import last_resort
from lifecycle_site.last_resort import CLOSE_FAILED, LastResort
from simulator.runs.wire import protocol

PAGE = {"type": "http", "path": "/new/", "headers": [(b"accept", b"text/html,*/*")]}
SCRIPT = {"type": "http", "path": "/new/", "headers": [(b"accept", b"application/json")]}
MISTAKE = ValueError("secret words")
SOCKET = {"type": "websocket", "path": "/ws/", "headers": []}


async def sent(scope, *before, error=MISTAKE):
    """The output of an application that sends some messages and then fails."""
    messages = []

    async def send(message):
        messages.append(message)

    async def application(scope, receive, send):
        for message in before:
            await send(message)
        raise error

    await LastResort(application)(scope, None, send)
    return messages


@pytest.mark.parametrize("error", [ValueError("secret words"), RecursionError("secret words"), MemoryError("secret words")])
async def test_failure_outside_of_every_view_is_reported_with_a_message(error):
    start, body = await sent(PAGE, error=error)
    assert start["status"] == 500 and b"Something went wrong on our side" in body["body"]
    assert b"secret" not in body["body"] and dict(start["headers"])[b"Cache-Control"] == b"no-store"


async def test_script_is_told_in_json():
    start, body = await sent(SCRIPT)
    assert start["status"] == 500 and "logged" in json.loads(body["body"])["text"]


async def test_answer_that_has_begun_is_ended():
    begun = {"type": "http.response.start", "status": 200, "headers": []}
    assert await sent(PAGE, begun) == [begun, {"type": "http.response.body", "body": b"", "more_body": False}]


async def test_socket_that_was_not_opened_is_closed_with_a_code():
    assert [message["type"] for message in await sent(SOCKET)] == ["websocket.accept", "websocket.close"]


async def test_socket_that_was_opened_is_closed_with_a_code_that_its_page_knows():
    *_, last = await sent(SOCKET, {"type": "websocket.accept"})
    assert last == {"type": "websocket.close", "code": CLOSE_FAILED} and protocol.CLOSE_FAILED == CLOSE_FAILED


async def test_connection_that_is_gone_raises_nothing():
    async def application(scope, receive, send):
        raise ValueError

    async def send(message):
        raise OSError("gone")

    await LastResort(application)(PAGE, None, send)


def test_catalog_that_fails_leaves_the_words_in_english(monkeypatch):
    def fail(text):
        raise OSError("no catalog")

    monkeypatch.setattr(last_resort, "gettext", fail)
    assert b"Something went wrong" in last_resort.failure(for_script=False).content


@pytest.mark.parametrize(
    ("accept", "is_htmx", "is_script"),
    [
        ("", False, False),
        ("text/html,*/*", False, False),
        ("application/json", False, True),
        ("text/html, application/json", False, False),
        ("*/*", False, False),
        ("text/html", True, True),
    ],
)
def test_script_is_told_from_a_page_by_what_it_accepts(accept, is_htmx, is_script):
    assert last_resort.is_for_script(accept, is_htmx=is_htmx) is is_script
