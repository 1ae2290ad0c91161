"""Groups that extend from the web process to the workers that it started."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest

from simulator.runs.wire import switch
from simulator.runs.wire.switch import Link, SwitchLayer, UplinkLayer

MESSAGE = {"type": "run.wake", "run": "one"}


@asynccontextmanager
async def joined():
    """The layers of a web process and of its worker, with the link from the first to the second."""
    ends = socket.socketpair()
    web = SwitchLayer()

    async def up(word, content):
        await web.group_send(*content)

    async def down(word, content):
        await worker.heard(*content)

    links = Link(ends[0], up), Link(ends[1], down)
    worker = UplinkLayer(links[1])
    serving = [asyncio.create_task(link.serve()) for link in links]
    web.attach(links[0], frozenset({"runners"}))
    try:
        yield web, worker, links
    finally:
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


async def ear(layer, group):
    channel = await layer.new_channel()
    await layer.group_add(group, channel)
    return channel


async def heard(layer, channel):
    async with asyncio.timeout(5):
        return await layer.receive(channel)


async def test_what_a_worker_sends_arrives_in_the_web_process():
    async with joined() as (web, worker, _):
        channel = await ear(web, "run.one")
        await worker.group_send("run.one", MESSAGE)
        assert await heard(web, channel) == MESSAGE


async def test_what_is_for_workers_arrives_there_whoever_sent_it():
    async with joined() as (web, worker, _):
        channel = await ear(worker, "runners")
        await web.group_send("runners", MESSAGE)
        await worker.group_send("runners", MESSAGE | {"run": "two"})
        assert [(await heard(worker, channel))["run"], (await heard(worker, channel))["run"]] == ["one", "two"]


async def test_other_groups_stay_in_the_web_process():
    async with joined() as (web, worker, _):
        channel = await ear(worker, "run.one")
        await ear(worker, "runners")
        await web.group_send("run.one", MESSAGE)
        await web.group_send("runners", MESSAGE)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await worker.receive(channel)


async def test_word_that_was_said_before_the_link_stood_is_not_lost():
    ends = socket.socketpair()
    words = asyncio.Queue()

    async def told(word, content):
        await words.put((word, content))

    early, late = Link(ends[0], told), Link(ends[1], told)
    early.send("stop")
    serving = [asyncio.create_task(link.serve()) for link in (early, late)]
    async with asyncio.timeout(5):
        assert await words.get() == ("stop", None)
    for task in serving:
        task.cancel()
    await asyncio.gather(*serving, return_exceptions=True)


async def test_link_ends_when_the_other_end_is_gone():
    ends = socket.socketpair()
    link = Link(ends[0], lambda word, content: asyncio.sleep(0))
    serving = asyncio.create_task(link.serve())
    await asyncio.sleep(0)
    ends[1].close()
    async with asyncio.timeout(5):
        await serving
    link.send("beat")  # nobody is there, and nothing fails


async def test_who_does_not_read_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(switch, "WAITING_BYTES_MAX", 100_000)
    ends = socket.socketpair()
    link = Link(ends[0], lambda word, content: asyncio.sleep(0))
    serving = asyncio.create_task(link.serve())
    await asyncio.sleep(0.01)
    for _ in range(200):
        link.send("group", "x" * 10_000)
    await asyncio.sleep(0.01)
    assert link._writer.transport.get_write_buffer_size() < 120_000
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    ends[1].close()


async def test_messages_are_looked_through_for_old_ones_once_a_second(monkeypatch):
    now_s, layer = [100.0], SwitchLayer(expiry=-1)
    monkeypatch.setattr(switch, "monotonic", lambda: now_s[0])
    channel = await ear(layer, "run.one")
    await layer.group_send("run.one", MESSAGE)
    await layer.group_send("run.two", MESSAGE)
    assert not layer.channels[channel].empty()
    now_s[0] += switch.CLEAN_S
    await layer.group_send("run.two", MESSAGE)
    assert channel not in layer.channels
