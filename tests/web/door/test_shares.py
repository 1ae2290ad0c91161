"""Threads in which API requests wait are shared between visitors."""

import asyncio

import pytest

from simulator.runs.turns.slots import Busy
from simulator.web.door.application import AT_ONCE, AT_ONCE_EACH, computed_for
from simulator.web.door.shares import Shares


class Calls:
    """Calls that hold a share until they are told to end."""

    def __init__(self, shares):
        self.shares, self.begun, self.ends, self.tasks = shares, [], {}, {}

    async def begin(self, *names):
        """Begin calls by name; the first letter is the visitor."""
        for name in names:
            self.ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.ensure_future(self._call(name))
        await asyncio.sleep(0)

    async def end(self, name):
        self.ends[name].set()
        await self.tasks[name]
        await asyncio.sleep(0)

    async def _call(self, name):
        async with self.shares.taken(name[0]):
            self.begun.append(name)
            await self.ends[name].wait()
            if name.endswith("!"):
                raise ValueError


async def test_calls_of_one_visitor_wait_in_order_and_those_of_another_do_not():
    calls = Calls(Shares(each=2, waiting_max=9))
    await calls.begin("a1", "a2", "a3", "a4", "b1")
    assert calls.begun == ["a1", "a2", "b1"]
    await calls.end("a2")
    assert calls.begun == ["a1", "a2", "b1", "a3"]


async def test_call_that_fails_gives_its_share_back():
    calls = Calls(Shares(each=1, waiting_max=9))
    await calls.begin("a!", "a2")
    with pytest.raises(ValueError):
        await calls.end("a!")
    await asyncio.sleep(0)
    assert calls.begun == ["a!", "a2"]


async def test_call_that_is_one_too_many_is_refused_and_the_others_go_on():
    calls = Calls(Shares(each=1, waiting_max=1))
    await calls.begin("a1", "a2", "a3", "b1")
    with pytest.raises(Busy):
        await calls.tasks["a3"]
    await calls.end("a1")
    assert calls.begun == ["a1", "b1", "a2"]


async def test_visitor_whose_client_gives_up_while_it_waits_is_forgotten():
    shares = Shares(each=1, waiting_max=9)
    calls = Calls(shares)
    await calls.begin("a1", "a2")
    calls.tasks["a2"].cancel()
    await calls.end("a1")
    assert not shares._calls


async def test_one_visitor_never_has_all_the_threads(monkeypatch):
    assert AT_ONCE_EACH < AT_ONCE
    shares = Shares(each=1, waiting_max=0)
    monkeypatch.setattr("simulator.web.door.application._SHARES", shares)
    async with shares.taken("10.0.0.1"):
        with pytest.raises(Busy):
            await computed_for("10.0.0.1", len, "four")
        assert await computed_for("10.0.0.2", len, "four") == 4
