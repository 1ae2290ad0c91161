"""The API of a played run as an ASGI application. Everything happens in its event loop, one thing at a time: there is only one user.

Time passes by a clock. While a client waits for what it watches, the run is played up to the client's next event as
fast as possible, and the clock with it: ``kubectl rollout status`` of ten minutes takes a second. A wait that nothing
ends is limited in simulated time.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from lifecycle_site.addresses import Receive, Scope, Send
from lifecycle_site.unread import TOLD_ON
from simulator.cluster.clock import RunClock
from simulator.cluster.connections import ClusterConnection
from simulator.cluster.played import Instant, PlayedRun
from simulator.cluster.streams import OpenStream, is_played_ahead, stream_begun
from simulator.door.answering import answer
from simulator.door.connections import refuse, serve_connection
from simulator.door.exchange import DoorReply, DoorRequest, json_reply, request_in
from simulator.door.executing import streamed
from simulator.door.judging import judged, outcome_reply
from simulator.door.scene import DoorScene
from simulator.door.statuses import answer_reply, status_reply, unauthorized
from simulator.door.writing import WRITE_METHODS
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.kernel.bounded import milliseconds, whole_number
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import HOUR, Ms

TICK_S = 0.02
MARK_S = 55.0
"""A proxy closes a connection that is silent for a minute."""
SKIP_S = 0.05
"""How long a run is played ahead at a time; requests have to wait meanwhile."""
GRACE_S = 0.25
"""How long a client that was sent something has to end its wait before the run continues."""
WATCH_S_MAX = 86_400
"""How long a watch without timeoutSeconds stays open; longer ones end then as well."""
BODY_MAX = 3_145_728
"""The most bytes of a request body, as for an API server."""
CLOCK = "/podscope/clock"


class _Opened(Struct, eq=False):
    """A request that stays open. ``since_ms`` is the moment since which the client has been waiting, None if it is not."""

    stream: OpenStream
    lines: asyncio.Queue[bytes]
    command: str
    since_ms: Ms | None
    sent_s: float
    end_s: float

    @property
    def is_finished(self) -> bool:
        """Whether nothing more will come and everything has been sent."""
        return self.stream.is_over and self.lines.empty()


class ClusterApplication:
    """Answers requests below ``/KEY``.

    ``skip_ms`` is how long a client may wait in simulated time; with 0 time only passes by the clock. ``say`` receives
    lines for the user who started the cluster.
    """

    def __init__(self, run: PlayedRun, *, key: str, clock: RunClock, skip_ms: Ms, say: Callable[[str], None]) -> None:
        self.run = run
        self._prefix, self._clock, self._skip_ms, self._say = f"/{key}", clock, skip_ms, say
        self._open: list[_Opened] = []
        self._sessions: set[ClusterConnection] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        if scope["type"] != "http":
            return
        request = await _request(scope, receive, self._prefix)
        self._play_on()
        reply, opened = self._answered(request)
        if opened is None:
            await _send(send, reply, is_head=scope["method"] == "HEAD")
        else:
            await self._stream(opened, reply.body, receive, send)

    async def keep_time(self) -> None:
        """Let time pass, until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            self._play_on()
            self._skip()

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve exec, attach or port-forward."""
        await receive()  # the connection request
        path = str(scope["path"])
        request = request_in(scope, path.removeprefix(self._prefix), method="POST")
        if not path.startswith(f"{self._prefix}/") or streamed(request) is None:
            await refuse(send)
            return
        self._play_on()
        connection = ClusterConnection(request, self._scene, self._give, self._sessions)
        await serve_connection(scope, request, receive, send, connection.opened)

    # ---- answers -----------------------------------------------------------------------------------------------------
    def _answered(self, request: DoorRequest | None) -> tuple[DoorReply, _Opened | None]:
        if request is None:
            return status_reply(unauthorized()), None
        if len(request.body) > BODY_MAX:
            text = f"Request entity too large: limit is {BODY_MAX} bytes"
            return answer_reply(Answer(code=413, reason="RequestEntityTooLarge", message=text)), None
        if request.path == CLOCK:
            return self._clock_asked(request), None
        scene = self._scene()
        try:
            if request.method in WRITE_METHODS:
                return self._written(request, scene), None
            begun = stream_begun(self.run, request, scene)
        except ApiError as error:
            return status_reply(error), None
        if begun is None:
            return answer(request, scene), None
        if isinstance(begun, DoorReply):
            return begun, None
        stream, first = begun
        since_ms = self.run.world.now_ms if self._skip_ms and is_played_ahead(request) else None
        now_s, most_s = time.monotonic(), whole_number(request.value("timeoutSeconds"), most=WATCH_S_MAX) or WATCH_S_MAX
        opened = _Opened(stream, asyncio.Queue(), request.command or request.agent.partition("/")[0], since_ms, now_s, now_s + most_s)
        return DoorReply(body=first, content_type=stream.content_type), opened

    def _written(self, request: DoorRequest, scene: DoorScene) -> DoorReply:
        found = judged(request, scene)
        if isinstance(found, DoorReply):
            return found
        own = self._give(found.writing.command)
        return outcome_reply(found.request, self._scene(), found.writing, own)

    def _give(self, command: AnyCommand) -> Record:
        """Carry out a command now, and send its results to open requests."""
        before = self.run.world.fork()
        own = self.run.give(command)
        self._notify((before, self.run.world))
        return own

    def _clock_asked(self, request: DoorRequest) -> DoorReply:
        """The clock; a POST with ``for=90`` advances it by that many seconds at once."""
        if request.method == "POST":
            step = milliseconds(request.value("for"), most=24 * HOUR)
            if step is None:
                return answer_reply(Answer(code=400, reason="BadRequest", message="for: write a number of seconds, at most 86400"))
            self._go_to(self.run.world.now_ms + step)
        return json_reply({"now_s": self.run.world.now_ms / 1000})

    def _scene(self) -> DoorScene:
        return DoorScene(world=self.run.world, now_ms=self.run.world.now_ms, wall_ms=time.time_ns() // 1_000_000, may_write=True)

    # ---- time --------------------------------------------------------------------------------------------------------
    def _play_on(self) -> None:
        self._go_to(self._clock.now_ms())

    def _go_to(self, ms: Ms) -> None:
        for instant in self.run.play(ms):
            self._notify(instant)
        scene = self._scene()
        for each in self._open:
            self._queue(each, each.stream.look(scene))
        self._clock.jump(self.run.world.now_ms)

    def _skip(self) -> None:
        """Play up to the next event for a waiting client."""
        begun_s = time.monotonic()
        waiting = [each for each in self._open if each.since_ms is not None and not each.stream.is_over]
        if not waiting or any(begun_s < each.sent_s + GRACE_S or not each.lines.empty() for each in waiting):
            return
        while time.monotonic() < begun_s + SKIP_S and all(each.lines.empty() for each in waiting):
            until_ms = min(each.since_ms or 0 for each in waiting) + self._skip_ms
            ahead_ms = self.run.ahead_ms()
            if ahead_ms is None or ahead_ms > until_ms:
                self._give_up(waiting, until_ms)
                return
            self._go_to(ahead_ms)

    def _give_up(self, waiting: list[_Opened], until_ms: Ms) -> None:
        """Stop playing ahead for clients that have waited too long."""
        for each in waiting:
            if (each.since_ms or 0) + self._skip_ms <= until_ms:
                self._say(
                    f"{each.command or 'a client'} has waited {self._skip_ms // 1000} s of the run: time goes on by the clock from here"
                )
                each.since_ms = None

    def _notify(self, instant: Instant) -> None:
        for session in self._sessions:
            session.awake.set()
        for each in self._open:
            self._queue(each, each.stream.go_on(instant))

    def _queue(self, opened: _Opened, text: bytes) -> None:
        if text or opened.stream.is_over:
            opened.sent_s = time.monotonic()
            opened.lines.put_nowait(text)

    # ---- streams -----------------------------------------------------------------------------------------------------
    async def _stream(self, opened: _Opened, first: bytes, receive: Receive, send: Send) -> None:
        self._open.append(opened)
        gone = asyncio.create_task(_until_gone(receive))
        try:
            headers = [(b"content-type", opened.stream.content_type.encode()), (b"cache-control", b"no-store")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": first, "more_body": True, TOLD_ON: True})
            while not gone.done() and not opened.is_finished and (left_s := opened.end_s - time.monotonic()) > 0:
                line = asyncio.create_task(opened.lines.get())
                await asyncio.wait({line, gone}, timeout=min(MARK_S, left_s), return_when=asyncio.FIRST_COMPLETED)
                text = line.result() if line.done() else b"" if gone.done() else opened.stream.mark()
                line.cancel()
                if text:
                    await send({"type": "http.response.body", "body": text, "more_body": True, TOLD_ON: True})
        finally:
            gone.cancel()
            self._open.remove(opened)
        with suppress(OSError):
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _request(scope: Scope, receive: Receive, prefix: str) -> DoorRequest | None:
    """The request; None if its path has another key. A body that is too large is read just far enough to tell."""
    body, is_more = b"", True
    while is_more:
        message = await receive()
        is_more = message["type"] == "http.request" and bool(message.get("more_body"))
        body += message.get("body", b"") if len(body) <= BODY_MAX else b""
    path = str(scope["path"])
    if path != prefix and not path.startswith(f"{prefix}/"):
        return None
    return request_in(scope, path[len(prefix) :] or "/", base=prefix, body=body)


async def _send(send: Send, reply: DoorReply, *, is_head: bool) -> None:
    headers = [
        (b"content-type", reply.content_type.encode("latin-1")),
        (b"content-length", str(len(reply.body)).encode()),
        *((name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers),
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else reply.body})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
