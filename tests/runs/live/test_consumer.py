import asyncio
import json
from contextlib import asynccontextmanager

import msgspec
import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.core import signing
from django.db import OperationalError
from django.utils import timezone

from lifecycle_site.throttle import Allowances
from simulator.models import RecordChunk, Run
from simulator.runs import permissions
from simulator.runs.live import consumers, hub
from simulator.runs.live.presence import PRESENCE
from simulator.runs.live.routing import websocket_application
from simulator.runs.log import storage
from simulator.runs.turns.constants import BURST_S
from simulator.runs.wire import announce, protocol
from tests.factories import OWNER, make_record, make_run, own
from tests.runs.log.kept import records_of, revision_2

# Channels closes database connections before every message, so each of these needs a database that other threads may use.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh_layer(monkeypatch):
    channel_layers.backends = {}
    monkeypatch.setattr(consumers, "OPENINGS", Allowances())


@pytest.fixture
def run():
    run = make_run()
    run.tests_epoch = own(run)
    return run


def append(run, *records):
    head = Run.objects.get(id=run.id).head_seq
    batch = storage.Addition(records=records, head_seq=head + len(records), head_ms=records[-1].at_ms, digest=b"")
    storage.append(run.id, epoch=run.tests_epoch, batch=batch)


async def add(run, first, last, *, frame=False, tell=True, **fields):
    records = [make_record(seq, seq * 10, **fields) for seq in range(first, last + 1)]
    await sync_to_async(append)(run, *records)
    text = protocol.encode(protocol.Records(from_seq=first - 1, to=last, now_ms=0, records=tuple(records))) if frame else ""
    if tell:
        await announce.advanced(run.id, from_seq=first - 1, to_seq=last, frame=text)


@asynccontextmanager
async def socket(run_id, since=0, *, origin=b"http://localhost", cookie=None, client=None):
    headers = [(b"host", b"localhost"), (b"origin", origin)]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    communicator = WebsocketCommunicator(websocket_application, f"/ws/run/{run_id}/?since={since}", headers=headers)
    communicator.scope["client"] = client
    try:
        yield communicator
    finally:
        await communicator.disconnect()


async def receive(communicator, kind, timeout=5):
    """The next frame of that type; others are dropped."""
    while True:
        frame = json.loads(await communicator.receive_from(timeout=timeout))
        if frame["type"] == kind:
            return frame


async def opened(communicator):
    connected, _ = await communicator.connect(timeout=5)
    assert connected
    return await receive(communicator, "hello")


def held(frame):
    return frame["from"], [record[0] for record in frame["records"]], frame["to"]


async def test_hello_has_the_head_and_the_role(run):
    await add(run, 1, 3)
    async with socket(run.id) as client:
        hello = await opened(client)
    assert (hello["protocol"], hello["head_seq"], hello["role"], hello["run"]) == (1, 3, "viewer", str(run.id))


async def test_hello_calls_the_holder_of_the_key_owner(run):
    cookie = f"{permissions.COOKIE}={signing.dumps(OWNER, salt='podscope.owner')}"
    async with socket(run.id, cookie=cookie) as client:
        assert (await opened(client))["role"] == "owner"


async def test_socket_sends_everything_when_the_client_has_nothing(run):
    await add(run, 1, 3)
    async with socket(run.id) as client:
        await opened(client)
        assert held(await receive(client, "records")) == (0, [1, 2, 3], 3)


async def test_socket_goes_on_where_the_client_stopped(run):
    await add(run, 1, 5)
    async with socket(run.id, since=3) as client:
        await opened(client)
        assert held(await receive(client, "records")) == (3, [4, 5], 5)


async def test_socket_passes_on_what_is_announced(run):
    async with socket(run.id) as client:
        await opened(client)
        await add(run, 1, 2, frame=True)
        assert held(await receive(client, "records")) == (0, [1, 2], 2)


async def test_socket_reads_the_log_when_an_announcement_was_lost(run):
    async with socket(run.id) as client:
        await opened(client)
        await add(run, 1, 2, tell=False)
        await add(run, 3, 4, frame=True)
        assert held(await receive(client, "records")) == (0, [1, 2, 3, 4], 4)


async def test_socket_heals_at_its_heartbeat_when_every_announcement_was_lost(run, monkeypatch):
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.05)
    async with socket(run.id) as client:
        await opened(client)
        await add(run, 1, 2, tell=False)
        assert held(await receive(client, "records")) == (0, [1, 2], 2)


async def hears_no_records(client):
    """Nothing arrives except heartbeats."""
    while not await client.receive_nothing(timeout=0.2):
        assert json.loads(await client.receive_from())["type"] != "records"


async def fill_window(client, run):
    for seq in range(1, protocol.FRAMES_IN_FLIGHT_MAX + 1):
        await add(run, seq, seq)
        await receive(client, "records")


LAST = protocol.FRAMES_IN_FLIGHT_MAX


async def test_socket_waits_when_too_many_frames_are_not_acknowledged(run):
    async with socket(run.id) as client:
        await opened(client)
        await fill_window(client, run)
        await add(run, LAST + 1, LAST + 1)
        await hears_no_records(client)


async def test_socket_waits_when_too_many_bytes_are_not_acknowledged(run, monkeypatch):
    monkeypatch.setattr(protocol, "BYTES_IN_FLIGHT_MAX", 1)
    async with socket(run.id) as client:
        await opened(client)
        await add(run, 1, 1)
        await receive(client, "records")
        await add(run, 2, 2)
        await hears_no_records(client)
        await client.send_to(text_data=json.dumps({"ack": 1}))
        assert (await receive(client, "records"))["to"] == 2


async def test_socket_goes_on_without_a_gap_when_frames_are_acknowledged(run):
    async with socket(run.id) as client:
        await opened(client)
        await fill_window(client, run)
        await add(run, LAST + 1, LAST + 5)
        await client.send_to(text_data=json.dumps({"ack": LAST}))
        assert held(await receive(client, "records")) == (LAST, list(range(LAST + 1, LAST + 6)), LAST + 5)


async def test_frames_stay_small_when_the_log_is_long(run):
    await add(run, 1, 900, data=(("message", "x" * 200),))
    async with socket(run.id) as client:
        await opened(client)
        frames = [await receive(client, "records") for _ in range(4)]
    assert max(len(json.dumps(frame, separators=(",", ":"))) for frame in frames) <= protocol.FRAME_BYTES_MAX
    assert [frame["from"] for frame in frames[1:]] == [frame["to"] for frame in frames[:-1]]


async def test_reconnecting_clients_have_every_record_once(run):
    got = []
    for first in range(1, 40, 3):
        await add(run, first, first + 2)
        async with socket(run.id, since=got[-1] if got else 0) as client:
            await opened(client)
            got += held(await receive(client, "records"))[1]
    assert got == list(range(1, 40))


async def closing_code(client):
    while True:
        output = await client.receive_output(timeout=5)
        if output["type"] == "websocket.close":
            return output["code"]


async def test_socket_closes_when_there_is_no_such_run():
    async with socket("00000000-0000-4000-8000-000000000000") as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_GONE


@pytest.mark.parametrize("text", ["no json", "[]", '{"ack": "x"}', '{"unknown": 1}', '{"type": "' + "x" * 2000 + '"}'])
async def test_socket_closes_when_the_client_says_nonsense(run, text):
    async with socket(run.id) as client:
        await opened(client)
        await client.send_to(text_data=text)
        assert await closing_code(client) == protocol.CLOSE_BAD


async def test_socket_closes_when_the_client_does_not_read(run, monkeypatch):
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(consumers, "ACK_S", 0.0)
    async with socket(run.id) as client:
        await opened(client)
        await add(run, 1, 1)
        assert await closing_code(client) == protocol.CLOSE_SLOW


async def test_socket_is_refused_when_one_address_has_too_many(run, monkeypatch):
    monkeypatch.setattr(settings, "SIM_SOCKETS_PER_ADDRESS_MAX", 1)
    async with socket(run.id) as first, socket(run.id) as second:
        await opened(first)
        await second.connect(timeout=5)
        assert await closing_code(second) == protocol.CLOSE_FULL


@pytest.mark.parametrize(("most", "is_made_to_wait"), [(1, True), (0, False)])
async def test_refusal_takes_its_time_while_not_too_many_wait(run, monkeypatch, most, is_made_to_wait):
    monkeypatch.setattr(settings, "SIM_SOCKETS_PER_ADDRESS_MAX", 1)
    monkeypatch.setattr(consumers, "REFUSALS_MAX", most)
    monkeypatch.setattr(consumers, "REFUSAL_S", waits := object())
    slept, go_on = [], asyncio.Event()

    async def sleep(seconds):
        slept.append(seconds)
        await go_on.wait()

    async with socket(run.id) as first, socket(run.id) as second:
        await opened(first)
        monkeypatch.setattr(consumers, "sleep", sleep)
        await second.send_input({"type": "websocket.connect"})
        assert await second.receive_nothing() is is_made_to_wait
        go_on.set()
        assert (await second.receive_output())["type"] == "websocket.accept"
        assert slept == [waits] * is_made_to_wait
        assert consumers.Socket.refusals == 0


@pytest.mark.parametrize("origin", [b"https://evil.example", b"null"])
async def test_handshake_is_refused_when_it_comes_from_another_site(run, origin):
    async with socket(run.id, origin=origin) as client:
        connected, _ = await client.connect(timeout=5)
        assert not connected


async def test_ping_is_answered(run):
    async with socket(run.id) as client:
        await opened(client)
        await client.send_to(text_data='{"type": "ping"}')
        assert await receive(client, "pong")


async def test_page_that_nobody_looks_at_does_not_count_as_watching(run):
    async with socket(run.id) as client:
        await opened(client)
        await client.send_json_to({"type": "away"})
        await client.send_json_to({"type": "ping"})
        await receive(client, "pong")
        assert PRESENCE.here(run.id) == 0
        seen_at = await seen(run)
        assert (timezone.now() - seen_at).total_seconds() > settings.SIM_UNWATCHED_RELEASE_S / 2
        await client.send_json_to({"type": "back"})
        await client.send_json_to({"type": "ping"})
        await receive(client, "pong")
        assert PRESENCE.here(run.id) == 1
        assert await seen(run) > seen_at
    assert PRESENCE.here(run.id) == 0


async def seen(run):
    return (await Run.objects.aget(id=run.id)).viewers_seen_at


async def test_viewers_hear_of_each_other(run):
    async with socket(run.id) as first, socket(run.id) as second:
        await opened(first)
        await receive(first, "presence")
        await opened(second)
        assert (await receive(first, "presence"))["viewers"] == 2


async def test_presence_forgets_sockets_that_closed(run):
    async with socket(run.id) as client:
        await opened(client)
    assert PRESENCE.here(run.id) == 0


async def test_socket_closes_with_a_code_that_can_be_sent_when_it_fails(run, monkeypatch):
    async def fail(self, after):
        raise ValueError("unreadable chunk")

    monkeypatch.setattr(hub.Hub, "frame_after", fail)
    await add(run, 1, 1, tell=False)
    async with socket(run.id) as client:
        await opened(client)
        assert await closing_code(client) == protocol.CLOSE_FAILED


@pytest.mark.parametrize("place", ["admitted", "receive", "_acknowledge", "notify"])
async def test_socket_in_which_anything_fails_closes_with_a_code(run, monkeypatch, place):
    def fail(*args, **kwargs):
        raise RecursionError("a mistake")

    monkeypatch.setattr(consumers.RunConsumer, place, fail)
    async with socket(run.id) as client:
        connected, _ = await client.connect(timeout=5)
        assert connected
        await client.send_to('{"type": "ping"}')
        assert await closing_code(client) == protocol.CLOSE_FAILED


async def test_socket_that_fails_while_it_closes_leaves_nothing_behind(run, monkeypatch):
    async def fail(self, code):
        raise ValueError("a mistake")

    async with socket(run.id) as client:
        await opened(client)
        monkeypatch.setattr(consumers.RunConsumer, "disconnect", fail)
    assert (PRESENCE.here(run.id), run.id in hub.HUBS._hubs) == (0, False)


@pytest.mark.parametrize(
    "origin", [b"http://[", b"http://localhost:99999", b"http://localhost:x", b"\xff\xfe", b"http://[::1", b"null", b""]
)
async def test_origin_that_is_none_is_refused_in_order(run, origin):
    async with socket(run.id, origin=origin) as client:
        connected, _ = await client.connect(timeout=5)
    assert not connected


async def test_socket_leaves_nothing_behind_when_it_fails_to_open(run, monkeypatch):
    async def fail(self, *args):
        raise ValueError("a mistake")

    monkeypatch.setattr(consumers.RunConsumer, "_hello", fail)
    async with socket(run.id) as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_FAILED
    assert (PRESENCE.here(run.id), PRESENCE.from_address(""), run.id in hub.HUBS._hubs) == (0, 0, False)


async def test_socket_whose_leaving_is_broken_off_leaves_its_hub_all_the_same(run, monkeypatch):
    begun = asyncio.Event()

    async def viewer_left(self):
        begun.set()
        await asyncio.Event().wait()

    consumer = consumers.RunConsumer()
    consumer.hub = mine = await hub.HUBS.join(run.id, consumer)
    monkeypatch.setattr(hub.Hub, "viewer_left", viewer_left)
    leaving = asyncio.create_task(consumer._leave())
    await begun.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert consumer not in mine.listeners
    assert run.id not in hub.HUBS._hubs


async def test_socket_closes_when_its_run_goes_while_it_opens(run, monkeypatch):
    answers = iter([run])

    async def row(run_id):
        return next(answers, None)

    monkeypatch.setattr(consumers.HUBS, "row", row)
    async with socket(run.id) as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_GONE


async def test_watching_keeps_the_run_wanted(run):
    await sync_to_async(Run.objects.filter(id=run.id).update)(viewers_seen_at=None)
    async with socket(run.id) as client:
        await opened(client)
    assert (await sync_to_async(Run.objects.get)(id=run.id)).viewers_seen_at is not None


async def test_clock_frames_are_passed_on(run):
    async with socket(run.id) as client:
        await opened(client)
        clock = protocol.Clock(now_ms=7, rate=1000, paused=True, state="paused", wall_ms=1)
        await announce.notified(run.id, frame=protocol.encode(clock))
        assert (await receive(client, "clock"))["now_ms"] == 7


async def test_slow_and_fast_clients_both_get_everything(run):
    async def read_all(since, turns):
        got = []
        async with socket(run.id, since=since) as client:
            await opened(client)
            while not got or got[-1] < 60:
                frame = await receive(client, "records")
                assert frame["from"] == (got[-1] if got else since)
                got += held(frame)[1]
                for _ in range(turns):
                    await asyncio.sleep(0)
                await client.send_to(text_data=json.dumps({"ack": got[-1]}))
        return got

    readers = [asyncio.create_task(read_all(0, 0)), asyncio.create_task(read_all(0, 500))]
    for seq in range(1, 61):
        await add(run, seq, seq, frame=seq % 3 > 0, tell=seq % 4 > 0 or seq == 60)
    assert await asyncio.gather(*readers) == [list(range(1, 61))] * 2


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(consumers, "monotonic", clock)
    return clock


async def ping(client, count):
    for _ in range(count):
        await client.send_to(text_data='{"type": "ping"}')


async def test_socket_closes_when_the_client_floods_it(run, clock):
    async with socket(run.id) as client:
        await opened(client)
        await ping(client, protocol.CLIENT_MESSAGES_AT_ONCE + 1)
        assert await closing_code(client) == protocol.CLOSE_FLOOD


async def test_flood_costs_nothing_more_once_the_socket_closes(run, clock, monkeypatch):
    read, decode = [], protocol.decode_client
    monkeypatch.setattr(protocol, "decode_client", lambda text: read.append(text) or decode(text))
    async with socket(run.id) as client:
        await opened(client)
        await ping(client, protocol.CLIENT_MESSAGES_AT_ONCE + 500)
        await closing_code(client)
        await client.receive_nothing(timeout=0.1)
    assert len(read) == protocol.CLIENT_MESSAGES_AT_ONCE + 1


async def test_client_may_go_on_for_ever_at_a_fair_pace(run, clock):
    async with socket(run.id) as client:
        await opened(client)
        for _ in range(5):
            await ping(client, protocol.CLIENT_MESSAGES_AT_ONCE)
            assert await receive(client, "pong")
            clock.now_s += protocol.CLIENT_MESSAGES_AT_ONCE / protocol.CLIENT_MESSAGES_PER_SECOND


async def test_acknowledging_what_was_sent_is_never_too_much(run, clock):
    async with socket(run.id) as client:
        await opened(client)
        for seq in range(1, 3 * protocol.CLIENT_MESSAGES_AT_ONCE):
            await add(run, seq, seq)
            await receive(client, "records")
            await client.send_to(text_data=json.dumps({"ack": seq}))


async def test_acknowledging_nothing_again_and_again_is_too_much(run, clock):
    async with socket(run.id) as client:
        await opened(client)
        for _ in range(protocol.CLIENT_MESSAGES_AT_ONCE + 1):
            await client.send_to(text_data='{"ack": 0}')
        assert await closing_code(client) == protocol.CLOSE_FLOOD


async def test_opening_again_and_again_is_too_much(run, clock, monkeypatch):
    monkeypatch.setattr(consumers, "BRIEF_S", 0.0)
    monkeypatch.setattr(settings, "SIM_SOCKETS_PER_ADDRESS_MAX", BURST_S)
    monkeypatch.setattr(consumers, "OPENINGS", Allowances(clock))
    for _ in range(BURST_S):
        async with socket(run.id) as client:
            await opened(client)
    async with socket(run.id) as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_FULL


async def test_whoever_opens_sockets_for_nothing_may_open_fewer(run, clock, monkeypatch):
    monkeypatch.setattr(consumers, "BRIEF_S", 60.0)
    monkeypatch.setattr(settings, "SIM_SOCKETS_PER_ADDRESS_MAX", 2 * consumers.FLOOD_OPENINGS + 2)
    monkeypatch.setattr(consumers, "OPENINGS", Allowances(clock))
    for _ in range(2):
        async with socket(run.id) as client:
            await opened(client)
    async with socket(run.id) as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_FULL


async def test_whoever_floods_sockets_may_open_fewer(run, clock, monkeypatch):
    monkeypatch.setattr(settings, "SIM_SOCKETS_PER_ADDRESS_MAX", 2 * consumers.FLOOD_OPENINGS + 2)
    monkeypatch.setattr(consumers, "OPENINGS", Allowances(clock))
    for _ in range(2):
        async with socket(run.id) as client:
            await opened(client)
            await ping(client, protocol.CLIENT_MESSAGES_AT_ONCE + 1)
            await closing_code(client)
    async with socket(run.id) as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_FULL


async def test_addresses_of_one_network_share_their_sockets(run, monkeypatch):
    monkeypatch.setattr(settings, "SIM_SOCKETS_PER_ADDRESS_MAX", 1)
    monkeypatch.setattr(consumers, "OPENINGS", Allowances(lambda: 0.0))
    monkeypatch.setattr(consumers, "BURST_S", 1 / BURST_S)  # the limit of openings is not reached
    async with socket(run.id, client=("2001:db8::1", 1)) as first:
        await opened(first)
        async with socket(run.id, client=("2001:db8::2", 1)) as second:
            await second.connect(timeout=5)
            assert await closing_code(second) == protocol.CLOSE_FULL
        async with socket(run.id, client=("2001:db8:0:1::1", 1)) as stranger:
            await opened(stranger)


@pytest.mark.parametrize("path", ["/ws/", "/ws/nothing/", "/ws/run/not-an-id/", "/ws/run/"])
async def test_unknown_address_is_refused_without_an_error(path):
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    client = WebsocketCommunicator(websocket_application, path, headers=headers)
    connected, _ = await client.connect(timeout=5)
    assert not connected


async def test_socket_asks_to_come_back_when_the_database_is_away(run, monkeypatch):
    async def away(run_id):
        raise OperationalError("could not connect")

    monkeypatch.setattr(consumers.HUBS, "row", away)
    async with socket(run.id) as client:
        await client.connect(timeout=5)
        assert await closing_code(client) == protocol.CLOSE_AWAY
    assert (PRESENCE.here(run.id), PRESENCE.from_address("")) == (0, 0)


async def test_socket_asks_to_come_back_when_the_log_cannot_be_read_just_now(run, monkeypatch):
    def away(self, after):
        raise OperationalError("database is locked")

    await add(run, 1, 1, tell=False)
    monkeypatch.setattr(hub.Hub, "_read_frame", away)
    async with socket(run.id) as client:
        await opened(client)
        assert await closing_code(client) == protocol.CLOSE_AWAY


async def test_socket_reads_on_when_the_database_is_full(run, monkeypatch):
    def full(*, run_id):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(hub, "run_attend", full)
    await add(run, 1, 2, tell=False)
    async with socket(run.id) as client:
        await opened(client)
        assert held(await receive(client, "records")) == (0, [1, 2], 2)


@pytest.fixture
def no_broker(monkeypatch):
    layer = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": ["redis://127.0.0.1:1/0"]}}
    monkeypatch.setattr(channel_layers, "backends", {})
    monkeypatch.setitem(channel_layers.configs, "default", layer)


async def test_socket_opens_and_lives_from_the_log_while_the_broker_is_away(run, no_broker, monkeypatch):
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.05)
    async with socket(run.id) as client:
        await opened(client)
        await add(run, 1, 2)
        assert held(await receive(client, "records")) == (0, [1, 2], 2)


async def test_unknown_address_is_refused_while_the_broker_is_away(no_broker):
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    client = WebsocketCommunicator(websocket_application, "/ws/nothing/", headers=headers)
    connected, _ = await client.connect(timeout=5)
    assert not connected


async def test_socket_says_that_a_lost_part_of_the_log_cannot_be_recreated(run):
    await add(run, 1, 3, tell=False)
    await sync_to_async(RecordChunk.objects.filter(run=run).delete)()
    async with socket(run.id) as client:
        await opened(client)
        assert await closing_code(client) == protocol.CLOSE_UNREADABLE


async def test_socket_serves_the_records_of_another_revision():
    run = await sync_to_async(revision_2)()
    async with socket(run.id) as communicator:
        hello = await opened(communicator)
        records = []
        while len(records) < hello["head_seq"]:
            frame = await receive(communicator, "records")
            records += frame["records"]
            await communicator.send_to(json.dumps({"ack": frame["to"]}))
    stored = await sync_to_async(records_of)(run)
    assert records == json.loads(msgspec.json.encode(stored)) and len(records) == 307


async def test_socket_says_that_lost_records_of_another_revision_cannot_be_read():
    run = await sync_to_async(revision_2)()
    await sync_to_async(RecordChunk.objects.filter(run=run, first_seq=31).delete)()
    async with socket(run.id, since=30) as client:
        await opened(client)
        assert await closing_code(client) == protocol.CLOSE_UNREADABLE
