"""exec, attach and port-forward for a cluster with one command: sessions that give commands of the played run and send back the output."""

import asyncio
from collections.abc import Callable

from simulator.door.connections import OpenedConnection, output_in, port_in, printed_in, stream_in
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.executing import ExecOutput, refusal_text
from simulator.door.logs import LogCursor
from simulator.door.portforward import PodPort
from simulator.door.scene import DoorScene
from simulator.door.statuses import status_reply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq

Give = Callable[[AnyCommand], Record]


class ClusterConnection:
    """One connection: its run and what it asks of it. ``give`` carries out a command at once."""

    def __init__(self, request: DoorRequest, scene: Callable[[], DoorScene], give: Give, sessions: "set[ClusterConnection]") -> None:
        self._request, self._scene, self._give, self._sessions = request, scene, give, sessions
        self._own: dict[Seq, Record] = {}
        self.awake, self.is_over = asyncio.Event(), False

    async def opened(self) -> OpenedConnection | DoorReply:
        """What the connection is for; a reply if it is refused."""
        try:
            return OpenedConnection(stream_in(self._request, self._scene()), self, self)
        except ApiError as error:
            return status_reply(error)

    # ---- the run -----------------------------------------------------------------------------------------------------
    async def enter(self) -> None:
        """Start being woken when something happens."""
        self._sessions.add(self)

    async def leave(self) -> None:
        """Stop being woken."""
        self._sessions.discard(self)

    async def now_ms(self) -> Ms | None:
        """The present moment."""
        return self._scene().now_ms

    # ---- what is asked of it -----------------------------------------------------------------------------------------
    async def give(self, command: AnyCommand) -> Seq:
        """Carry out a command and return the number of its record."""
        own = self._give(command)
        self._own[own.seq] = own
        return own.seq

    async def refused(self, command: ExecInContainer, seq: Seq) -> str:
        """Why the run did not start the command; empty if it did."""
        own = self._own[seq]
        return refusal_text(command, own) if own.target == "refused" else ""

    async def output(self, seq: Seq, sent: tuple[int, int]) -> ExecOutput:
        """The command's output after ``sent`` characters."""
        return output_in(self._request, self._scene(), seq, sent)

    async def attached(self, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
        """What a container has printed since the cursor, the new cursor, and whether the log has ended."""
        return printed_in(self._request, self._scene(), cursor)

    async def port(self, port: int, request: bytes) -> PodPort:
        """The pod's answer at that port."""
        return port_in(self._request, self._scene(), port, request)
