"""What the owner of a run announces to its viewers."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.log import storage
from simulator.runs.services.runs import run_control
from simulator.runs.wire import announce
from tests.runs.drive.stage import staged

pytestmark = pytest.mark.django_db(transaction=True)


async def heard(run_id, work):
    """The messages that a viewer of the run receives while ``work`` is done."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(announce.run_group(run_id), channel)
    await work
    messages = []
    while True:
        try:
            messages.append(await asyncio.wait_for(layer.receive(channel), 0.05))
        except TimeoutError:
            return messages


async def test_announcement_names_exactly_what_was_written(wall):
    stage = await staged(wall)
    head = stage.actor.head_seq
    messages = await heard(stage.run.id, stage.turn(20_000))
    spans = [(message["from"], message["to"]) for message in messages if message["type"] == "run.advanced"]
    assert spans[0][0] == head and spans[-1][1] == (await stage.row()).head_seq


async def test_nothing_is_announced_before_it_can_be_read(wall, monkeypatch):
    readable = []

    async def note(run_id, *, from_seq, to_seq, frame):
        readable.append(bool(await sync_to_async(storage.read)(run_id, after=to_seq - 1, limit=1)))

    monkeypatch.setattr(announce, "advanced", note)
    await (await staged(wall)).turn(20_000)
    assert readable and all(readable)


async def test_clock_says_which_limit_is_met(wall):
    stage = await staged(wall, limits=RunnerLimits(run_ms_max=10_000, records_max=10**6, pods_max=9))
    messages = await heard(stage.run.id, stage.turn(60_000))
    assert '"state":"limit"' in messages[-1]["frame"] and '"note":"limit_hours","numbers":{"hours":0}' in messages[-1]["frame"]


async def test_clock_is_told_when_somebody_moved_it(wall):
    stage = await staged(wall)
    await stage.ask(run_control, do="pause")
    messages = await heard(stage.run.id, stage.turn())
    assert any('"paused":true' in message.get("frame", "") for message in messages)
