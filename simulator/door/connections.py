"""Connections to pods over a WebSocket or an upgrade to SPDY: exec, attach and port-forward, from start to end.

The caller says what a connection is for and carries out its commands. A client that is refused before the connection is
established asks once more by plain HTTP and gets the reason there (``executing``).
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from msgspec import Struct

from lifecycle_site.addresses import Receive, Scope, Send
from lifecycle_site.spdy_upgrade import SPDY
from simulator.door.channel_line import ChannelLine, WebSocketLine
from simulator.door.channels import ERROR, PROTOCOLS, STDERR, STDIN, STDOUT
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.exec_session import AttachSession, ExecSession, SessionRun, SessionTurns
from simulator.door.executing import ExecOutput, attach_command, attach_output, exec_command, exec_output, stream_source, streamed
from simulator.door.logs import LogCursor, log_since, log_so_far
from simulator.door.portforward import PodPort, pod_answer, pod_port
from simulator.door.scene import DoorScene
from simulator.door.spdy_line import PortForward, SpdyLine
from simulator.door.statuses import answer_reply, unknown_resource
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.kernel.units import Seq
from simulator.kubectl.logs import LogWanted

TUNNEL, FORWARDED = "SPDY/3.1+portforward.k8s.io", "portforward.k8s.io"
"""The subprotocol of a WebSocket that tunnels port-forward's SPDY, and the protocol spoken inside it."""
NO_VERSION = "unable to upgrade: the supported stream protocols are v4.channel.k8s.io and portforward.k8s.io"
_LOG = LogWanted(previous=False, timestamps=False, prefix=False, tail=0, from_ms=None, limit_bytes=0, query="")


class StreamBegun(Struct, frozen=True, kw_only=True):
    """What a connection is for: a ``command`` to run (``is_attached``: one that is already running), or a container's log
    from ``cursor`` on.

    Neither is set for port-forward.
    """

    command: ExecInContainer | None = None
    is_attached: bool = False
    cursor: LogCursor | None = None


class ConnectionTurns(SessionTurns, Protocol):
    """What a connection asks of the run."""

    async def port(self, port: int, data: bytes) -> PodPort:
        """The pod's answer at that port."""


class OpenedConnection(Struct, frozen=True):
    """An accepted connection, with the run it connects to and what it asks of the run."""

    begun: StreamBegun
    run: SessionRun
    turns: ConnectionTurns


Opening = Callable[[], Awaitable[OpenedConnection | DoorReply]]


# ---- at a moment -----------------------------------------------------------------------------------------------------
def stream_in(request: DoorRequest, scene: DoorScene) -> StreamBegun:
    """What a connection is for. Raises ApiError."""
    place = streamed(request)
    if place is None:
        raise unknown_resource()
    if place.subresource == "exec":
        return StreamBegun(command=exec_command(request, place, scene))
    if place.subresource == "portforward":
        pod_port(place, scene, 0)
        return StreamBegun()
    typing = attach_command(request, place, scene)
    if typing is not None:
        return StreamBegun(command=typing, is_attached=True)
    row, container = stream_source(request, place, scene)
    return StreamBegun(cursor=log_so_far(row, container, _LOG, scene)[1])


def output_in(request: DoorRequest, scene: DoorScene, seq: Seq, sent: tuple[int, int]) -> ExecOutput:
    """The output, after ``sent`` characters, of the command with that record (0: the main process)."""
    place = streamed(request)
    if seq or place is None:
        return exec_output(scene.world, seq, sent)
    try:
        row, container = stream_source(request, place, scene)
    except ApiError:  # the pod is gone
        return ExecOutput(is_over=True)
    return attach_output(row, container, scene.world, sent[0])


def printed_in(request: DoorRequest, scene: DoorScene, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
    """What the container has printed since the cursor, the new cursor, and whether the log has ended."""
    place = streamed(request)
    assert place is not None, "no pod is asked for"
    try:
        row, container = stream_source(request, place, scene)
        return log_since(row, container, _LOG, scene, cursor)
    except ApiError:  # the pod is gone
        return "", cursor, True


def port_in(request: DoorRequest, scene: DoorScene, port: int, data: bytes) -> PodPort:
    """The pod's answer to a request at that port."""
    place = streamed(request)
    assert place is not None, "no pod is asked for"
    try:
        return pod_answer(place, scene, port, data)
    except ApiError as error:
        return PodPort(error=error.answer.message)


# ---- the connection --------------------------------------------------------------------------------------------------
async def refuse(send: Send) -> None:
    """Close the connection before it is established."""
    await send({"type": "websocket.close", "code": 1008})


async def serve_connection(
    scope: Scope, request: DoorRequest, receive: Receive, send: Send, opening: Opening, headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Serve a connection that asks to be established; ``headers`` are added to a refusal by HTTP."""
    offered = scope.get("subprotocols") or []
    is_upgrade = SPDY in offered
    is_forwarding = request.path.rstrip("/").endswith("/portforward")
    protocol = SPDY if is_upgrade else next((name for name in ((TUNNEL,) if is_forwarding else PROTOCOLS) if name in offered), None)
    if protocol is None:
        await refuse(send)
        return
    found = await opening()
    if isinstance(found, DoorReply):
        await (_answer(send, found, headers) if is_upgrade else refuse(send))
        return
    version = _version(scope, is_forwarding=is_forwarding)
    if is_upgrade and not version:
        await _answer(send, answer_reply(Answer(code=403, reason="Forbidden", message=NO_VERSION)), headers)
        return
    accepted = [(b"x-stream-protocol-version", version.encode())] if is_upgrade else []
    await send({"type": "websocket.accept", "subprotocol": protocol, "headers": accepted})
    if is_forwarding:
        await PortForward(receive, send, found.turns.port).run()
    elif is_upgrade:
        line = SpdyLine(receive, send)
        names = {"stdin": STDIN, "stdout": STDOUT, "stderr": STDERR}
        if await line.opened({ERROR, *(channel for name, channel in names.items() if request.has(name))}):
            await _talk(found, request, line)
    else:
        await _talk(found, request, WebSocketLine(receive, send))


async def _talk(opened: OpenedConnection, request: DoorRequest, line: ChannelLine) -> None:
    """Run an exec or attach session from start to end."""
    begun = opened.begun
    if begun.command is not None:
        await ExecSession(opened.run, begun.command, line, opened.turns, is_attached=begun.is_attached).run()
    elif begun.cursor is not None:
        await AttachSession(opened.run, begun.cursor, line, opened.turns, tty=request.has("tty")).run()


def _version(scope: Scope, *, is_forwarding: bool) -> str:
    """The newest supported stream protocol that the client of an upgrade offers; empty if there is none."""
    said = b",".join(value for key, value in scope["headers"] if key == b"x-stream-protocol-version").decode("latin-1")
    offered = {part.strip() for part in said.split(",")}
    return next((name for name in ((FORWARDED,) if is_forwarding else (PROTOCOLS[1],)) if name in offered), "")


async def _answer(send: Send, reply: DoorReply, more: Sequence[tuple[bytes, bytes]]) -> None:
    headers = [(b"content-type", reply.content_type.encode()), (b"content-length", str(len(reply.body)).encode())]
    headers += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    await send({"type": "websocket.http.response.start", "status": reply.status, "headers": [*headers, *more]})
    await send({"type": "websocket.http.response.body", "body": reply.body})
