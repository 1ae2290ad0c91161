"""Hints to other processes when the broker's machine no longer responds."""

import asyncio
import socket

import pytest

from lifecycle_site.broker import SILENCE, redis_host
from simulator.runs.wire import announce


class Silent:
    """A layer whose broker accepts messages and never answers."""

    def __init__(self) -> None:
        self.asked = 0

    async def group_send(self, group, message):
        self.asked += 1
        await asyncio.Event().wait()

    group_add = group_discard = group_send


@pytest.fixture
def silent(monkeypatch):
    layer = Silent()
    monkeypatch.setattr(announce, "get_channel_layer", lambda: layer)
    monkeypatch.setattr(announce, "SEND_S", 0.01)
    return layer


async def test_hint_is_given_up_where_the_broker_says_nothing(silent, caplog):
    await asyncio.wait_for(announce.send("group", {}), 5)
    assert "Could not announce to group: no answer" in caplog.text


async def test_nobody_waits_for_a_broker_again_that_has_just_said_nothing(silent):
    for _ in range(3):
        await announce.send("group", {})
    assert silent.asked == 1


async def test_broker_is_tried_again_after_a_while(silent, monkeypatch):
    await announce.send("group", {})
    monkeypatch.setattr(announce, "monotonic", lambda: announce._AWAY_UNTIL[silent])
    await announce.send("group", {})
    assert silent.asked == 2


async def test_broker_that_refuses_at_once_is_tried_again_by_the_next_hint(silent, monkeypatch):
    async def refuse(group, message):
        silent.asked += 1
        raise ConnectionRefusedError

    monkeypatch.setattr(silent, "group_send", refuse)
    for _ in range(3):
        await announce.send("group", {})
    assert silent.asked == 3


async def test_channel_that_was_not_made_leaves_nothing_behind(silent):
    silent.channels = {}

    async def new_channel(name):
        silent.channels[f"asgi{name}1"] = asyncio.Queue()
        await asyncio.Event().wait()

    silent.new_channel = new_channel
    with pytest.raises(OSError):
        await announce.new_channel("sim.hub")
    assert silent.channels == {}


async def test_hints_sent_at_once_are_given_up_at_once(silent, caplog):
    await asyncio.wait_for(asyncio.gather(*(announce.send("group", {}) for _ in range(50))), 5)
    assert silent.asked == 50


async def test_group_of_a_silent_broker_is_as_if_it_were_away(silent):
    with pytest.raises(OSError):
        await announce.join("group", "channel")


async def test_whoever_is_told_to_stop_stops_where_the_broker_says_nothing(silent):
    async def listen():
        while True:
            try:
                await asyncio.Event().wait()
            except OSError:
                continue
            finally:
                await announce.part("group", "channel")

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(listening, 5)


def test_connection_to_redis_counts_as_closed_after_some_silence():
    options = redis_host("redis://10.0.0.1:6379/0")["socket_keepalive_options"]
    said = {name: options[getattr(socket, name)] for name in SILENCE if hasattr(socket, name)}
    assert said.get("TCP_USER_TIMEOUT", 0) <= 10_000
    assert max(said.get("TCP_KEEPIDLE", 0), said.get("TCP_KEEPALIVE", 0)) + said["TCP_KEEPINTVL"] * said["TCP_KEEPCNT"] <= 12


def test_redis_at_a_socket_of_this_machine_takes_no_options_of_tcp():
    assert "socket_keepalive" not in redis_host("unix:///run/redis.sock")


@pytest.mark.parametrize(("share", "asked"), [(0.49, 2), (0.5, 1)])
async def test_broker_whose_refusal_took_long_is_spared_for_a_while(silent, monkeypatch, share, asked):
    now_s = [100.0]

    async def refuse(group, message):
        silent.asked += 1
        now_s[0] += 10.0 * share
        raise ConnectionRefusedError

    monkeypatch.setattr(announce, "SEND_S", 10.0)
    monkeypatch.setattr(announce, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(silent, "group_send", refuse)
    for _ in range(2):
        await announce.send("group", {})
    assert silent.asked == asked
