"""The connections of the door: WebSockets of exec, attach and port-forward, in front of the sockets of pages.

A client that is refused before the connection stands asks once more by plain HTTP, and is told there why (``executing``). The key is in
the address, so no other site's page can open one: whoever knows the key may.
"""

import asyncio
import logging
from collections import Counter
from time import monotonic

from lifecycle_site.addresses import Application, Receive, Scope, Send
from lifecycle_site.spdy_upgrade import SPDY
from lifecycle_site.throttle import Allowances
from lifecycle_site.visitors import visitor_at
from simulator.door.channel_line import ChannelLine, WebSocketLine
from simulator.door.channels import ERROR, PROTOCOLS, STDERR, STDIN, STDOUT
from simulator.door.exchange import DoorReply, DoorRequest, request_in
from simulator.door.exec_session import AttachSession, ExecSession, SessionEnded
from simulator.door.executing import ExecHeard, streamed
from simulator.door.logs import LogCursor
from simulator.door.portforward import PodPort
from simulator.door.spdy_line import PortForward, SpdyLine
from simulator.door.statuses import answer_reply, status_reply, unauthorized
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.apiserver.answer import Answer
from simulator.engine.kernel.units import Seq
from simulator.runs.log.db import in_db
from simulator.runs.selectors.typed_lines import act_key
from simulator.runs.services.errors import ServiceError
from simulator.web.door.addresses import DoorAddress, door_address
from simulator.web.door.application import HEADERS, LOOK_S, WRITE_S_MAX, computed_for, failure_reply, further, header_of, opened
from simulator.web.door.exec_turns import StreamBegun, attach_told, exec_refused, exec_told, port_told, stream_begun
from simulator.web.door.moments import AskedOf
from simulator.web.door.session_run import SiteRun
from simulator.web.door.streams import WatchOver
from simulator.web.door.writes import applied_seq, given

SOCKETS_MAX = 30
"""Connections of one visitor that are open at the same time; a class has one address."""
OPENINGS_PER_SECOND = 5
TUNNEL, FORWARDED = "SPDY/3.1+portforward.k8s.io", "portforward.k8s.io"
"""The subprotocol of a WebSocket that carries port-forward's SPDY, and the name of what is spoken in it."""
NO_VERSION = "unable to upgrade: of the stream protocols v4.channel.k8s.io and portforward.k8s.io are spoken"

log = logging.getLogger(__name__)


class DoorSockets:
    """Serves connections to pods, and hands every other one on."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._allowances = Allowances()
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the connection."""
        address = door_address(scope["path"], header_of(scope, b"authorization")) if "/k8s" in scope["path"] else None
        if address is None:
            await self._application(scope, receive, send)
            return
        await receive()  # that it wants to connect
        visitor = visitor_at(str((scope.get("client") or [""])[0]))
        asked = asked_in(scope, address)
        may = self._open[visitor] < SOCKETS_MAX and self._allowances.take(visitor, per_second=OPENINGS_PER_SECOND)
        if not may or streamed(asked) is None:
            await _refuse(send)
            return
        self._open[visitor] += 1
        try:
            await _served(scope, address, asked, visitor, receive, send)
        finally:
            self._open[visitor] -= 1
            self._open = +self._open


def asked_in(scope: Scope, address: DoorAddress) -> DoorRequest:
    """What a connection wants, as a request."""
    return request_in(scope, address.path, method="POST")


async def _refuse(send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008})


async def _served(scope: Scope, address: DoorAddress, asked: DoorRequest, visitor: str, receive: Receive, send: Send) -> None:
    offered = scope.get("subprotocols") or []
    is_upgrade = SPDY in offered
    is_forwarding = asked.path.rstrip("/").endswith("/portforward")
    protocol = SPDY if is_upgrade else next((name for name in ((TUNNEL,) if is_forwarding else PROTOCOLS) if name in offered), None)
    if protocol is None:
        await _refuse(send)
        return
    found = await stream_opened(address, asked, visitor)
    if isinstance(found, DoorReply):
        await (_answer(send, found) if is_upgrade else _refuse(send))
        return
    of, begun = found
    version = _version(scope, is_forwarding=is_forwarding) if is_upgrade else ""
    if is_upgrade and not version:
        await _answer(send, answer_reply(Answer(code=403, reason="Forbidden", message=NO_VERSION)))
        return
    headers = [(b"x-stream-protocol-version", version.encode())] if is_upgrade else []
    await send({"type": "websocket.accept", "subprotocol": protocol, "headers": headers})
    turns = DoorTurns(address, of, asked, visitor)
    if is_forwarding:
        await PortForward(receive, send, turns.port).run()
    elif is_upgrade:
        line = SpdyLine(receive, send)
        names = {"stdin": STDIN, "stdout": STDOUT, "stderr": STDERR}
        if await line.opened({ERROR, *(channel for name, channel in names.items() if asked.has(name))}):
            await serve_stream(of, begun, asked, line, turns, visitor)
    else:
        await serve_stream(of, begun, asked, WebSocketLine(receive, send), turns, visitor)


def _version(scope: Scope, *, is_forwarding: bool) -> str:
    """The newest protocol of streams that the client of an upgrade offers and that is spoken; empty where there is none."""
    offered = {part.strip() for part in header_of(scope, b"x-stream-protocol-version").split(",")}
    return next((name for name in ((FORWARDED,) if is_forwarding else (PROTOCOLS[1],)) if name in offered), "")


async def _answer(send: Send, reply: DoorReply) -> None:
    headers = [(b"content-type", reply.content_type.encode()), (b"content-length", str(len(reply.body)).encode())]
    headers += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    await send({"type": "websocket.http.response.start", "status": reply.status, "headers": [*headers, *HEADERS]})
    await send({"type": "websocket.http.response.body", "body": reply.body})


async def stream_opened(address: DoorAddress, asked: DoorRequest, visitor: str) -> tuple[AskedOf, StreamBegun] | DoorReply:
    """What a connection is for; a reply where it is refused."""
    try:
        of = await in_db(opened, address)
        if of is None:
            return status_reply(unauthorized())
        begun = await computed_for(visitor, stream_begun, of, asked)
    except Exception as error:
        found = failure_reply(error)
        if found is None:
            raise
        return found
    return begun if isinstance(begun, DoorReply) else (of, begun)


async def serve_stream(of: AskedOf, begun: StreamBegun, asked: DoorRequest, line: ChannelLine, turns: "DoorTurns", visitor: str) -> None:
    """A session of exec or attach, from its beginning to its end."""
    if begun.command is not None:
        await ExecSession(SiteRun(of, visitor), begun.command, line, turns, is_attached=begun.is_attached).run()
    elif begun.cursor is not None:
        await AttachSession(SiteRun(of, visitor), begun.cursor, line, turns, tty=asked.has("tty")).run()


class DoorTurns:
    """What a session asks of the site, with the key of its address looked at each time."""

    def __init__(self, address: DoorAddress, of: AskedOf, asked: DoorRequest, visitor: str) -> None:
        self._of, self._asked, self._address, self._visitor = of, asked, address, visitor

    async def give(self, command: AnyCommand) -> Seq:
        """Give a command of the run; the number of its record. Raises SessionEnded and WatchOver."""
        try:
            row_id = await in_db(given, self._of, command, act_key(""))
        except ServiceError as error:
            raise SessionEnded(str(error)) from error
        end_s = monotonic() + WRITE_S_MAX
        while monotonic() < end_s:
            await asyncio.sleep(LOOK_S)
            seq = await in_db(applied_seq, row_id)
            if seq is not None:
                return seq
        raise WatchOver

    async def refused(self, command: ExecInContainer, seq: Seq) -> str:
        """Why the run did not begin the command; empty where it did."""
        return await further(self._address, self._visitor, exec_refused, self._of, command, seq)

    async def told(self, seq: Seq, told: tuple[int, int]) -> ExecHeard:
        """What the command has said after so many characters."""
        return await further(self._address, self._visitor, exec_told, self._of, self._asked, seq, told)

    async def port(self, port: int, request: bytes) -> PodPort:
        """What the pod answers at that port."""
        return await further(self._address, self._visitor, port_told, self._of, self._asked, port, request)

    async def attached(self, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
        """What a container has printed since, and whether that is all."""
        return await further(self._address, self._visitor, attach_told, self._of, self._asked, cursor)
