"""A socket that watches one run: it resumes after the last record that the client has, and never
runs far ahead of it.

A page opens the socket with the number of the last record that it has (``since``). It is told where
the run stands (hello), and then gets every record after that one, in order, without gaps and
without repetition, however often the line breaks: the page asks again with a higher number. Nothing
about a page is remembered here between two sockets.

The hub (hub.py) only wakes the socket, and never waits for it. A single task, the pump, sends
records and everything else from the hub, so they stay in the order of the log. A slow connection
must not fill the memory: the page acknowledges frames, and only a few frames and bytes may be
unacknowledged, since the socket's own buffer has no limit. Outdated clocks and viewer counts are
worthless, so only the latest are kept for a slow connection. A page that acknowledges nothing for
half a minute is considered gone, whatever TCP says.

Sockets cost the site resources, so there are limits per address on how many are open, how often
they are opened, and how much they send; close codes (wire/protocol.py) say which limit it was, and
the page knows for each whether and when to reconnect.

However a socket ends (closed by either side, by an error, or cancelled in the middle of opening),
``_leave`` has to run: a viewer that stayed counted would keep the run alive forever.
"""

import asyncio
import contextlib
import logging
from asyncio import sleep
from collections import deque
from time import monotonic
from typing import Any
from uuid import UUID

import msgspec
from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from lifecycle_site.throttle import Allowances, Bucket
from lifecycle_site.visitors import visitor_at
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.units import Seq
from simulator.models import Run
from simulator.runs.live.hub import HUBS, Hub
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log.content import Unreadable
from simulator.runs.log.db import AWAY
from simulator.runs.permissions import key_from_headers, role_of
from simulator.runs.selectors.runs import run_clock
from simulator.runs.turns.constants import BURST_S
from simulator.runs.turns.slots import Busy
from simulator.runs.wire import protocol

ACK_S = 30.0
"""A client that has not acknowledged a frame for this long is not reading."""
UNSENT_MAX = 32
"""Clock and presence frames kept for a slow socket; older ones are worthless."""

FLOOD_OPENINGS = 5
"""A flooded socket costs about as much as opening this many sockets."""
BRIEF_S = 0.5
"""The same goes for a socket that closes this soon after it was opened, as if nobody had wanted it."""
REFUSAL_S, REFUSALS_MAX = 2.0, 1000
"""How long the refusal of a socket for lack of room is delayed, and how many may be delayed at once. A refusal costs the site as much as a
page, so a client that retried immediately would get more than its share."""
LOOKS = ("away", "back")
PONG = protocol.encode(protocol.Pong())

log = logging.getLogger(__name__)
OPENINGS = Allowances()
"""How often an address may still open a socket: repeatedly opening and closing one costs more than keeping it open."""


class Socket(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """A socket without its own channel, which Channels would create first: no socket could open while the broker is unreachable."""

    channel_layer_alias = "none"
    address = ""
    is_open = is_closing = False
    refusals = 0

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Pass a message to its handler; any exception closes the socket with a code that the page understands.

        Unlike in Channels, old database connections are not closed first, since this thread never has one. Messages that a client sent
        before it was closed are ignored.
        """
        # Messages received before the close are still in the queue.
        if self.is_closing and message["type"] == "websocket.receive":
            return
        try:
            await getattr(self, get_handler_name(message))(message)
        except StopConsumer:
            raise
        except Exception as error:
            with contextlib.suppress(Exception):  # the line may be what failed
                await self.failed(error)
            if message["type"] == "websocket.disconnect":
                raise StopConsumer from error

    async def failed(self, error: Exception) -> None:
        """Close because of an exception, with a code that makes the page reconnect."""
        if isinstance(error, AWAY):
            log.warning("%s closes, the database does not answer: %s", self.name(), error)
            await self.refuse(protocol.CLOSE_AWAY)
        else:
            log.error("%s failed", self.name(), exc_info=error)
            await self.refuse(protocol.CLOSE_FAILED)

    def name(self) -> str:
        """The socket's name in the log."""
        return "Socket"

    def visitor(self) -> str:
        """The visitor who opened the socket, for limits."""
        return visitor_at(str((self.scope.get("client") or ("",))[0]))

    def has_room(self) -> bool:
        """Whether the address may open one more socket. It may open all of them at once, as after a restart."""
        sockets = settings.SIM_SOCKETS_PER_ADDRESS_MAX
        return OPENINGS.take(self.address, per_second=sockets / BURST_S) and PRESENCE.from_address(self.address) < sockets

    async def admitted(self) -> bool:
        """Whether there is room for the socket; closes it if not."""
        if self.has_room():
            return True
        if Socket.refusals < REFUSALS_MAX:
            Socket.refusals += 1
            try:
                await sleep(REFUSAL_S)
            finally:
                Socket.refusals -= 1
        await self.refuse(protocol.CLOSE_FULL)
        return False

    async def flooded(self) -> None:
        """Close because too many messages came, and count it against the address's allowance for opening sockets."""
        self._cost_much()
        await self.close(protocol.CLOSE_FLOOD)

    def _cost_much(self) -> None:
        OPENINGS.spend(self.address, FLOOD_OPENINGS, per_second=settings.SIM_SOCKETS_PER_ADDRESS_MAX / BURST_S)

    async def accept(self, subprotocol: str | None = None, headers: Any = None) -> None:
        """Open the socket."""
        self.is_open = True
        await super().accept(subprotocol, headers)

    async def refuse(self, code: int) -> None:
        """Close with a code; a code reaches the page only through an open socket, so open it first."""
        if not self.is_open:
            await self.accept()
        await self.close(code)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close the socket, once."""
        if not self.is_closing:
            self.is_closing = True
            await super().close(code, reason)


class UnknownConsumer(Socket):
    """Refuses sockets at unknown URLs before they open, which a browser shows as a 403."""

    async def connect(self) -> None:
        """Refuse. Nothing is looked up, so this works without the database."""
        await self.close()


class RunConsumer(Socket):
    """``ws/run/<run>/?since=<seq>``: hello, then records after ``since`` forever."""

    hub: Hub | None = None
    pump: "asyncio.Task[None] | None" = None
    is_counted = False
    is_away = False
    opened_s = 0.0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the socket; however it ends, it no longer counts as a viewer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._leave()

    def name(self) -> str:
        """The socket's name in the log."""
        return f"Socket of run {self.scope['url_route']['kwargs']['run_id']}"

    async def connect(self) -> None:
        """Join the hub first and read the head afterwards, so that no record is missed in between."""
        self.run_id: UUID = self.scope["url_route"]["kwargs"]["run_id"]
        self.address, self.opened_s = self.visitor(), monotonic()
        self.sent: Seq = 0
        self.in_flight: deque[tuple[Seq, float, int]] = deque()
        self.unsent: deque[str] = deque(maxlen=UNSENT_MAX)
        self.awake = asyncio.Event()
        self.allowance = Bucket(per_second=protocol.CLIENT_MESSAGES_PER_SECOND, burst=protocol.CLIENT_MESSAGES_AT_ONCE, clock_s=monotonic)
        if not await self.admitted():
            return
        # No await between the two: a socket that is cancelled in between would stay counted.
        PRESENCE.enter(self.run_id, self.address)
        self.is_counted = True
        if await HUBS.row(self.run_id) is None:
            await self.refuse(protocol.CLOSE_GONE)
        else:
            await self._open()

    async def _open(self) -> None:
        self.hub = await HUBS.join(self.run_id, self)
        await self.accept()
        with contextlib.suppress(*AWAY):  # full or locked, but still readable; the heartbeat tries again
            await self.hub.attend()
        run = await HUBS.row(self.run_id)
        if run is None:
            await self.close(protocol.CLOSE_GONE)
            return
        await self._hello(self.hub, run)
        self.pump = asyncio.create_task(self._guard(self._pump(self.hub)))
        await self.hub.count()

    async def _hello(self, hub: Hub, run: Run) -> None:
        # The page may name a record that the log does not have: the log was started over (``storage.forget``), or the number is made up.
        self.sent = min(self._since(), run.head_seq)
        hub.saw_head(run.head_seq)
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
        """Stop the pump and leave the hub, which announces the new count."""
        if not self.is_closing and monotonic() - self.opened_s < BRIEF_S:
            self._cost_much()
        await self._leave()

    async def _leave(self) -> None:
        if self.pump is not None:
            self.pump.cancel()
            await asyncio.gather(self.pump, return_exceptions=True)
        if self.is_counted:
            # Before anything is awaited, and once: both disconnect and the end of ``__call__`` come here.
            self.is_counted = False
            PRESENCE.leave(self.run_id, self.address, is_away=self.is_away)
        if self.hub is not None:
            # Taken first: a second call that comes while this one waits must not leave the hub twice.
            hub, self.hub = self.hub, None
            try:
                with contextlib.suppress(*AWAY):  # the run is released a minute later anyway
                    await hub.viewer_left()
            finally:  # even if the socket's task was cancelled meanwhile
                await HUBS.leave(hub, self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle an acknowledgement, a ping, or looking away or back. Anything else, or too many messages, closes the socket."""
        try:
            if text_data is None or len(text_data) > protocol.CLIENT_BYTES_MAX:
                raise msgspec.ValidationError("no message of this protocol")
            message = protocol.decode_client(text_data)
        except (msgspec.MsgspecError, ValueError):
            await self.close(protocol.CLOSE_BAD)
            return
        if not self._acknowledge(message.ack) and not self.allowance.take():
            await self.flooded()
        elif message.type == "ping":
            self.notify(PONG)
        elif message.type in LOOKS:
            await self._look(is_away=message.type == "away")

    async def _look(self, *, is_away: bool) -> None:
        """The page reports that it went to the background, or came back."""
        if self.hub is None or is_away == self.is_away:
            return
        self.is_away = is_away
        if is_away:
            PRESENCE.look_away(self.run_id)
            await self.hub.viewer_left()
        else:
            PRESENCE.look_back(self.run_id)
            await self.hub.attend()
            await self.hub.count()

    def _acknowledge(self, ack: Seq | None) -> bool:
        """Remove the frames that ``ack`` says have arrived from the window; return False if there are none."""
        arrived = False
        while ack is not None and self.in_flight and self.in_flight[0][0] <= ack:
            self.in_flight.popleft()
            arrived = True
        if arrived:
            self.awake.set()
        return arrived

    # ---- what the hub says; none of it waits ----------------------------------------------------------------------
    def wake(self) -> None:
        """There may be more records."""
        self.awake.set()

    def notify(self, frame: str) -> None:
        """Queue a frame other than records; the same frame twice in a row is sent once."""
        if not self.unsent or self.unsent[-1] != frame:
            self.unsent.append(frame)
            self.awake.set()

    def beat(self) -> None:
        """Drop a client that does not read."""
        if self.in_flight and monotonic() - self.in_flight[0][1] > ACK_S:
            self.drop(protocol.CLOSE_SLOW)

    def drop(self, code: int) -> None:
        """Close with a code, soon."""
        # The loop holds tasks only weakly: without a reference this one might be garbage-collected before it runs.
        self._closing = asyncio.ensure_future(self.close(code))

    # ---- the pump --------------------------------------------------------------------------------------------------
    async def _pump(self, hub: Hub) -> None:
        while True:
            while self.unsent:
                await self.send(text_data=self.unsent.popleft())
            # Everything that may change one of these sets ``awake``, even between the test and the wait, so no wake-up is lost.
            if self.sent >= hub.head or not self._is_window_open() or not await self._send_next(hub):
                await self.awake.wait()
                self.awake.clear()

    def _is_window_open(self) -> bool:
        size = sum(size for _seq, _at_s, size in self.in_flight)
        return len(self.in_flight) < protocol.FRAMES_IN_FLIGHT_MAX and size < protocol.BYTES_IN_FLIGHT_MAX

    async def _send_next(self, hub: Hub) -> bool:
        """Send one frame of records; return False if the log has none after all."""
        frame = await hub.frame_after(self.sent)
        if frame is None:
            return False
        self.sent, text = frame
        # Before the send, which waits: an acknowledgement may arrive before it returns.
        self.in_flight.append((self.sent, monotonic(), len(text)))
        await self.send(text_data=text)
        return True

    async def _guard(self, work: Any) -> None:
        """Log a failure with the run and close the socket, so that the page reconnects."""
        try:
            await work
        except Unreadable as error:
            log.warning("%s closes: %s", self.name(), error)
            await self.close(protocol.CLOSE_UNREADABLE)
        except Busy:  # a lost part of the log has to be recomputed
            await self.close(protocol.CLOSE_FAILED)
        except Exception as error:
            with contextlib.suppress(Exception):
                await self.failed(error)

    def _since(self) -> Seq:
        for part in self.scope["query_string"].decode("latin-1").split("&"):
            name, _, value = part.partition("=")
            if name == "since":
                return whole_number(value) or 0
        return 0
