"""The connections of the door: WebSockets of exec, attach and port-forward, in front of the sockets of pages.

A client that is refused before the connection stands asks once more by plain HTTP, and is told there why (``executing``). The key is in
the address, so no other site's page can open one: whoever knows the key may.
"""

import asyncio
import logging
from collections import Counter
from time import monotonic
from urllib.parse import parse_qsl

from lifecycle_site.addresses import Application, Receive, Scope, Send
from lifecycle_site.throttle import Allowances
from lifecycle_site.visitors import visitor_at
from simulator.door.channels import PROTOCOLS
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.executing import ExecHeard, streamed
from simulator.door.logs import LogCursor
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.kernel.units import Seq
from simulator.runs.log.db import in_db
from simulator.web.door.addresses import DoorAddress, door_address
from simulator.web.door.application import LOOK_S, WRITE_S_MAX, computed_for, failure_reply, further, header_of, opened
from simulator.web.door.channel_socket import ChannelLine, WebSocketLine
from simulator.web.door.exec_session import AttachSession, ExecSession, client_key
from simulator.web.door.exec_turns import StreamBegun, attach_told, exec_refused, exec_told, stream_begun
from simulator.web.door.moments import AskedOf
from simulator.web.door.streams import WatchOver
from simulator.web.door.writes import applied_seq, given

SOCKETS_MAX = 10
"""Connections of one visitor that are open at the same time."""
OPENINGS_PER_SECOND = 5

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
    query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True, errors="replace", max_num_fields=1000)
    headers = {"user-agent": header_of(scope, b"user-agent"), "kubectl-command": header_of(scope, b"kubectl-command")}
    return DoorRequest(method="POST", path=address.path, query=tuple(query), headers=headers)


async def _refuse(send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008})


async def _served(scope: Scope, address: DoorAddress, asked: DoorRequest, visitor: str, receive: Receive, send: Send) -> None:
    offered = scope.get("subprotocols") or []
    protocol = next((name for name in PROTOCOLS if name in offered), None)
    found = await stream_opened(address, asked, visitor) if protocol is not None else None
    if found is None:
        await _refuse(send)
        return
    of, begun = found
    await send({"type": "websocket.accept", "subprotocol": protocol})
    await serve_stream(of, begun, asked, WebSocketLine(receive, send), DoorTurns(address, of, asked, visitor), visitor)


async def stream_opened(address: DoorAddress, asked: DoorRequest, visitor: str) -> tuple[AskedOf, StreamBegun] | None:
    """What a connection is for, None where it is refused."""
    try:
        of = await in_db(opened, address)
        begun = None if of is None else await computed_for(visitor, stream_begun, of, asked)
    except Exception as error:
        if failure_reply(error) is None:
            raise
        return None
    return None if of is None or begun is None or isinstance(begun, DoorReply) else (of, begun)


async def serve_stream(of: AskedOf, begun: StreamBegun, asked: DoorRequest, line: ChannelLine, turns: "DoorTurns", visitor: str) -> None:
    """A session of exec or attach, from its beginning to its end."""
    if begun.command is not None:
        await ExecSession(of, begun.command, line, turns, visitor).run()
    elif begun.cursor is not None:
        await AttachSession(of, begun.cursor, line, turns, visitor, tty=asked.has("tty")).run()


class DoorTurns:
    """What a session asks of the site, with the key of its address looked at each time."""

    def __init__(self, address: DoorAddress, of: AskedOf, asked: DoorRequest, visitor: str) -> None:
        self._of, self._asked, self._address, self._visitor = of, asked, address, visitor

    async def give(self, command: AnyCommand) -> Seq:
        """Give a command of the run; the number of its record. Raises ServiceError and WatchOver."""
        row_id = await in_db(given, self._of, command, client_key())
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

    async def attached(self, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
        """What a container has printed since, and whether that is all."""
        return await further(self._address, self._visitor, attach_told, self._of, self._asked, cursor)
