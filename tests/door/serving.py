"""The API of one moment behind a plain HTTP server: the pure part as clients see it, without a site."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec.structs import replace

from simulator.door.answering import answer, watched
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.judging import judged, outcome_reply
from simulator.door.scene import DoorScene
from simulator.door.statuses import status_reply
from simulator.door.watching import DoorWatch, Standing
from simulator.door.writing import WRITE_METHODS
from simulator.engine import advance
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World

PREFIX = "/r/demo/k8s"
_WATCH_S = 30
ENDS_WITHIN_S = 0.01
"""How often a server in a thread looks whether to end: by default twice a second, longer than most tests take."""


class Served:
    """The server's address, and the requests it received: method, path with query."""

    def __init__(self, world: World) -> None:
        self.url, self.world = "", world
        self.asked: list[str] = []
        self.sent: list[DoorRequest] = []
        self._past: list[World] = []
        self.rate = self.era = 0
        self._began, self._lock = time.monotonic(), threading.Lock()
        self._began_ms = world.now_ms

    def stand_at(self, world: World, rate: int = 0) -> None:
        """Serve another moment from now on; watches of the previous one end."""
        with self._lock:
            self.world, self.rate, self._began, self._began_ms = world, rate, time.monotonic(), world.now_ms
            self.era += 1
            self._past.clear()

    def moment(self) -> World:
        """The current cluster: simulated time passes at the rate."""
        with self._lock:
            if self.rate:
                advance(self.world, until_ms=self._began_ms + int((time.monotonic() - self._began) * 1000 * self.rate))
            if self.rate:
                self._past.append(self.world.fork())
            return self._past[-1] if self.rate else self.world

    def begun(self, watch: DoorWatch, scene: DoorScene) -> tuple[Standing, bytes]:
        """Where a watch starts: now, or at the moment that its client has read."""
        for world in reversed(self._past):
            if (begun := watch.begun(replace(scene, world=world, now_ms=world.now_ms))) is not None and watch.wanted:
                return begun
        return watch.begun(scene) or watch.begin(scene)

    def moments_since(self, world: World) -> list[World]:
        """That moment, and the cluster at every quarter of a second of the run since."""
        until_ms, moments = self.moment().now_ms, [world]
        while moments[-1].now_ms < until_ms:
            later = moments[-1].fork()
            advance(later, until_ms=min(until_ms, later.now_ms + 250))
            moments.append(later)
        return moments


def write(asked: DoorRequest, scene: DoorScene) -> tuple[DoorReply, World]:
    """The answer to a write, and the world after it."""
    found = judged(asked, scene)
    if isinstance(found, DoorReply):
        return found, scene.world
    return outcome_reply(found.request, replace(scene, world=found.world), found.writing, None), found.world


def _handler(scene_of: Callable[[], DoorScene], served: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            body = self._body()
            served.asked.append(f"{self.command} {self.path.removeprefix(PREFIX)}")
            asked = DoorRequest(
                method=self.command,
                path=unquote(parts.path).removeprefix(PREFIX),
                base=PREFIX,
                query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=body,
            )
            served.sent.append(asked)
            scene = scene_of()
            try:
                watch = watched(asked, scene)
            except ApiError as error:
                self._send(status_reply(error))
                return
            if watch is not None:
                self._stream(watch, scene)
                return
            if asked.method in WRITE_METHODS and scene.may_write:
                reply, served.world = write(asked, scene)
            else:
                reply = answer(asked, scene)
            self._send(reply)

        def _body(self) -> bytes:
            """The body of a request; ``kubectl create --raw`` sends no length."""
            if not self.headers.get("Transfer-Encoding"):
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _stream(self, watch: DoorWatch, scene: DoorScene) -> None:
            """Send every change until another moment is served, or the client has disconnected."""
            era, until = served.era, time.monotonic() + _WATCH_S
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            standing, text = served.begun(watch, scene)
            with suppress(OSError):
                while served.era == era and time.monotonic() < until:
                    if text:
                        self.wfile.write(text)
                        self.wfile.flush()
                    time.sleep(0.02)
                    before, scene = scene, scene_of()
                    standing, text = watch.go_on(standing, scene, lambda before=before: before)  # type: ignore[misc]

        def _send(self, reply: DoorReply) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

        def log_message(self, *args: object) -> None:
            """Log nothing."""

    return Handler


@contextmanager
def door_of(world: World, *, now_ms: int | None = None, writes: bool = False, rate: int = 0) -> Iterator[Served]:
    """A server for the world's moment; with ``writes`` each write changes ``Served.world``.

    Time stands still, unless there is a ``rate``.
    """
    served = Served(world)
    served.rate = rate

    def scene() -> DoorScene:
        world = served.moment()
        return DoorScene(world=world, now_ms=max(world.now_ms, now_ms or 0), wall_ms=time.time_ns() // 1_000_000, may_write=writes)

    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(scene, served))
    thread = threading.Thread(target=server.serve_forever, args=(ENDS_WITHIN_S,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}{PREFIX}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
