"""SPDY/3.1 as far as kubectl uses it: streams with headers, data and their ends. Takes bytes and returns events; nothing here waits.

kubectl's library has no flow control and sends no settings, so neither is implemented. What a peer can make this side
hold is bounded: the length of a frame, its unpacked headers, and the number of streams. Source: SPDY Protocol Draft 3.1
(sections 2.2, 2.6); moby/spdystream for the parts that are used.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping

from msgspec import Struct

FRAME_MAX, HEADERS_MAX, STREAMS_MAX = 1 << 20, 1 << 16, 200
_SYN_STREAM, _SYN_REPLY, _RST_STREAM, _PING, _GOAWAY, _HEADERS = 1, 2, 3, 6, 7, 8
_CONTROL, _FIN, _VERSION = 0x80000000, 1, 3
_NAMES = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization"
    " cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range"
    " content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified"
    " location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding"
    " upgrade user-agent vary via warning www-authenticate method get status"
)
_WORDS = (*_NAMES.split(), "200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin")
_REST = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found"
    "500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00"
    " Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,"
    "text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY = b"".join(struct.pack("!I", len(word)) + word.encode() for word in _WORDS) + _REST.encode()
"""The dictionary that both sides' compression starts from (section 2.6.10.1)."""


class BadSpdy(Exception):
    """The peer does not speak SPDY/3.1, or exceeds a limit."""


class StreamOpened(Struct, frozen=True):
    """The peer has opened a stream."""

    stream: int
    headers: Mapping[str, str]


class StreamData(Struct, frozen=True):
    """Data of a stream; with ``is_end`` the peer sends no more on it."""

    stream: int
    data: bytes
    is_end: bool = False


class StreamReset(Struct, frozen=True):
    """The peer has reset a stream."""

    stream: int


SpdyEvent = StreamOpened | StreamData | StreamReset


class Spdy:
    """The server's side of a connection. What is to be sent is collected until ``taken``."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._out: list[bytes] = []
        self._inflate, self._deflate = zlib.decompressobj(zdict=DICTIONARY), zlib.compressobj(zdict=DICTIONARY)
        self._streams: dict[int, None] = {}
        self.is_over = False

    def taken(self) -> bytes:
        """The bytes to send to the peer."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes) -> list[SpdyEvent]:
        """Take received bytes and return the events in them. Raises BadSpdy."""
        self._held += data
        return list(self._events())

    def reply(self, stream: int) -> None:
        """Accept a stream."""
        block = self._deflate.compress(struct.pack("!I", 0)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        self._control(_SYN_REPLY, struct.pack("!I", stream) + block)

    def send(self, stream: int, data: bytes, *, is_end: bool = False) -> None:
        """Send data on a stream; ``is_end`` ends it."""
        self._out.append(struct.pack("!II", stream, (_FIN << 24 if is_end else 0) | len(data)) + data)

    def close(self, stream: int) -> None:
        """Forget a stream that both sides have ended."""
        self._streams.pop(stream, None)

    def go_away(self) -> None:
        """Announce that the connection ends."""
        self._control(_GOAWAY, struct.pack("!II", max(self._streams, default=0), 0))

    def _control(self, kind: int, body: bytes) -> None:
        self._out.append(struct.pack("!II", _CONTROL | _VERSION << 16 | kind, len(body)) + body)

    def _events(self) -> Iterator[SpdyEvent]:
        while len(self._held) >= 8:
            first, second = struct.unpack_from("!II", self._held)
            flags, length = second >> 24, second & 0xFFFFFF
            if length > FRAME_MAX:
                raise BadSpdy("the frame is too large")
            if len(self._held) < 8 + length:
                return
            body = bytes(self._held[8 : 8 + length])
            del self._held[: 8 + length]
            if first & _CONTROL:
                yield from self._controlled(first, flags, body)
            elif first in self._streams:  # anything else belongs to a stream that is over
                yield StreamData(first, body, bool(flags & _FIN))

    def _controlled(self, first: int, flags: int, body: bytes) -> Iterator[SpdyEvent]:
        kind = first & 0xFFFF
        if first >> 16 & 0x7FFF != _VERSION:
            raise BadSpdy("this is not SPDY/3.1")
        if kind in (_SYN_STREAM, _RST_STREAM, _PING, _HEADERS) and len(body) < (10 if kind == _SYN_STREAM else 4):
            raise BadSpdy("the frame is too short")
        if kind == _SYN_STREAM:
            yield from self._opened(body, flags)
        elif kind == _HEADERS:
            self._headers(body[4:])  # they advance the shared compression state even if they are ignored
        elif kind == _PING:
            self._control(_PING, body[:4])
        elif kind == _GOAWAY:
            self.is_over = True
        elif kind == _RST_STREAM:
            stream = struct.unpack_from("!I", body)[0]
            self._streams.pop(stream, None)
            yield StreamReset(stream)

    def _opened(self, body: bytes, flags: int) -> Iterator[SpdyEvent]:
        stream = struct.unpack_from("!I", body)[0] & ~_CONTROL
        if len(self._streams) >= STREAMS_MAX or stream in self._streams or not stream:
            raise BadSpdy("there are too many streams")
        headers = self._headers(body[10:])
        self._streams[stream] = None
        yield StreamOpened(stream, headers)
        if flags & _FIN:
            yield StreamData(stream, b"", is_end=True)

    def _headers(self, block: bytes) -> dict[str, str]:
        try:
            text = self._inflate.decompress(block, HEADERS_MAX)
        except zlib.error as error:
            raise BadSpdy("the headers are not compressed as SPDY requires") from error
        if self._inflate.unconsumed_tail:
            raise BadSpdy("the headers are too large")
        words, place = [], 4
        while place + 4 <= len(text):
            size = struct.unpack_from("!I", text, place)[0]
            words.append(text[place + 4 : place + 4 + size].decode("latin-1"))
            place += 4 + size
        return {name.lower(): value for name, value in zip(words[::2], words[1::2], strict=False)}
