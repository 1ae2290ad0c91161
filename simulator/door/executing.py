"""``exec`` and ``attach``: the command of the run that a request stands for, and what the command has printed by a moment.

Source: pkg/registry/core/pod/strategy.go (streamLocation), pkg/apis/core/validation ValidatePodExecOptions; the
kubelet's messages are those of the kubectl tab (``kubectl/acting/outcome``).
"""

from msgspec import Struct

from simulator.door.exchange import DoorRequest
from simulator.door.logs import log_source
from simulator.door.paths import ApiPath, parse_path
from simulator.door.scene import DoorScene
from simulator.door.statuses import conflicting, forbidden, not_allowed, unknown_resource
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.roles import with_role
from simulator.engine.apiserver.answer import Answer, ApiError, bad_request
from simulator.engine.containers import Process
from simulator.engine.containers.turns.instances import SEEN
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Seq
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import PodRow
from simulator.engine.world.sessions import exec_said
from simulator.engine.world.world import World
from simulator.kubectl.acting.outcome import executing_words, refusal_words
from simulator.kubectl.unreachable import unreachable

STREAMED = ("exec", "attach", "portforward")
"""Subresources of a pod that need a connection of their own."""
PAST = "this address is a moment in the past and is read-only: change the run itself, or create a branch from this moment on the run's page"
READ_ONLY = "this key is read-only: create a key with write access on the run's page"
NO_UPGRADE = (
    "{what} needs a connection that is upgraded to WebSocket or SPDY, which this request is not: a proxy in between may not pass it on"
)
WORDS_MAX, WORDS_CHARS_MAX = 500, 65_536
"""The most words of a command, and the most characters in all of them."""


def streamed(request: DoorRequest) -> ApiPath | None:
    """The pod and subresource that a request wants to connect to; None if it asks for something else."""
    _, place = parse_path(request.path)
    is_pod = place is not None and (place.group, place.version, place.plural) == ("", "v1", "pods") and bool(place.namespace and place.name)
    return place if place is not None and is_pod and place.subresource in STREAMED else None


def stream_refused(request: DoorRequest, place: ApiPath, scene: DoorScene) -> ApiError:
    """Why a plain HTTP request has no answer: an error in it, or that it needs an upgraded connection."""
    try:
        if place.subresource == "exec":
            exec_command(request, place, scene)
        else:
            stream_source(request, place, scene)
    except ApiError as error:
        return error
    what = "port-forward" if place.subresource == "portforward" else place.subresource
    return not_allowed(NO_UPGRADE.format(what=what))


def stream_source(request: DoorRequest, place: ApiPath, scene: DoorScene) -> tuple[PodRow, str]:
    """The pod, which must be on a node, and its container. Raises ApiError."""
    row, container = log_source(request, place, scene)
    if not row.node:
        raise bad_request(f"pod {row.name} does not have a host assigned")
    refused = unreachable(scene.world, row.node)
    if refused:
        raise ApiError(Answer(code=500, reason="InternalError", message=refused.partition(": ")[2] or refused))
    return row, container


def exec_command(request: DoorRequest, place: ApiPath, scene: DoorScene) -> ExecInContainer:
    """The command of the run that a request stands for. Raises ApiError."""
    if place.subresource != "exec":
        raise unknown_resource()
    row, container = stream_source(request, place, scene)
    if scene.is_past:
        raise conflicting(PAST)
    if not scene.may_write:
        raise forbidden(READ_ONLY)
    words, tty = request.values("command"), request.has("tty")
    if not words:
        raise bad_request("you must specify at least one command for the container")
    if len(words) > WORDS_MAX or sum(map(len, words)) > WORDS_CHARS_MAX:
        raise bad_request("the command is too long")
    if not any(request.has(name) for name in ("stdin", "stdout", "stderr")):
        raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
    if row.status.phase in TERMINAL_PHASES:
        raise bad_request(f"cannot exec into a container in a completed pod; current phase is {row.status.phase}")
    target = with_role(scene.world.tables, row.key)
    return ExecInContainer(target=target, container=container, command=words, stdin=request.has("stdin"), tty=tty, apart=not tty)


class ExecOutput(Struct, frozen=True, kw_only=True):
    """What a command in a container has printed since the last look, and how it ended: ``code``, or ``error`` if it has none."""

    printed: str = ""
    errors: str = ""
    is_over: bool = False
    code: int = 0
    error: str = ""


def exec_output(world: World, seq: Seq, sent: tuple[int, int]) -> ExecOutput:
    """The output of the command with record ``seq`` after ``sent`` characters of stdout and stderr."""
    said = exec_said(world, seq)
    if not said.is_known:
        return ExecOutput(is_over=True, error="this session no longer exists")
    end = said.end
    error = executing_words(end.error) if end is not None and end.outcome == "error" else ""
    code = end.exit_code if end is not None else 0
    printed, errors = said.printed[sent[0] :], said.errors[sent[1] :]
    return ExecOutput(printed=printed, errors=errors, is_over=end is not None, code=code, error=error)


def attach_command(request: DoorRequest, place: ApiPath, scene: DoorScene) -> ExecInContainer | None:
    """The main process that a request wants to type into, as if it were a command; None if it only reads. Raises ApiError."""
    row, container = stream_source(request, place, scene)
    process = _process(scene.world, row, container)
    if process is None or not process.launch.stdin or not request.has("stdin") or scene.is_past or not scene.may_write:
        return None
    target = with_role(scene.world.tables, row.key)
    return ExecInContainer(target=target, container=container, command=(), stdin=True, tty=process.launch.tty)


def attach_output(row: PodRow, container: str, world: World, sent: int) -> ExecOutput:
    """What a main process with stdin has printed after ``sent`` characters."""
    process = _process(world, row, container)
    if process is None:
        return ExecOutput(is_over=True)
    return ExecOutput(printed=process.pipes.get(SEEN, "")[sent:], is_over=process.exit_code is not None)


def _process(world: World, row: PodRow, container: str) -> Process | None:
    return next((item.process for item in world.tables.instances.get(row.key, ()) if item.container == container), None)


def refusal_text(command: ExecInContainer, record: Record) -> str:
    """Why the run did not start a command, in the API server's words."""
    text = refusal_words(command, record).removeprefix("error: ")
    return f"Internal error occurred: {text}" if text.startswith("unable to upgrade") else text
