"""Connections with channels, message by message and without a site: WebSockets, SPDY streams, forwarded ports."""

import asyncio
import struct
from typing import Any

import pytest

from simulator.door.channel_line import ClientInput, ConnectionClosed, WebSocketLine
from simulator.door.channels import CLOSE, ERROR, RESIZE, STDERR, STDIN, STDOUT
from simulator.door.portforward import REQUEST_MAX, PodPort
from simulator.door.spdy import FRAME_MAX
from simulator.door.spdy_line import PortForward, SpdyLine
from tests.door.test_spdy import Peer

GONE = {"type": "websocket.disconnect", "code": 1006}


class Wire:
    """The application's side of a WebSocket: messages to receive, then the client is gone; and what was sent."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._messages = [*messages, GONE]
        self.sent: list[dict[str, Any]] = []
        self.received = 0

    async def receive(self) -> dict[str, Any]:
        self.received += 1
        await asyncio.sleep(0)
        return self._messages.pop(0)

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    @property
    def frames(self) -> list[tuple[int, bool, bytes]]:
        """The data frames of SPDY that were sent: the stream, whether they end it, and the data."""
        held = b"".join(message.get("bytes") or b"" for message in self.sent)
        found = []
        while held:
            first, second = struct.unpack_from("!II", held)
            length = second & 0xFFFFFF
            if not first >> 31:
                found.append((first, bool(second >> 24), held[8 : 8 + length]))
            held = held[8 + length :]
        return found

    @property
    def is_closed(self) -> bool:
        return {"type": "websocket.close", "code": 1000} in self.sent


def piece(data: bytes) -> dict[str, Any]:
    return {"type": "websocket.receive", "bytes": data}


async def all_of(line: WebSocketLine | SpdyLine) -> list[tuple[int, bytes]]:
    found = []
    while (each := await line.receive()) is not None:
        found.append(each)
    return found


async def test_frames_of_a_websocket_begin_with_their_channel() -> None:
    wire = Wire(
        {"type": "websocket.connect"},
        piece(bytes((STDIN,)) + b"ab"),
        {"type": "websocket.receive", "text": "\0cd"},
        piece(b""),
        {"type": "websocket.receive"},
        piece(bytes((RESIZE,)) + b"{}"),
        piece(bytes((CLOSE, STDIN))),
        piece(bytes((CLOSE, STDOUT))),
    )
    line = WebSocketLine(wire.receive, wire.send)
    assert await all_of(line) == [(STDIN, b"ab"), (STDIN, b"cd"), (RESIZE, b"{}"), (CLOSE, b""), (CLOSE, bytes((STDOUT,)))]
    assert await line.receive() is None and wire.received == 9


async def test_nothing_is_sent_to_a_client_that_is_gone() -> None:
    wire = Wire()
    line = WebSocketLine(wire.receive, wire.send)
    await line.send(STDOUT, b"a")
    await line.close()
    assert wire.sent == [{"type": "websocket.send", "bytes": b"\1a"}, {"type": "websocket.close", "code": 1000}]
    assert await line.receive() is None
    await line.send(STDOUT, b"b")
    await line.close()
    assert len(wire.sent) == 2


async def gathered(*messages: bytes, most: int = 10) -> ClientInput:
    """What is collected of these frames."""
    wire = Wire(*map(piece, messages))
    client = ClientInput(WebSocketLine(wire.receive, wire.send), most)
    async with asyncio.timeout(5):
        while not client.is_gone:
            await client.news.wait()
            await asyncio.sleep(0)
    return client


@pytest.mark.parametrize(
    ("frames", "taken", "is_ended", "is_too_much"),
    [
        ([b"\0abc", b"\0de"], b"abcde", False, False),
        ([b"\0" + b"a" * 10], b"a" * 10, False, False),
        ([b"\0" + b"a" * 11], b"", False, True),
        ([b"\0" + b"a" * 6, b"\0" + b"b" * 5], b"a" * 6, False, True),
        ([b"\0ab", bytes((CLOSE, STDIN)), b"\0cd"], b"ab", True, False),
        ([bytes((RESIZE,)) + b"{}"], b"", False, False),
    ],
)
async def test_input_is_collected_up_to_its_end_or_its_limit(frames: list[bytes], taken: bytes, is_ended: bool, is_too_much: bool) -> None:
    client = await gathered(*frames)
    assert (client.take(), client.is_ended, client.is_too_much, client.is_gone) == (taken, is_ended, is_too_much, True)
    assert client.take() == b""


async def test_streams_of_spdy_are_channels() -> None:
    peer = Peer()
    wire = Wire(
        piece(peer.opened(1, streamtype="error") + peer.opened(3, streamtype="stdin")),
        piece(peer.opened(5, streamtype="stdout") + peer.opened(7, streamtype="stdout") + peer.opened(9, streamtype="nope")),
        piece(peer.data(3, b"ab") + peer.data(7, b"other") + peer.data(9, b"none")),
        piece(peer.data(3, b"", is_end=True) + peer.data(1, b"", is_end=True)),
    )
    line = SpdyLine(wire.receive, wire.send)
    assert await line.opened({ERROR, STDIN, STDOUT})
    assert wire.received == 2
    await line.send(STDOUT, b"out")
    await line.send(STDERR, b"no such stream")
    assert await all_of(line) == [(STDIN, b"ab"), (CLOSE, b"")]
    assert wire.frames == [(5, False, b"out")]


async def test_a_client_that_goes_before_its_streams_are_open_has_none() -> None:
    wire = Wire(piece(Peer().opened(1, streamtype="error")))
    assert not await SpdyLine(wire.receive, wire.send).opened({ERROR, STDIN})


async def test_the_end_of_a_line_ends_its_streams_and_the_connection() -> None:
    peer = Peer()
    wire = Wire(piece(peer.opened(1, streamtype="error") + peer.opened(3, streamtype="stdout")))
    line = SpdyLine(wire.receive, wire.send)
    assert await line.opened({ERROR, STDOUT})
    await line.close()
    assert wire.frames == [(1, True, b""), (3, True, b"")] and wire.is_closed
    assert await line.receive() is None and wire.received == 1


async def test_what_is_not_spdy_closes_the_connection() -> None:
    wire = Wire(piece(struct.pack("!II", 1, FRAME_MAX + 1)))
    assert await SpdyLine(wire.receive, wire.send).receive() is None
    assert wire.is_closed and wire.received == 1


def pair(peer: Peer, stream: int, port: str = "80", request: str = "0") -> bytes:
    """An error stream and the data stream after it, as kubectl opens them."""
    headers = {"port": port, "requestid": request}
    return peer.opened(stream, streamtype="error", **headers) + peer.opened(stream + 2, streamtype="data", **headers)


async def forwarded(*messages: bytes, answers: dict[bytes, PodPort]) -> tuple[Wire, list[tuple[int, bytes]]]:
    """What a client is sent, and what the ports were asked: a request that has no answer here is not complete yet."""
    asked: list[tuple[int, bytes]] = []
    wire = Wire(*map(piece, messages))

    async def ask(port: int, request: bytes) -> PodPort:
        asked.append((port, request))
        return answers.get(request, PodPort())

    async def receive() -> dict[str, Any]:
        for _ in range(5):
            await asyncio.sleep(0)  # answers are tasks of their own
        return await wire.receive()

    await PortForward(receive, wire.send, ask).run()
    return wire, asked


async def test_a_request_is_asked_when_it_grows_and_answered_once() -> None:
    peer = Peer()
    answers = {b"GET": PodPort(answer=b"page")}
    wire, asked = await forwarded(pair(peer, 1), peer.data(3, b"G"), peer.data(3, b"ET"), peer.data(3, b"more"), answers=answers)
    assert asked == [(80, b"G"), (80, b"GET")]
    assert wire.frames == [(3, True, b"page"), (1, True, b"")]


async def test_an_error_is_told_on_the_stream_of_its_own_pair() -> None:
    peer = Peer()
    answers = {b"a": PodPort(error="refused"), b"b": PodPort(answer=b"page")}
    sent = pair(peer, 1), pair(peer, 5, "81", "1"), peer.data(3, b"a") + peer.data(7, b"b")
    wire, asked = await forwarded(*sent, answers=answers)
    assert asked == [(80, b"a"), (81, b"b")]
    assert wire.frames == [(1, False, b"refused"), (3, True, b""), (1, True, b""), (7, True, b"page"), (5, True, b"")]


async def test_a_connection_that_ends_without_a_request_is_ended() -> None:
    peer = Peer()
    wire, asked = await forwarded(pair(peer, 1), peer.data(3, b"", is_end=True), answers={})
    assert (wire.frames, asked) == ([(3, True, b""), (1, True, b"")], [])


async def test_a_connection_that_ends_after_half_a_request_is_left_open() -> None:
    peer = Peer()
    wire, asked = await forwarded(pair(peer, 1), peer.data(3, b"G"), peer.data(3, b"", is_end=True), answers={})
    assert (wire.frames, asked) == ([], [(80, b"G")])


async def test_a_reset_stream_is_forgotten_with_its_pair() -> None:
    peer = Peer()
    answers = {b"b": PodPort(error="refused")}
    reset = peer.control(3, struct.pack("!II", 3, 5)) + peer.control(3, struct.pack("!II", 1, 5))
    wire, asked = await forwarded(pair(peer, 1), reset, pair(peer, 5), peer.data(3, b"a") + peer.data(7, b"b"), answers=answers)
    assert asked == [(80, b"b")]
    assert wire.frames == [(5, False, b"refused"), (7, True, b""), (5, True, b"")]


async def test_a_reset_data_stream_leaves_the_error_streams_of_others() -> None:
    peer = Peer()
    answers = {b"b": PodPort(error="refused")}
    reset = peer.control(3, struct.pack("!II", 3, 5))
    wire, _asked = await forwarded(pair(peer, 1), pair(peer, 5, "81", "1"), reset, peer.data(7, b"b"), answers=answers)
    assert wire.frames == [(5, False, b"refused"), (7, True, b""), (5, True, b"")]


@pytest.mark.parametrize(("port", "asked"), [("65535", 65_535), ("65536", 0), ("x", 0)])
async def test_a_port_that_is_none_is_port_0(port: str, asked: int) -> None:
    peer = Peer()
    assert (await forwarded(pair(peer, 1, port), peer.data(3, b"a"), answers={}))[1] == [(asked, b"a")]


async def test_a_request_is_kept_up_to_its_limit() -> None:
    peer = Peer()
    pieces = [peer.data(3, b"x" * 60_000) for _ in range(-(-REQUEST_MAX // 60_000) + 1)]
    _wire, asked = await forwarded(pair(peer, 1), *pieces, answers={})
    assert max(len(request) for _port, request in asked) == REQUEST_MAX + 1


async def test_a_revoked_key_closes_the_connection() -> None:
    peer = Peer()
    wire = Wire(piece(pair(peer, 1)), piece(peer.data(3, b"a")))

    async def ask(port: int, request: bytes) -> PodPort:
        raise ConnectionClosed

    async def receive() -> dict[str, Any]:
        for _ in range(5):
            await asyncio.sleep(0)
        return await wire.receive()

    await PortForward(receive, wire.send, ask).run()
    assert wire.is_closed and wire.frames == []
