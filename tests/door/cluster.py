"""A cluster that runs while clients talk to it: reads, writes and watches of the door, without a site, its time faster than the clock."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit

from simulator.door.answering import answer, watched
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.judging import judged, outcome_reply
from simulator.door.rows import position_of
from simulator.door.scene import DoorScene
from simulator.door.statuses import status_reply
from simulator.door.watching import DoorWatch, Standing, error_line, too_old
from simulator.door.writing import WRITE_METHODS
from simulator.engine import advance
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.world.world import World
from tests.door.serving import PREFIX

TICK_S = 0.03
BOOKMARK_S = 5.0
PAST_MAX = 2000
POD = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "a", "image": "nginx:1.27"}]},
}  # fmt: skip
"""A pod for clients to make."""


class Cluster:
    """A world whose time passes, ``rate`` times as fast as the clock, between requests and while clients watch."""

    def __init__(self, world: World, *, rate: int = 10) -> None:
        self.world, self.rate, self.url = world, rate, ""
        self.asked: list[str] = []
        self.failures: list[str] = []
        self.lock = threading.RLock()
        self.stopped = threading.Event()
        self.past: list[World] = []
        self._begun_ms, self._begun_s = world.now_ms, time.monotonic()

    def scene(self) -> DoorScene:
        """The present."""
        with self.lock:
            ms = self._begun_ms + int((time.monotonic() - self._begun_s) * 1000 * self.rate)
            if ms > self.world.now_ms:
                world = self.world.fork()
                advance(world, until_ms=ms)
                self._goes_on(world)
            return DoorScene(world=self.world, now_ms=self.world.now_ms, wall_ms=time.time_ns() // 1_000_000, may_write=True)

    def _goes_on(self, world: World) -> None:
        self.past = [*self.past[-PAST_MAX:], self.world]
        self.world = world

    def reply(self, asked: DoorRequest) -> DoorReply:
        """The answer to what is no watch; a write is carried out."""
        with self.lock:
            scene = self.scene()
            if asked.method not in WRITE_METHODS:
                return answer(asked, scene)
            found = judged(asked, scene)
            if isinstance(found, DoorReply):
                return found
            self._goes_on(found.world)
            after = DoorScene(world=found.world, now_ms=found.world.now_ms, wall_ms=scene.wall_ms, may_write=True)
            return outcome_reply(found.asked, after, found.writing, None)

    def lines(self, asked: DoorRequest) -> Iterator[bytes]:
        """The lines of a watch, until it is asked to end. Raises ApiError for one that cannot be had."""
        scene = self.scene()
        watch = watched(asked, scene)
        assert watch is not None, f"{asked.path} asks for no watch"
        wanted = whole_number(asked.value("resourceVersion")) or 0
        if wanted and not asked.has("sendInitialEvents"):
            standing, text = self._resumed(watch, scene, wanted)
        else:
            standing, text = watch.begin(scene)
        yield text
        if standing is None:
            return
        end_s = time.monotonic() + (whole_number(asked.value("timeoutSeconds")) or 600)
        marked_s = time.monotonic()
        while time.monotonic() < end_s and not self.stopped.wait(TICK_S):
            earlier, scene = scene, self.scene()
            standing, text = watch.go_on(standing, scene, lambda earlier=earlier: earlier)
            if time.monotonic() - marked_s > BOOKMARK_S:
                marked_s, text = time.monotonic(), text + watch.bookmark(standing)
            yield text

    def _resumed(self, watch: DoorWatch, scene: DoorScene, wanted: int) -> tuple[Standing | None, bytes]:
        """From a position of the past to the scene."""
        with self.lock:
            worlds = [world for world in self.past if world.now_ms <= scene.now_ms]
        known = [n for n, world in enumerate(worlds) if position_of(world, watch.kind) <= wanted]
        if wanted >= position_of(scene.world, watch.kind):
            return watch.at(scene), b""
        if not known:
            return None, error_line(too_old(wanted, position_of(scene.world, watch.kind)))
        scenes = [*(DoorScene(world=world, now_ms=world.now_ms, wall_ms=scene.wall_ms) for world in worlds[known[-1] :]), scene]
        standing, lines = watch.at(scenes[0]), []
        for earlier, later in pairwise(scenes):
            standing, text = watch.go_on(standing, later, lambda earlier=earlier: earlier)
            lines.append(text)
        return standing, b"".join(lines)


def _handler(cluster: Cluster) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            asked = DoorRequest(
                method=self.command,
                path=unquote(parts.path).removeprefix(PREFIX),
                query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(int(self.headers.get("Content-Length") or 0)),
            )
            line = f"{self.command} {self.path.removeprefix(PREFIX)}"
            try:
                if asked.method == "GET" and asked.has("watch"):
                    cluster.asked.append(line)
                    self._stream(asked)
                    return
                reply = cluster.reply(asked)
            except ApiError as error:
                reply = status_reply(error)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
                return
            except Exception as error:
                cluster.failures.append(f"{line}: {error!r}")
                raise
            cluster.asked.append(f"{line} {reply.status}")
            self._send(reply)

        def _send(self, reply: DoorReply) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        def _stream(self, asked: DoorRequest) -> None:
            lines = cluster.lines(asked)
            first = next(lines)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._chunk(first)
            for text in lines:
                self._chunk(text)
            self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, text: bytes) -> None:
            if text:
                self.wfile.write(f"{len(text):x}\r\n".encode() + text + b"\r\n")
                self.wfile.flush()

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def cluster_of(world: World, *, rate: int = 10) -> Iterator[Cluster]:
    """A server of the cluster that begins with that world. Fails where the door failed."""
    cluster = Cluster(world, rate=rate)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(cluster))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    cluster.url = f"http://127.0.0.1:{server.server_port}{PREFIX}"
    try:
        yield cluster
    finally:
        cluster.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
    assert not cluster.failures, cluster.failures
