"""The serving side of the fan-out measurement: ``python -m simulator.bench.fanout_server KIND VIEWERS FRAMES_PER_SECOND``."""

import asyncio
import json
import sys
from time import monotonic_ns
from typing import Any
from uuid import UUID

import django

django.setup()

from channels.generic.websocket import AsyncWebsocketConsumer  # noqa: E402
from channels.layers import get_channel_layer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from daphne.server import twisted_loop  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.urls import path  # noqa: E402

from lifecycle_site.server import BoundedServer  # noqa: E402
from simulator.bench.fanout import FLOOD_FRAMES, RECORDS_A_FRAME, STEADY_FRAMES  # noqa: E402
from simulator.engine.course.header import RunHeader  # noqa: E402
from simulator.engine.kernel.records import Record  # noqa: E402
from simulator.runs.drive import lease  # noqa: E402
from simulator.runs.live.presence import PRESENCE  # noqa: E402
from simulator.runs.live.routing import websocket_application  # noqa: E402
from simulator.runs.log import storage  # noqa: E402
from simulator.runs.log.content import Content  # noqa: E402
from simulator.runs.log.db import in_db  # noqa: E402
from simulator.runs.services.runs import run_create  # noqa: E402
from simulator.runs.wire import announce, protocol  # noqa: E402

PLAIN_GROUP = "plain"
WARM_UP_S = 1.0


class PlainConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """The approach of a tutorial: the group message carries the records, and every socket encodes them."""

    count = 0

    async def connect(self) -> None:
        """Join the group and count."""
        await self.channel_layer.group_add(PLAIN_GROUP, self.channel_name)
        await self.accept()
        PlainConsumer.count += 1

    async def plain_records(self, message: dict[str, Any]) -> None:
        """Encode and send."""
        await self.send(text_data=json.dumps({key: value for key, value in message.items() if key != "type"}))


def now_ms() -> int:
    """A clock that all processes of a machine share."""
    return monotonic_ns() // 1_000_000


def make_records(first: int) -> tuple[Record, ...]:
    """A frame's worth of records as runs write them."""
    at_ms = now_ms()
    data = (("reason", "ContainersNotReady"), ("message", "containers with unready status: [app]"))
    return tuple(
        Record(seq, at_ms, "transition", "condition/default/web/Ready", "condition", "True", "sync", "False", seq - 1, "READY", data)
        for seq in range(first, first + RECORDS_A_FRAME)
    )


class FrameSource:
    """Sends frames in one of the two ways."""

    def __init__(self, kind: str, viewers: int, frames_s: int) -> None:
        self.kind, self.viewers, self.frames_s = kind, viewers, frames_s
        self.seq = 0
        self.run_id, self.epoch = self._make_run()

    @staticmethod
    def _make_run() -> tuple[UUID, int]:
        call_command("migrate", verbosity=0, interactive=False)
        run = run_create(content=Content(header=RunHeader(kubernetes="1.30")), title="bench", owner_key="bench", paused=True)
        epoch = lease.acquire(run.id, owner="bench:0:0", lease_ms=600_000)
        assert epoch is not None
        return run.id, epoch

    async def play(self) -> None:
        """Wait for the viewers, then send the steady part, pause, and send the flood."""
        while (PRESENCE.here(self.run_id) if self.kind == "podscope" else PlainConsumer.count) < self.viewers:
            await asyncio.sleep(0.05)
        await asyncio.sleep(WARM_UP_S)
        for _ in range(STEADY_FRAMES):
            began = monotonic_ns()
            await self.send()
            await asyncio.sleep(max(0.0, 1 / self.frames_s - (monotonic_ns() - began) / 1e9))
        await asyncio.sleep(3 * WARM_UP_S)
        for _ in range(FLOOD_FRAMES):
            await self.send()

    async def send(self) -> None:
        """Send one frame to everybody."""
        records, before = make_records(self.seq + 1), self.seq
        self.seq = records[-1].seq
        if self.kind == "plain":
            frame = {"type": "plain.records", "from": before, "to": self.seq, "now_ms": now_ms()}
            plain = [[*(getattr(record, name) for name in record.__struct_fields__)] for record in records]
            await _layer().group_send(PLAIN_GROUP, frame | {"records": plain})
            return
        batch = storage.Addition(records=records, head_seq=self.seq, head_ms=now_ms(), digest=b"")
        await in_db(storage.append, self.run_id, epoch=self.epoch, batch=batch)
        text = protocol.encode(protocol.Records(from_seq=before, to=self.seq, now_ms=batch.head_ms, records=records))
        await announce.advanced(self.run_id, from_seq=before, to_seq=self.seq, frame=text)


def _layer() -> Any:
    return get_channel_layer()


def main() -> None:
    """Serve until killed; the first line on standard output is port and run."""
    kind, viewers, frames_s = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    source = FrameSource(kind, viewers, frames_s)
    plain = URLRouter([path("ws/run/<uuid:run_id>/", PlainConsumer.as_asgi())])
    sockets = websocket_application if kind == "podscope" else plain
    server = BoundedServer(
        application=ProtocolTypeRouter({"http": get_asgi_application(), "websocket": sockets}),
        endpoints=["tcp:port=0:interface=127.0.0.1"],
        ready_callable=lambda: twisted_loop.create_task(source.play()),
        verbosity=0,
    )
    original = server.listen_success

    def listening(port: Any) -> None:
        original(port)
        print(port.getHost().port, source.run_id, flush=True)  # noqa: T201 - the line that the driver waits for

    server.listen_success = listening
    server.run()


if __name__ == "__main__":
    main()
