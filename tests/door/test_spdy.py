"""SPDY/3.1 with a peer implemented here: fragmented frames, compressed headers, limits."""

import struct
import zlib

import pytest

from simulator.door.spdy import DICTIONARY, FRAME_MAX, HEADERS_MAX, STREAMS_MAX, BadSpdy, Spdy, StreamData, StreamOpened, StreamReset


class Peer:
    """The client's side."""

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(zdict=DICTIONARY)

    def control(self, kind: int, body: bytes, *, flags: int = 0, version: int = 3) -> bytes:
        return struct.pack("!HHI", 0x8000 | version, kind, flags << 24 | len(body)) + body

    def headers(self, headers: dict[str, str]) -> bytes:
        words = [word.encode() for pair in headers.items() for word in pair]
        text = struct.pack("!I", len(headers)) + b"".join(struct.pack("!I", len(word)) + word for word in words)
        return self._deflate.compress(text) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def opened(self, stream: int, *, is_end: bool = False, **headers: str) -> bytes:
        return self.control(1, struct.pack("!IIH", stream, 0, 0) + self.headers(headers), flags=1 if is_end else 0)

    def data(self, stream: int, text: bytes, *, is_end: bool = False) -> bytes:
        return struct.pack("!II", stream, (1 << 24 if is_end else 0) | len(text)) + text


def test_the_dictionary_is_the_one_of_the_protocol():
    assert (len(DICTIONARY), zlib.adler32(DICTIONARY)) == (1423, 0xE3C6A7C2)


def test_streams_and_their_data_are_read_however_they_are_cut():
    peer, spdy = Peer(), Spdy()
    sent = peer.opened(1, streamtype="error") + peer.opened(3, is_end=True, streamtype="data", port="80") + peer.data(1, b"ab", is_end=True)
    found = [event for place in range(len(sent)) for event in spdy.receive(sent[place : place + 1])]
    assert found == [
        StreamOpened(1, {"streamtype": "error"}),
        StreamOpened(3, {"streamtype": "data", "port": "80"}),
        StreamData(3, b"", True),
        StreamData(1, b"ab", True),
    ]


def test_what_is_sent_can_be_read_by_the_other_side():
    spdy = Spdy()
    spdy.receive(Peer().opened(1))
    spdy.reply(1)
    spdy.send(1, b"text", is_end=True)
    sent = spdy.taken()
    size = struct.unpack_from("!I", sent, 4)[0] & 0xFFFFFF
    assert struct.unpack_from("!HHII", sent) == (0x8003, 2, size, 1)
    assert zlib.decompressobj(zdict=DICTIONARY).decompress(sent[12 : 8 + size]) == bytes(4)
    assert sent[8 + size :] == struct.pack("!II", 1, 1 << 24 | 4) + b"text"


def test_pings_are_answered_and_what_is_over_is_said():
    peer, spdy = Peer(), Spdy()
    assert spdy.receive(peer.control(6, struct.pack("!I", 7))) == []
    assert spdy.taken() == peer.control(6, struct.pack("!I", 7))
    spdy.receive(peer.opened(1))
    assert spdy.receive(peer.control(3, struct.pack("!II", 1, 5))) == [StreamReset(1)]
    assert spdy.receive(peer.data(1, b"late")) == []
    spdy.receive(peer.control(7, bytes(8)))
    assert spdy.is_over


def test_the_end_of_a_connection_says_which_stream_was_the_last():
    peer, spdy = Peer(), Spdy()
    spdy.go_away()
    assert spdy.taken() == peer.control(7, bytes(8))
    for stream in (1, 5, 3):
        spdy.receive(peer.opened(stream))
    spdy.go_away()
    assert spdy.taken() == peer.control(7, struct.pack("!II", 5, 0))


@pytest.mark.parametrize(
    "sent",
    [
        Peer().control(1, bytes(3)),
        Peer().control(1, struct.pack("!IIH", 1, 0, 0) + b"no zlib"),
        Peer().control(1, b"", version=2),
        struct.pack("!II", 1, FRAME_MAX + 1),
        Peer().opened(1, name="x" * HEADERS_MAX),
        Peer().opened(0),
    ],
)
def test_what_is_not_spdy_or_too_much_ends_the_connection(sent: bytes):
    with pytest.raises(BadSpdy):
        Spdy().receive(sent)


def test_streams_are_counted():
    peer, spdy = Peer(), Spdy()
    for number in range(STREAMS_MAX):
        spdy.receive(peer.opened(2 * number + 1))
    with pytest.raises(BadSpdy):
        spdy.receive(peer.opened(9999))


def test_a_frame_may_be_as_large_as_the_limit_and_a_stream_open_without_headers():
    spdy = Spdy()
    assert spdy.receive(struct.pack("!II", 1, FRAME_MAX)) == []
    assert Spdy().receive(Peer().control(1, struct.pack("!IIH", 1, 0, 0))) == [StreamOpened(1, {})]


def test_a_header_may_be_empty():
    assert Spdy().receive(Peer().opened(1, streamtype="data", note="")) == [StreamOpened(1, {"streamtype": "data", "note": ""})]


def test_a_stream_is_opened_once():
    peer, spdy = Peer(), Spdy()
    spdy.receive(peer.opened(1))
    with pytest.raises(BadSpdy):
        spdy.receive(peer.opened(1))
