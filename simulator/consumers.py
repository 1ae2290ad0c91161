"""One socket that watches one run: it resumes after the seq the client holds, and never runs ahead of the client.

Handlers only note what they heard and wake the pump; the pump alone sends records, so order is kept. A hint may be lost: a
heartbeat compares with the log every few seconds. At most four frames are unacknowledged, whatever the line does.
"""

import asyncio
import contextlib
import logging
from collections import deque
from time import monotonic
from typing import Any
from uuid import UUID

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from simulator import announce, protocol
from simulator.db import in_db
from simulator.engine.units import Seq
from simulator.models import Run
from simulator.permissions import key_from_headers, role_of
from simulator.presence import PRESENCE, PROCESS
from simulator.selectors.records import records_frame
from simulator.selectors.runs import run_clock, run_get
from simulator.services.runs import run_attend

HEARTBEAT_S = 5.0
ATTEND_S = 15.0
ACK_S = 30.0
"""A client that has not acknowledged a frame for so long is not reading."""

log = logging.getLogger(__name__)


class RunConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """``ws/run/<run>/?since=<seq>``: hello, then records after ``since`` for ever."""

    run_id: UUID
    address: str
    sent: Seq
    head: Seq
    hint: tuple[Seq, Seq, str] | None
    in_flight: deque[tuple[Seq, float]]
    shown: str
    attended: float

    async def connect(self) -> None:
        """Join the group first and read the head after, so that nothing falls between."""
        self.run_id = self.scope["url_route"]["kwargs"]["run_id"]
        self.address = str((self.scope.get("client") or ("unknown",))[0])
        self.tasks: list[asyncio.Task[None]] = []
        self.is_counted = False
        run = await in_db(run_get, self.run_id)
        if run is None:
            await self._refuse(protocol.CLOSE_GONE)
        elif PRESENCE.from_address(self.address) >= settings.SIM_SOCKETS_PER_ADDRESS_MAX:
            await self._refuse(protocol.CLOSE_FULL)
        else:
            await self._open(run)

    async def _refuse(self, code: int) -> None:
        await self.accept()  # a close code reaches a page only through an open socket
        await self.close(code)

    async def _open(self, run: Run) -> None:
        self.sent = min(self._since(), run.head_seq)
        self.head, self.hint, self.in_flight, self.shown = run.head_seq, None, deque(), ""
        self.awake = asyncio.Event()
        PRESENCE.enter(self.run_id, self.address)
        self.is_counted = True
        await self._join()
        await self.accept()
        await self._attend()
        await self._hello()
        await announce.counted(self.run_id, process=PROCESS, viewers=PRESENCE.here(self.run_id))
        self.tasks = [asyncio.create_task(self._guard(self._pump())), asyncio.create_task(self._guard(self._heart()))]

    async def _hello(self) -> None:
        run = await in_db(run_get, self.run_id)
        assert run is not None, "runs are never deleted while they are watched"
        self.head = run.head_seq
        self.awake.set()
        hello = protocol.Hello(
            run=str(run.id),
            title=run.title,
            head_seq=run.head_seq,
            head_ms=run.head_ms,
            role=role_of(run, key_from_headers(self.scope["headers"])),
            viewers=PRESENCE.viewers(self.run_id),
            clock=run_clock(run),
        )
        await self.send(text_data=protocol.encode(hello))

    async def disconnect(self, code: int) -> None:
        """Stop the tasks and leave."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.is_counted:
            PRESENCE.leave(self.run_id, self.address)
            await self.channel_layer.group_discard(announce.run_group(self.run_id), self.channel_name)
            await announce.counted(self.run_id, process=PROCESS, viewers=PRESENCE.here(self.run_id))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """An acknowledgement opens the window; a ping is answered; anything else closes the socket."""
        try:
            if text_data is None or len(text_data) > protocol.CLIENT_BYTES_MAX:
                raise msgspec.ValidationError("no message of this protocol")
            message = protocol.decode_client(text_data)
        except msgspec.MsgspecError:
            await self.close(protocol.CLOSE_BAD)
            return
        if message.type == "ping":
            await self.send(text_data=protocol.encode(protocol.Pong()))
        if message.ack is not None and hasattr(self, "in_flight"):
            while self.in_flight and self.in_flight[0][0] <= message.ack:
                self.in_flight.popleft()
            self.awake.set()

    # ---- what the group says -------------------------------------------------------------------------------------
    async def run_advanced(self, message: dict[str, Any]) -> None:
        """The log has grown. The message's frame spares a read where it follows directly on what was sent."""
        self.head = max(self.head, message["to"])
        if message["frame"]:
            self.hint = (message["from"], message["to"], message["frame"])
        self.awake.set()

    async def run_told(self, message: dict[str, Any]) -> None:
        """A clock or notice frame: passed on as it is."""
        await self.send(text_data=message["frame"])

    async def run_counted(self, message: dict[str, Any]) -> None:
        """A process says how many sockets it has."""
        PRESENCE.heard(self.run_id, message["process"], message["viewers"])
        await self._show(protocol.Presence(viewers=PRESENCE.viewers(self.run_id)))

    # ---- the pump ------------------------------------------------------------------------------------------------
    async def _pump(self) -> None:
        while True:
            await self.awake.wait()
            self.awake.clear()
            while self.sent < self.head and len(self.in_flight) < protocol.FRAMES_IN_FLIGHT_MAX:
                if not await self._send_next():
                    break

    async def _send_next(self) -> bool:
        """Send one frame of records; False where the log has nothing after all."""
        hint, self.hint = self.hint, None
        if hint is not None and hint[0] == self.sent:
            to_seq, text = hint[1], hint[2]
        else:
            frame = await in_db(self._read)
            if frame is None or not frame.records:
                return False
            to_seq, text = frame.to, protocol.encode(frame)
        self.sent = to_seq
        self.in_flight.append((to_seq, monotonic()))
        await self.send(text_data=text)
        return True

    def _read(self) -> protocol.Records | None:
        run = run_get(self.run_id)
        return None if run is None else records_frame(run, after=self.sent)

    # ---- the heartbeat -------------------------------------------------------------------------------------------
    async def _heart(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            await self._beat()

    async def _beat(self) -> None:
        """Heal what hints have missed, keep the run attended, and let go of a client that does not read."""
        if self.in_flight and monotonic() - self.in_flight[0][1] > ACK_S:
            await self.close(protocol.CLOSE_SLOW)
            return
        await self._join()
        run = await in_db(run_get, self.run_id)
        if run is None:
            await self.close(protocol.CLOSE_GONE)
            return
        self.head = max(self.head, run.head_seq)
        self.awake.set()
        if monotonic() - self.attended > ATTEND_S:
            await self._attend()
            await announce.counted(self.run_id, process=PROCESS, viewers=PRESENCE.here(self.run_id))
        await self.send(text_data=protocol.encode(run_clock(run)))

    async def _attend(self) -> None:
        self.attended = monotonic()
        await in_db(run_attend, run_id=self.run_id)
        await announce.wake_async(self.run_id)

    async def _join(self) -> None:
        await self.channel_layer.group_add(announce.run_group(self.run_id), self.channel_name)

    async def _show(self, frame: protocol.Presence) -> None:
        text = protocol.encode(frame)
        if text != self.shown:
            self.shown = text
            await self.send(text_data=text)

    async def _guard(self, work: Any) -> None:
        """Run a task; a failure is logged with the run and closes the socket, so that the page reconnects."""
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("Socket of run %s failed", self.run_id)
            with contextlib.suppress(Exception):
                await self.close(1011)

    def _since(self) -> Seq:
        for part in self.scope["query_string"].decode("latin-1").split("&"):
            name, _, value = part.partition("=")
            if name == "since" and value.isascii() and value.isdigit() and len(value) < 10:
                return int(value)
        return 0
