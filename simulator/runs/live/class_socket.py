"""A socket of a class: it reports where the teacher is looking, and the teacher's socket sets it.

Each process reads the rows of its classes once a second, all with one query, and at once when it is notified of news; a move made in this
process is passed on immediately. So a class needs no broker, and the database is the truth (``models.Classroom``).

When everybody is sent to runs of their own that already exist, each socket tells its pupil's page which run is theirs, and when it is
their turn to open it: if fifty pages asked at the same time, they would wait for each other.
"""

import asyncio
import contextlib
import logging
from time import monotonic
from typing import Any

import msgspec
from channels.layers import get_channel_layer
from django.conf import settings

from lifecycle_site.broker import broker_errors
from lifecycle_site.throttle import Allowances, Bucket
from simulator.models import Classroom
from simulator.runs.live.consumers import PONG, Socket
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log.db import AWAY, in_db
from simulator.runs.permissions import hash_key, key_from_headers
from simulator.runs.selectors.class_guesses import Guessed, classroom_joined
from simulator.runs.selectors.class_wall import runs_of_start
from simulator.runs.selectors.classrooms import classrooms_get
from simulator.runs.services.class_code import code_of
from simulator.runs.services.classrooms import classroom_lead
from simulator.runs.services.errors import NotAllowed, ServiceError
from simulator.runs.turns.constants import PUPILS_APART_MS
from simulator.runs.wire import announce, protocol

LOOK_S = 1.0
AWAY_S = 5.0

log = logging.getLogger(__name__)
MOVES = Allowances()
"""How often an address may still move its classes: each move is a write, like a post."""


class ClassConsumer(Socket):
    """``ws/class/<code>/``: where the class is, on connecting and whenever that changes."""

    pump: "asyncio.Task[None] | None" = None
    is_counted = False
    room: Classroom | None = None
    own: protocol.ClassRun | None = None
    """The pupil's own run, if its page has not been told yet."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the socket, and clean up however it ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._leave()

    def name(self) -> str:
        """The socket's name in the log."""
        return f"Socket of class {self.scope['url_route']['kwargs']['code']}"

    async def connect(self) -> None:
        """Join the class and report where it is."""
        self.code = str(self.scope["url_route"]["kwargs"]["code"])
        self.key = key_from_headers(self.scope["headers"])
        self.owner_hash = hash_key(self.key) if self.key is not None else ""
        self.address = self.visitor()
        self.awake = asyncio.Event()
        rate = protocol.TEACHER_MESSAGES_PER_SECOND
        self.allowance = Bucket(per_second=rate, burst=protocol.CLIENT_MESSAGES_AT_ONCE, clock_s=monotonic)
        if not await self.admitted():
            return
        PRESENCE.open(self.address)
        self.is_counted = True
        try:
            # Counted before it is looked up: guessing codes must cost what an open socket costs.
            room = await in_db(classroom_joined, code_of(self.code), visitor=self.address, key=self.key)
        except Guessed:
            await self.refuse(protocol.CLOSE_GUESSED)
            return
        if room is None:
            await self.refuse(protocol.CLOSE_GONE)
            return
        # The code as it was created, however it was typed: all sockets of a class must be registered under one name.
        self.code = room.id
        await self.accept()
        self.notify(room)
        CLASSES.join(self)
        self.pump = asyncio.create_task(self._pump())

    async def disconnect(self, code: int) -> None:
        """Leave the class."""
        await self._leave()

    async def _leave(self) -> None:
        CLASSES.leave(self)
        if self.pump is not None:
            self.pump.cancel()
            await asyncio.gather(self.pump, return_exceptions=True)
        if self.is_counted:
            self.is_counted = False
            PRESENCE.close(self.address)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle a move from the class's leader, or a ping from anybody. Anything else, or too many messages, closes the socket."""
        try:
            if text_data is None or len(text_data) > protocol.TEACHER_BYTES_MAX:
                raise msgspec.ValidationError("no message of this protocol")
            message = protocol.TEACHER_MESSAGE.from_outside(text_data)
        except (msgspec.MsgspecError, ValueError):
            await self.close(protocol.CLOSE_BAD)
            return
        is_ping = message.type == "ping"
        if not self.allowance.take():
            await self.flooded()
        elif not (is_ping or self._may_move()):  # others at the address may have used it up
            await self.close(protocol.CLOSE_FLOOD)
        elif is_ping:
            await self.send(text_data=PONG)
        else:
            await self._lead(message)

    def _may_move(self) -> bool:
        limit = settings.SIM_POSTS_PER_SECOND_MAX
        return not limit or MOVES.take(self.address, per_second=limit)

    async def _lead(self, said: protocol.TeacherMessage) -> None:
        try:
            room = await in_db(
                classroom_lead, code=self.code, owner_key=self.key, path=said.path, query=said.query, is_led=said.is_led, calls=said.calls
            )
        except NotAllowed:  # it is somebody else's, or has ended
            await self.close(protocol.CLOSE_GONE)
        except ServiceError:
            await self.close(protocol.CLOSE_BAD)
        else:
            CLASSES.notify(room)

    def notify(self, room: Classroom, own: protocol.ClassRun | None = None) -> None:
        """The class has moved; if several moves are waiting for a slow socket, only the last is sent."""
        # The teacher's own socket and the look at the database may report the same move, in any order.
        if self.room is None or room.turn > self.room.turn or own is not None:
            self.room, self.own = room, own or self.own
            self.awake.set()

    def end(self) -> None:
        """The class is over."""
        self._closing = asyncio.ensure_future(self.close(protocol.CLOSE_GONE))

    async def _pump(self) -> None:
        try:
            while True:
                await self.awake.wait()
                self.awake.clear()
                if self.room is not None:
                    await self.send(text_data=self._frame(self.room))
        except Exception as error:
            with contextlib.suppress(Exception):  # the line is gone
                await self.failed(error)

    def _frame(self, room: Classroom) -> str:
        leads = bool(self.owner_hash) and self.owner_hash == room.owner_hash
        own, self.own = self.own, None
        return protocol.encode(
            protocol.ClassState(
                code=room.id,
                path=room.path,
                query=room.query,
                is_led=room.is_led,
                calls=room.calls,
                turn=room.turn,
                news=room.news,
                leads=leads,
                own=own,
            )
        )


class Classes:
    """The sockets of a process, by class. Used in one event loop."""

    def __init__(self) -> None:
        self._sockets: dict[str, set[ClassConsumer]] = {}
        self._watch: asyncio.Task[None] | None = None
        self._ears: asyncio.Task[None] | None = None
        self._starts: dict[str, int] = {}
        self._told = asyncio.Event()
        self.hears = asyncio.Event()
        """Whether announcements arrive."""

    def join(self, socket: ClassConsumer) -> None:
        """Notify the socket of its class's moves from now on."""
        self._sockets.setdefault(socket.code, set()).add(socket)
        if socket.room is not None:
            self._starts.setdefault(socket.code, socket.room.starts)
        if self._watch is None or self._watch.done():
            self._told, self.hears = asyncio.Event(), asyncio.Event()
            self._watch, self._ears = asyncio.create_task(self._look()), asyncio.create_task(self._listen())

    def leave(self, socket: ClassConsumer) -> None:
        """Stop notifying the socket. Idempotent."""
        # A socket that was refused early has none.
        code = getattr(socket, "code", "")
        held = self._sockets.get(code, set())
        held.discard(socket)
        if not held:
            self._sockets.pop(code, None)
            self._starts.pop(code, None)
        if not self._sockets:
            for task in filter(None, (self._watch, self._ears)):
                task.cancel()
            self._watch = self._ears = None

    def notify(self, room: Classroom) -> None:
        """Tell every socket of the class where it is."""
        # A copy: a socket that fails leaves while the others are notified.
        for socket in [*self._sockets.get(room.id, ())]:
            socket.notify(room)

    async def _look(self) -> None:
        """Watch the database for moves made in other processes. One query for all classes, one more for each that was just sent apart."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), LOOK_S)
            self._told.clear()
            codes = [*self._sockets]
            try:
                rooms = await in_db(classrooms_get, codes)
                for known in filter(None, rooms):
                    await self._send_apart(known)
            except AWAY as error:
                log.warning("Classes stand still, the database does not answer: %s", error)
                await asyncio.sleep(AWAY_S)
                continue
            except Exception:
                log.exception("Classes stand still")
                await asyncio.sleep(AWAY_S)
                continue
            for code, room in zip(codes, rooms, strict=True):
                if room is not None:
                    self.notify(room)
                    continue
                for socket in [*self._sockets.get(code, ())]:
                    socket.end()

    async def _send_apart(self, room: Classroom) -> None:
        """If everybody was sent to runs of their own since the last look, tell each pupil's sockets which one is theirs."""
        known = self._starts.get(room.id)
        if known is None or room.starts <= known or not room.is_apart:
            return
        begun = await in_db(runs_of_start, room)
        self._starts[room.id] = room.starts
        owns = {
            owner_hash: protocol.ClassRun(url=f"/r/{run_id}/", start=room.starts, wait_ms=place * PUPILS_APART_MS)
            for place, (owner_hash, run_id) in enumerate(begun)
        }
        for socket in [*self._sockets.get(room.id, ())]:
            socket.notify(room, owns.get(socket.owner_hash))

    async def _listen(self) -> None:
        """Look at the database at once when a change to a class is announced. While the broker is unreachable, the next look finds it."""
        layer = get_channel_layer()
        assert layer is not None, "settings.CHANNEL_LAYERS has no default"
        channel = ""
        while True:
            try:
                channel = channel or await announce.new_channel("sim.classes")
                try:
                    await announce.join(announce.CLASSES, channel)
                    self.hears.set()
                    while True:
                        await layer.receive(channel)
                        self._told.set()
                finally:
                    await announce.part(announce.CLASSES, channel)
            except broker_errors() as error:
                log.warning("Classes hear no announcements: %s", announce.broker_error_text(error))
                await asyncio.sleep(AWAY_S)


CLASSES = Classes()
