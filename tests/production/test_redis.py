"""Announcements through a real Redis, between layers and between processes, and while it is down."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers

from simulator.runs.live import hub
from simulator.runs.live.hub import Hubs
from simulator.runs.wire import announce
from tests.factories import make_run

pytestmark = [pytest.mark.redis, pytest.mark.django_db(transaction=True)]
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20
ELSEWHERE = """
import asyncio, os, sys, uuid
os.environ["DJANGO_SETTINGS_MODULE"] = "lifecycle_site.settings"
import django; django.setup()
from simulator.runs.wire import announce
asyncio.run(announce.notified(uuid.UUID(sys.argv[1]), frame='{"said": "elsewhere"}'))
"""


class Socket:
    """A listener that records its notifications."""

    def __init__(self):
        self.told = asyncio.Queue()

    def wake(self):
        pass

    def notify(self, frame):
        self.told.put_nowait(json.loads(frame))

    def beat(self):
        pass

    def drop(self, code):
        raise AssertionError(f"closed with {code}")

    async def hears(self, said):
        """Wait for the content of an announcement; other frames are skipped."""
        while (await asyncio.wait_for(self.told.get(), PATIENCE_S)).get("said") != said:
            pass


@pytest.fixture
def _on_redis(redis_server, settings):
    backend = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [redis_server.url]}}
    settings.CHANNEL_LAYERS = {"default": backend}
    channel_layers.backends = {}
    yield
    channel_layers.backends = {}


@pytest.fixture
def run():
    return make_run()


async def say_until_heard(run, socket, said):
    """Messages sent while the hub is rejoining are lost; so repeat until one is received."""
    hearing = asyncio.ensure_future(socket.hears(said))
    while not hearing.done():
        await announce.notified(run.id, frame=json.dumps({"said": said}))
        await asyncio.wait([hearing], timeout=0.05)
    await hearing


@pytest.mark.usefixtures("_on_redis")
async def test_announcement_of_another_process_reaches_the_sockets_of_this_one(run, redis_server):
    hubs, socket = Hubs(), Socket()
    mine = await hubs.join(run.id, socket)
    environment = {**os.environ, "PODSCOPE_REDIS_URL": redis_server.url}
    command = [sys.executable, "-c", ELSEWHERE, str(run.id)]
    await sync_to_async(subprocess.run)(command, env=environment, cwd=ROOT, check=True, timeout=60)
    await socket.hears("elsewhere")
    await hubs.leave(mine, socket)


@pytest.mark.usefixtures("_on_redis")
async def test_sockets_hear_again_when_redis_has_come_back(run, redis_server, monkeypatch):
    monkeypatch.setattr(hub, "RETRY_S", 0.05)
    hubs, socket = Hubs(), Socket()
    mine = await hubs.join(run.id, socket)
    await say_until_heard(run, socket, "before")
    redis_server.kill()
    await announce.notified(run.id, frame='{"said": "lost"}')  # logs it, and raises nothing
    redis_server.start()
    await say_until_heard(run, socket, "after")
    await hubs.leave(mine, socket)
