"""A real site, addressed byte by byte: no HTTP library would send what the grammar produces."""

import asyncio
import base64
import re
from itertools import count
from pathlib import Path
from zlib import MAX_WBITS, decompress, error

from simulator.bench.doors.model import Headers, Message, Reply, Request, Talk, TalkEnd
from simulator.bench.frames import CLOSE, TEXT, masked, next_frame
from simulator.bench.processes import children_of
from simulator.bench.site import MeasuredSite

PATIENCE_S = 60.0
"""Longer than the site's own time limit, so that its refusal comes first."""
PING = b'{"type":"ping"}'
PONG = b'"type":"pong"'
LINE_MAX = 1 << 22
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


class WiredSite:
    """A site started for the walk. Each request comes from an address of its own, so that limits by address do not apply."""

    def __init__(self, site: MeasuredSite) -> None:
        self.host = f"localhost:{site.port}".encode()
        self._site, self._read = site, 0
        self._numbers = count(1)
        self._family = {pid: _began(pid) for pid in (site.process.pid, *children_of(site.process.pid))}

    async def ask(self, request: Request) -> Reply:
        """The answer to a request, or how the connection ended."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                reader, writer = await self._connect()
                try:
                    writer.write(self._head(request.method, request.target, _framed(request)) + request.body)
                    return _answer(await reader.read(-1))
                finally:
                    writer.close()
        except (OSError, TimeoutError) as problem:
            return Reply(status=0, broken=type(problem).__name__)

    async def talk(self, talk: Talk) -> TalkEnd:
        """Open the socket, send everything, and then check whether it still responds."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                reader, writer = await self._connect()
                try:
                    writer.write(self._head(b"GET", talk.target, _upgrading(self.host, talk.headers)))
                    found = _STATUS.match(await reader.readuntil(b"\r\n\r\n"))
                    if found is None or found[1] != b"101":
                        return TalkEnd(status=int(found[1]) if found else 0, broken="" if found else "no answer of HTTP")
                    return await _said(reader, writer, talk.messages)
                finally:
                    writer.close()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
            return TalkEnd(status=0, broken=type(problem).__name__)

    def new_log(self) -> str:
        """What has been logged since the last call."""
        text, self._read = self._site.log_from(self._read)
        return text

    def ended_processes(self) -> list[str]:
        """Checks only the web process and the fork server: all others come and go as needed.

        If one of those is lost, or ends because of a request, the log says so.
        """
        gone = [pid for pid, began in self._family.items() if _began(pid) != began]
        for pid in gone:
            del self._family[pid]
        return ["the web process or the fork server"] * len(gone)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        number = next(self._numbers)
        address = f"127.{1 + number // 62_500 % 250}.{1 + number // 250 % 250}.{1 + number % 250}"
        return await asyncio.open_connection("127.0.0.1", self._site.port, local_addr=(address, 0), limit=LINE_MAX)

    def _head(self, method: bytes, target: bytes, headers: Headers) -> bytes:
        named = {name.lower() for name, _ in headers}
        host = () if b"host" in named else ((b"Host", self.host),)
        lines = [b"%s %s HTTP/1.1" % (method, target), *(b"%s: %s" % pair for pair in (*host, *headers)), b"", b""]
        return b"\r\n".join(lines)


def _began(pid: int) -> str:
    """The start time of the process, in kernel ticks; empty if it does not exist or is a zombie."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if words[0] in "ZX" else words[19]


def _framed(request: Request) -> Headers:
    length = ((b"Content-Length", str(len(request.body)).encode()),) if request.body else ()
    return (*request.headers, *length, (b"Connection", b"close"))


def _upgrading(host: bytes, headers: Headers) -> Headers:
    named = {name for name, _ in headers}
    origin = () if b"Origin" in named else ((b"Origin", b"http://" + host),)
    key = base64.b64encode(b"0123456789abcdef")
    handshake = ((b"Upgrade", b"websocket"), (b"Connection", b"Upgrade"), (b"Sec-WebSocket-Key", key), (b"Sec-WebSocket-Version", b"13"))
    return (*handshake, *origin, *headers)


def _answer(received: bytes) -> Reply:
    while True:
        head, _, body = received.partition(b"\r\n\r\n")
        found = _STATUS.match(head)
        if found is None:
            return Reply(status=0, body=received[:300], broken="no answer of HTTP" if received else "closed without an answer")
        if found[1] != b"100":
            break
        received = body
    pairs = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    headers = tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)
    answer = Reply(status=int(found[1]), headers=headers, body=body)
    if answer.header(b"transfer-encoding") == b"chunked":
        body = _unchunked(body)
    if answer.header(b"content-encoding") == b"gzip":
        try:
            body = decompress(body, MAX_WBITS | 16) if body else body
        except error:
            return Reply(status=answer.status, headers=headers, body=body, broken="a body that is not packed as it says")
    return Reply(status=answer.status, headers=headers, body=body)


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size, 16)
        whole, body = whole + body[:length], body[length + 2 :]
    return whole


async def _said(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, messages: tuple[Message, ...]) -> TalkEnd:
    """Send everything, and ping until a pong can only be the answer to a later ping; the site may answer several pings with one."""
    for message in messages:
        writer.write(masked(0x80 | message.opcode, message.payload))
    writer.write(masked(TEXT, PING))
    awaited = pings_in(messages) + 1
    while True:
        kind, payload = await next_frame(reader)
        if kind == CLOSE:
            return TalkEnd(status=101, code=int.from_bytes(payload[:2], "big"))
        if kind == TEXT and PONG in payload[:40]:
            awaited -= 1
            if not awaited:
                return TalkEnd(status=101, answers=True)
            writer.write(masked(TEXT, PING))


def pings_in(messages: tuple[Message, ...]) -> int:
    """How many of the messages may be answered with a pong, at most."""
    return sum(b"ping" in message.payload for message in messages)
