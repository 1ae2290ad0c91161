"""A client that receives more and more and does not read is cut off, and nobody else notices: over HTTP, WebSocket and SPDY."""

import base64
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from lifecycle_site import unread
from lifecycle_site.unread import STALLED_S, UNREAD_MAX, UnreadBound, unread_of
from tests.site.test_outlet import Pipe

ROOM = 40_000_000
"""More than the limit plus the buffers of two kernels."""
SERVER = f"""\
import asyncio, sys
from twisted.internet import asyncioreactor
asyncioreactor.install(asyncio.new_event_loop())
from lifecycle_site.server import BoundedServer
from lifecycle_site.unread import TOLD_ON
PIECE, ended = b"x" * 65_536, {{}}
async def until_gone(receive):
    while not (await receive())["type"].endswith("disconnect"):
        pass
async def application(scope, receive, send):
    name = scope["query_string"].decode()
    if scope["path"] == "/ended":
        await send({{"type": "http.response.start", "status": 200}})
        await send({{"type": "http.response.body", "body": str(ended.get(name, "")).encode()}})
        return
    if scope["type"] == "http":
        await send({{"type": "http.response.start", "status": 200}})
        piece = {{"type": "http.response.body", "body": PIECE, "more_body": True, TOLD_ON: True}}
    else:
        await receive()
        await send({{"type": "websocket.accept"}})
        piece = {{"type": "websocket.send", "bytes": PIECE}}
    gone, told = asyncio.ensure_future(until_gone(receive)), 0
    while not gone.done() and told < {2 * ROOM}:
        await send(piece)
        told += len(PIECE)
        await asyncio.sleep(0.0005)
    gone.cancel()
    ended[name] = told
def ready():
    print(server.listening_addresses[0][1], flush=True)
server = BoundedServer(application, endpoints=["tcp:port=0:interface=127.0.0.1"], ready_callable=ready, verbosity=0)
server.run()
"""
_KEY = base64.b64encode(b"0123456789abcdef").decode()
HEADS = {
    "http": "",
    "websocket": f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {_KEY}\r\n",
    "spdy": "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n",
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def asking(port: int, target: str, head: str = "") -> socket.socket:
    """A connection with a request on it."""
    line = socket.create_connection(("127.0.0.1", port), timeout=30)
    line.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode())
    return line


def told(port: int, name: str) -> int:
    """How much a client had received when its connection ended."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with asking(port, f"/ended?{name}", "Connection: close\r\n") as line:
            said = b"".join(iter(lambda: line.recv(65_536), b"")).partition(b"\r\n\r\n")[2]
        number = said.partition(b"\r\n")[2].partition(b"\r\n")[0] if b"\r\n" in said else said
        if number:
            return int(number)
        time.sleep(0.05)
    raise AssertionError(f"{name} is told on and on")


@pytest.mark.parametrize("wire", HEADS)
def test_one_that_does_not_read_is_cut_off_and_others_are_answered_meanwhile(port: int, wire: str) -> None:
    with asking(port, f"/r/a/k8s/x?{wire}", HEADS[wire]):
        assert UNREAD_MAX < told(port, wire) < ROOM


def test_one_that_reads_is_told_everything(port: int) -> None:
    with asking(port, "/r/a/k8s/x?reads") as line:
        read = 0
        while read < 2 * ROOM:
            read += len(line.recv(1 << 20))
    assert told(port, "reads") == 2 * ROOM - 2 * ROOM % 65_536 + 65_536


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now_s = [0.0]
    monkeypatch.setattr(unread, "monotonic", lambda: now_s[0])
    return now_s


def test_one_that_takes_nothing_for_a_minute_is_too_far_behind_with_little(clock: list[float]) -> None:
    bound, pipe = UnreadBound(), Pipe()
    pipe.room = 0
    for now_s in (0.0, STALLED_S):
        clock[0] = now_s
        assert not bound.is_met(pipe, 10)
        pipe.write(b"x" * 10)
        pipe.doWrite()
    clock[0] += 1
    assert bound.is_met(pipe, 10)


def test_one_that_takes_a_little_is_not_behind(clock: list[float]) -> None:
    bound, pipe = UnreadBound(), Pipe()
    for number in range(10):
        clock[0] = number * STALLED_S
        assert not bound.is_met(pipe, 1000)
        pipe.write(b"x" * 1000)
        pipe.room = 10
        pipe.doWrite()


def test_one_with_just_as_much_unread_as_allowed_is_not_behind(clock: list[float]) -> None:
    bound, pipe = UnreadBound(), Pipe()
    pipe.room = 0
    pipe.write(b"x" * UNREAD_MAX)
    assert not bound.is_met(pipe, 1)
    pipe.write(b"x")
    assert bound.is_met(pipe, 1)


def test_unread_bytes_are_those_of_the_connection_below_its_layers() -> None:
    pipe = Pipe()
    pipe.room = 0
    pipe.write(b"x" * 10)
    assert [unread_of(each) for each in (pipe, SimpleNamespace(transport=SimpleNamespace(transport=pipe)), object())] == [10, 10, 0]


def test_one_that_has_nothing_to_read_is_never_behind(clock: list[float]) -> None:
    bound, pipe = UnreadBound(), Pipe()
    for number in range(3):
        clock[0] = number * 10 * STALLED_S
        assert not bound.is_met(pipe, 10)
        pipe.write(b"x" * 10)
        pipe.doWrite()
