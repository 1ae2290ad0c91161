import asyncio

import pytest

from lifecycle_site.turns import InTurn


class Recorder:
    """An application that notes who begins, and ends a request when it is told to."""

    def __init__(self):
        self.begun, self.ends = [], {}

    async def __call__(self, scope, receive, send):
        self.begun.append(scope["path"])
        await self.ends.setdefault(scope["path"], asyncio.Event()).wait()
        if scope["path"] == "bad":
            raise ValueError

    def end(self, path):
        self.ends[path].set()


async def begin(application, *paths):
    tasks = {path: asyncio.ensure_future(application({"type": "http", "path": path}, None, None)) for path in paths}
    await asyncio.sleep(0)
    return tasks


async def test_requests_beyond_the_bound_wait_in_the_order_they_came():
    recorder = Recorder()
    tasks = await begin(InTurn(recorder, at_once=2), "a", "b", "c", "d")
    assert recorder.begun == ["a", "b"]
    recorder.end("b")
    await tasks["b"]
    await asyncio.sleep(0)
    assert recorder.begun == ["a", "b", "c"]


async def test_request_that_fails_gives_its_turn_back():
    recorder = Recorder()
    tasks = await begin(InTurn(recorder, at_once=1), "bad", "next")
    recorder.end("bad")
    with pytest.raises(ValueError):
        await tasks["bad"]
    await asyncio.sleep(0)
    assert recorder.begun == ["bad", "next"]


async def test_request_that_is_given_up_while_it_waits_is_never_begun():
    recorder = Recorder()
    tasks = await begin(InTurn(recorder, at_once=1), "a", "gone", "next")
    tasks["gone"].cancel()
    recorder.end("a")
    await tasks["a"]
    await asyncio.sleep(0)
    assert recorder.begun == ["a", "next"]
