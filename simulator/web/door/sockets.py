"""The door's WebSockets for exec, attach and port-forward, in front of the sockets of pages.

A client that is refused before the connection is established retries with plain HTTP, and gets the reason there (``executing``). There is
no origin check: the key is in the URL, so another site's page cannot open one without knowing the key.
"""

import asyncio
import logging
from collections import Counter
from functools import partial
from time import monotonic

from lifecycle_site.addresses import Application, Receive, Scope, Send
from lifecycle_site.throttle import Allowances
from lifecycle_site.visitors import visitor_at
from simulator.door.connections import OpenedConnection, refuse, serve_connection
from simulator.door.exchange import DoorReply, DoorRequest, request_in
from simulator.door.exec_session import SessionEnded
from simulator.door.executing import ExecOutput, streamed
from simulator.door.logs import LogCursor
from simulator.door.portforward import PodPort
from simulator.door.statuses import status_reply, unauthorized
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.kernel.units import Seq
from simulator.runs.log.db import in_db
from simulator.runs.selectors.typed_lines import act_key
from simulator.runs.services.errors import ServiceError
from simulator.web.door.addresses import DoorAddress, door_address
from simulator.web.door.application import HEADERS, LOOK_S, WRITE_S_MAX, computed_for, failure_reply, further, header_of, opened
from simulator.web.door.exec_turns import attach_told, exec_refused, exec_told, port_told, stream_begun
from simulator.web.door.moments import AskedOf
from simulator.web.door.session_run import SiteRun
from simulator.web.door.streams import WatchOver
from simulator.web.door.writes import applied_seq, given

SOCKETS_MAX = 30
"""Open connections per visitor; a class shares one address."""
OPENINGS_PER_SECOND = 5
log = logging.getLogger(__name__)


class DoorSockets:
    """Serves connections to pods, and passes all others on."""

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
        await receive()  # the connect message
        visitor = visitor_at(str((scope.get("client") or [""])[0]))
        asked = asked_in(scope, address)
        may = self._open[visitor] < SOCKETS_MAX and self._allowances.take(visitor, per_second=OPENINGS_PER_SECOND)
        if not may or streamed(asked) is None:
            await refuse(send)
            return
        self._open[visitor] += 1
        try:
            await serve_connection(scope, asked, receive, send, partial(stream_opened, address, asked, visitor), HEADERS)
        finally:
            self._open[visitor] -= 1
            self._open = +self._open


def asked_in(scope: Scope, address: DoorAddress) -> DoorRequest:
    """The request behind a connection."""
    return request_in(scope, address.path, method="POST")


async def stream_opened(address: DoorAddress, asked: DoorRequest, visitor: str) -> OpenedConnection | DoorReply:
    """Open a connection; return a reply if it is refused."""
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
    return begun if isinstance(begun, DoorReply) else OpenedConnection(begun, SiteRun(of, visitor), DoorTurns(address, of, asked, visitor))


class DoorTurns:
    """What a session needs from the site; the key in its URL is checked each time."""

    def __init__(self, address: DoorAddress, of: AskedOf, asked: DoorRequest, visitor: str) -> None:
        self._of, self._asked, self._address, self._visitor = of, asked, address, visitor

    async def give(self, command: AnyCommand) -> Seq:
        """Give the run a command; return the number of its record. Raises SessionEnded and WatchOver."""
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
        """Why the run did not start the command; empty if it did."""
        return await further(self._address, self._visitor, exec_refused, self._of, command, seq)

    async def output(self, seq: Seq, sent: tuple[int, int]) -> ExecOutput:
        """The command's output after the characters already sent."""
        return await further(self._address, self._visitor, exec_told, self._of, self._asked, seq, sent)

    async def port(self, port: int, request: bytes) -> PodPort:
        """The pod's answer at that port."""
        return await further(self._address, self._visitor, port_told, self._of, self._asked, port, request)

    async def attached(self, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
        """What a container has printed since then, and whether that is all."""
        return await further(self._address, self._visitor, attach_told, self._of, self._asked, cursor)
