"""SPDY streams without a site: channels of a command, and forwarded ports, however a request is fragmented."""

import asyncio
import struct

import pytest

from simulator.door import spdy_line
from simulator.door.channels import CLOSE, ERROR, STDIN, STDOUT
from simulator.door.portforward import PodPort
from simulator.door.spdy import Spdy
from simulator.door.spdy_line import PortForward, SpdyLine
from tests.door.test_spdy import Peer


class Wire:
    """A client that sends these pieces and then stays, or disconnects once ``after`` answers have arrived."""

    def __init__(self, *pieces: bytes, after: int = 0) -> None:
        self._pieces, self._after = list(pieces), after
        self.sent = b""
        self._count = 0

    async def receive(self):
        if self._pieces:
            await asyncio.sleep(0.001)
            return {"type": "websocket.receive", "bytes": self._pieces.pop(0)}
        while self._count < self._after:
            await asyncio.sleep(0.001)
        return {"type": "websocket.disconnect"}

    async def send(self, message) -> None:
        if message["type"] == "websocket.send":
            self.sent += message["bytes"]
            self._count += 1

    def data(self) -> list[tuple[int, bytes, bool]]:
        """The data frames: stream, text, and whether it is the last."""
        found, place = [], 0
        while place < len(self.sent):
            first, second = struct.unpack_from("!II", self.sent, place)
            size = second & 0xFFFFFF
            if not first >> 31:
                found.append((first, self.sent[place + 8 : place + 8 + size], bool(second >> 24)))
            place += 8 + size
        return found


def test_channels_are_streams_by_their_headers():
    peer = Peer()
    wire = Wire(
        peer.opened(1, streamtype="error"), peer.opened(3, streamtype="stdin") + peer.opened(5, streamtype="stdout"),
        peer.data(3, b"typed") + peer.data(3, b"", is_end=True),
    )  # fmt: skip

    async def talk():
        line = SpdyLine(wire.receive, wire.send)
        assert await line.opened({ERROR, STDIN, STDOUT})
        heard = [await line.receive(), await line.receive()]
        await line.send(STDOUT, b"said")
        await line.send(2, b"nobody asked for it")
        await line.close()
        return heard

    assert asyncio.run(talk()) == [(STDIN, b"typed"), (CLOSE, b"")]
    assert [each for each in wire.data() if each[1]] == [(5, b"said", False)]
    assert {stream for stream, _, is_end in wire.data() if is_end} == {1, 3, 5}


def test_a_client_that_opens_no_streams_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spdy_line, "OPENING_S", 0.01)
    assert asyncio.run(SpdyLine(Wire(Spdy().taken(), after=9).receive, Wire().send).opened({ERROR})) is False


def forwarded(wire: Wire, answer) -> list[tuple[int, bytes]]:
    asked = []

    async def ask(port: int, request: bytes) -> PodPort:
        asked.append((port, request))
        await asyncio.sleep(0.005)
        return answer(request)

    asyncio.run(asyncio.wait_for(PortForward(wire.receive, wire.send, ask).run(), 20))
    return asked


def pair(peer: Peer) -> bytes:
    return peer.opened(1, streamtype="error", port="80", requestid="0") + peer.opened(3, streamtype="data", port="80", requestid="0")


def test_a_request_that_comes_in_many_pieces_is_asked_few_times_and_answered_once():
    peer = Peer()
    pieces = [peer.data(3, bytes([char])) for char in b"GET / HTTP/1.1\r\n\r\n"]
    wire = Wire(pair(peer), *pieces, after=2)
    asked = forwarded(wire, lambda request: PodPort(answer=b"found" if request.endswith(b"\r\n\r\n") else b""))
    assert len(asked) < len(pieces) and asked[-1] == (80, b"GET / HTTP/1.1\r\n\r\n")
    assert wire.data() == [(3, b"found", True), (1, b"", True)]


def test_why_there_is_no_answer_comes_on_the_stream_of_errors():
    peer = Peer()
    wire = Wire(pair(peer), peer.data(3, b"x"), after=2)
    forwarded(wire, lambda request: PodPort(error="refused"))
    assert wire.data() == [(1, b"refused", False), (3, b"", True), (1, b"", True)]


def test_nothing_is_held_of_streams_that_the_client_takes_back():
    peer, pieces = Peer(), []
    for number in range(1, 2001, 4):
        error = peer.opened(number, streamtype="error", port="80", requestid=str(number))
        data = peer.opened(number + 2, streamtype="data", port="80", requestid=str(number)) + peer.data(number + 2, b"G")
        pieces.append(error + data + b"".join(struct.pack("!IIII", 0x80030003, 8, each, 5) for each in (number, number + 2)))
    wire = Wire(*pieces)

    async def ask(port: int, request: bytes) -> PodPort:
        return PodPort()

    async def forward() -> PortForward:
        line = PortForward(wire.receive, wire.send, ask)
        await line.run()
        return line

    line = asyncio.run(forward())
    assert not (line._requests or line._data or line._errors)


def test_what_is_not_spdy_ends_the_connection():
    wire = Wire(b"GET / HTTP/1.1\r\n\r\n" * 10, after=9)
    assert forwarded(wire, lambda request: PodPort()) == []
