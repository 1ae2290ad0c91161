import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers, get_channel_layer
from django.db import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError

from simulator.runs.live import hub
from simulator.runs.live.hub import Hub, Hubs
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log import storage
from simulator.runs.log.db import Together
from simulator.runs.wire import announce, protocol
from tests.factories import make_record, make_run, own

pytestmark = pytest.mark.django_db(transaction=True)


class Socket:
    """A listener that records its notifications."""

    def __init__(self):
        self.told, self.codes = [], []
        self.awake = asyncio.Event()

    def wake(self):
        self.awake.set()

    def notify(self, frame):
        self.told.append(json.loads(frame))

    def beat(self):
        self.told.append("beat")

    def drop(self, code):
        self.codes.append(code)


@pytest.fixture(autouse=True)
def _fresh_layer():
    channel_layers.backends = {}


@pytest.fixture
def run():
    run = make_run()
    records = tuple(make_record(seq, seq) for seq in range(1, 101))
    storage.append(run.id, epoch=own(run), batch=storage.Addition(records=records, head_seq=100, head_ms=100, digest=b""))
    return run


async def joined(run, hubs):
    socket = Socket()
    return await hubs.join(run.id, socket), socket


def count_reads(monkeypatch):
    reads, read = [], Hub._read_frame
    monkeypatch.setattr(Hub, "_read_frame", lambda self, after: reads.append(after) or read(self, after))
    return reads


async def test_sockets_that_stand_at_one_record_share_a_read(run, monkeypatch):
    hubs, reads = Hubs(), count_reads(monkeypatch)
    mine, socket = await joined(run, hubs)
    frames = await asyncio.gather(*(mine.frame_after(0) for _ in range(20)))
    await hubs.leave(mine, socket)
    assert (reads, {to_seq for to_seq, _ in frames}) == ([0], {100})


async def test_announced_frame_is_passed_on_without_a_read(run, monkeypatch):
    hubs, reads = Hubs(), count_reads(monkeypatch)
    mine, socket = await joined(run, hubs)
    await announce.advanced(run.id, from_seq=100, to_seq=101, frame="the text")
    await asyncio.wait_for(socket.awake.wait(), 5)
    assert (await mine.frame_after(100), reads) == ((101, "the text"), [])
    await hubs.leave(mine, socket)


async def test_socket_far_behind_gets_one_large_frame(run, monkeypatch):
    hubs = Hubs()
    mine, socket = await joined(run, hubs)
    for seq in range(10):
        mine._keep(seq, (seq + 1, "small"))
    mine.saw_head(100)
    assert (await mine.frame_after(0))[0] == 100
    await hubs.leave(mine, socket)


async def test_hub_keeps_a_limited_number_of_frames(run):
    mine = Hub(run.id, Together(hub.run_rows))
    for seq in range(hub.FRAMES_MAX + 50):
        mine._keep(seq, (seq + 1, ""))
    assert len(mine._frames) == hub.FRAMES_MAX


async def test_nothing_follows_the_head(run):
    hubs = Hubs()
    mine, socket = await joined(run, hubs)
    assert await mine.frame_after(100) is None
    await hubs.leave(mine, socket)


async def test_heartbeat_feeds_sockets_when_the_broker_is_away(run, monkeypatch):
    async def refused(name):
        raise ConnectionRefusedError

    monkeypatch.setattr(announce, "new_channel", refused)
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.01)
    hubs = Hubs()
    mine, socket = await joined(run, hubs)
    await asyncio.wait_for(socket.awake.wait(), 5)
    assert mine.head == 100
    await hubs.leave(mine, socket)


async def test_hub_that_could_not_join_leaves_the_group_it_half_joined(run, parted):
    hubs = Hubs()
    mine, socket = await joined(run, hubs)
    assert parted == [announce.run_group(run.id)]
    await hubs.leave(mine, socket)


async def test_sockets_are_closed_when_their_run_is_gone(run, monkeypatch):
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.01)
    hubs = Hubs()
    mine, socket = await joined(run, hubs)
    await sync_to_async(run.delete)()
    await asyncio.wait_for(asyncio.shield(mine._tasks[1]), 5)
    await hubs.leave(mine, socket)
    assert socket.codes == [protocol.CLOSE_GONE]


async def test_new_socket_gets_a_new_hub_when_the_old_one_failed(run):
    hubs = Hubs()
    old, first = await joined(run, hubs)
    old._drop(protocol.CLOSE_FAILED)
    new, second = await joined(run, hubs)
    assert new is not old
    await hubs.leave(old, first)
    assert await new.frame_after(0)
    await hubs.leave(new, second)


async def test_heart_goes_on_when_the_database_was_away(run, monkeypatch):
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.01)
    answers, get = iter([OperationalError("restarting")]), hub.run_rows

    def away_once(run_ids):
        for error in answers:
            raise error
        return get(run_ids)

    monkeypatch.setattr(hub, "run_rows", away_once)
    hubs = Hubs()
    mine, socket = await joined(run, hubs)
    while "beat" not in socket.told:
        await asyncio.sleep(0.01)
    assert (mine.is_over, socket.codes) == (False, [])
    await hubs.leave(mine, socket)


async def test_heart_goes_on_when_the_broker_is_away_for_long(run, monkeypatch):
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.01)
    hubs = Hubs()
    mine, socket = await joined(run, hubs)

    async def refuse(group, channel):
        raise RedisConnectionError("refused")

    monkeypatch.setattr(get_channel_layer(), "group_add", refuse)
    while socket.told.count("beat") < 5:
        await asyncio.sleep(0.01)
    assert (mine.is_over, socket.codes) == (False, [])
    await hubs.leave(mine, socket)


def test_every_close_code_is_one_that_may_be_sent():
    codes = [value for name, value in vars(protocol).items() if name.startswith("CLOSE_")]
    assert codes and all(4000 <= code <= 4999 for code in codes)


async def test_hub_ends_with_its_last_socket(run):
    hubs = Hubs()
    mine, first = await joined(run, hubs)
    same, second = await joined(run, hubs)
    await hubs.leave(mine, first)
    assert same is mine and not any(task.done() for task in mine._tasks)
    await hubs.leave(mine, second)
    assert all(task.done() for task in mine._tasks) and not hubs._hubs


async def test_nobody_waits_for_a_hub_that_failed(run, monkeypatch):
    async def fail(self):
        raise ValueError("no such layer")

    monkeypatch.setattr(Hub, "_listen", fail)
    hubs = Hubs()
    hub_, socket = await asyncio.wait_for(joined(run, hubs), 5)
    assert socket.codes == [protocol.CLOSE_FAILED]
    await hubs.leave(hub_, socket)


async def test_run_is_noted_as_watched_once_for_all_that_come_together(run, monkeypatch):
    noted = []
    monkeypatch.setattr(hub, "run_attend", lambda **fields: noted.append(fields))
    mine = Hub(run.id, Together(hub.run_rows))
    await asyncio.gather(*(mine.attend() for _ in range(20)))
    assert len(noted) == 1


async def test_run_is_noted_again_when_the_database_was_away_the_first_time(run, monkeypatch):
    answers = iter([OperationalError("locked")])

    def note(*, run_id):
        for error in answers:
            raise error
        noted.append(run_id)

    noted = []
    monkeypatch.setattr(hub, "run_attend", note)
    mine = Hub(run.id, Together(hub.run_rows))
    with pytest.raises(OperationalError):
        await mine.attend()
    await mine.attend()
    assert noted == [run.id]


@pytest.fixture
def told(monkeypatch):
    """The announced numbers of viewers."""
    numbers = []

    async def counted(run_id, *, process, viewers):
        numbers.append(viewers)

    monkeypatch.setattr(hub.announce, "counted", counted)
    return numbers


async def test_viewers_that_come_together_are_counted_at_once_and_then_once_more(run, told, monkeypatch):
    monkeypatch.setattr(hub, "CALM_S", 0.01)
    mine = Hub(run.id, Together(hub.run_rows))
    for _ in range(20):
        PRESENCE.enter(run.id, "")
        await mine.count()
    await mine._counting
    for _ in range(20):
        PRESENCE.leave(run.id, "")
    assert (told[0], told[-1]) == (1, 20) and len(told) < 5


async def test_last_viewer_is_counted_out_at_once(run, told, monkeypatch):
    monkeypatch.setattr(hub, "CALM_S", 60)
    mine = Hub(run.id, Together(hub.run_rows))
    PRESENCE.enter(run.id, "")
    await mine.count()
    PRESENCE.leave(run.id, "")
    await mine.viewer_left()
    assert told == [1, 0]


async def test_frame_that_was_read_is_kept_for_sockets_that_come_later(run, monkeypatch):
    hubs, reads = Hubs(), count_reads(monkeypatch)
    mine, socket = await joined(run, hubs)
    frames = [await mine.frame_after(after) for after in (0, 0, 100)]
    await hubs.leave(mine, socket)
    assert (frames[0] == frames[1], frames[2], reads, list(mine._frames)) == (True, None, [0, 100], [0])
