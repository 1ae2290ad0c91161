"""``exec`` and ``attach`` of a pod: which command of the run a request is, and what the command has said by a moment.

Source: pkg/registry/core/pod/strategy.go (streamLocation), pkg/apis/core/validation ValidatePodExecOptions; the kubelet's words are those
of the kubectl tab (``kubectl/acting/outcome``).
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
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Seq
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from simulator.kubectl.acting.outcome import executing_words, refusal_words
from simulator.kubectl.unreachable import unreachable

STREAMED = ("exec", "attach", "portforward")
"""Subresources of a pod that are talked to over a connection of their own."""
PAST = "this address is a moment of the past and only reads: change the run itself, or make a branch from this moment on the run's page"
READ_ONLY = "this key only reads: make a key that writes on the run's page"
NO_SPDY = (
    "{what} needs a client that speaks WebSocket: kubectl 1.31 or later, or kubectl 1.29 or 1.30 with "
    "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true; this server does not speak SPDY"
)
WORDS_MAX, WORDS_CHARS_MAX = 500, 65_536
"""Words of a command, and their characters together."""


def streamed(asked: DoorRequest) -> ApiPath | None:
    """The pod and the subresource that a request wants to talk to; None where it wants something else."""
    _, place = parse_path(asked.path)
    is_pod = place is not None and (place.group, place.version, place.plural) == ("", "v1", "pods") and bool(place.namespace and place.name)
    return place if place is not None and is_pod and place.subresource in STREAMED else None


def stream_refused(asked: DoorRequest, place: ApiPath, scene: DoorScene) -> ApiError:
    """Why a request of plain HTTP has no answer: what is wrong with it, or that it needs a connection of another kind."""
    try:
        if place.subresource == "exec":
            exec_command(asked, place, scene)
        else:
            stream_source(asked, place, scene)
    except ApiError as error:
        return error
    what = "port-forward" if place.subresource == "portforward" else place.subresource
    return not_allowed(NO_SPDY.format(what=what))


def stream_source(asked: DoorRequest, place: ApiPath, scene: DoorScene) -> tuple[PodRow, str]:
    """The pod and its container, on a node. Raises ApiError."""
    row, container = log_source(asked, place, scene)
    if not row.node:
        raise bad_request(f"pod {row.name} does not have a host assigned")
    refused = unreachable(scene.world, row.node)
    if refused:
        raise ApiError(Answer(code=500, reason="InternalError", message=refused.partition(": ")[2] or refused))
    return row, container


def exec_command(asked: DoorRequest, place: ApiPath, scene: DoorScene) -> ExecInContainer:
    """The command of the run that a request is. Raises ApiError."""
    if place.subresource != "exec":
        raise unknown_resource()
    row, container = stream_source(asked, place, scene)
    if scene.is_past:
        raise conflicting(PAST)
    if not scene.may_write:
        raise forbidden(READ_ONLY)
    words, tty = asked.values("command"), asked.has("tty")
    if not words:
        raise bad_request("you must specify at least one command for the container")
    if len(words) > WORDS_MAX or sum(map(len, words)) > WORDS_CHARS_MAX:
        raise bad_request("the command is too long")
    if not any(asked.has(name) for name in ("stdin", "stdout", "stderr")):
        raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
    if row.status.phase in TERMINAL_PHASES:
        raise bad_request(f"cannot exec into a container in a completed pod; current phase is {row.status.phase}")
    target = with_role(scene.world.tables, row.key)
    return ExecInContainer(target=target, container=container, command=words, stdin=asked.has("stdin"), tty=tty, apart=not tty)


class ExecHeard(Struct, frozen=True, kw_only=True):
    """What a command in a container has said since it was asked last, and its end: ``code``, or ``error`` where it has none."""

    printed: str = ""
    errors: str = ""
    is_over: bool = False
    code: int = 0
    error: str = ""


def exec_heard(world: World, seq: Seq, told: tuple[int, int]) -> ExecHeard:
    """What the command whose record is ``seq`` has said after so many characters of stdout and of stderr."""
    found = world.tables.answers.get(seq)
    if found is not None:
        is_error = found.outcome == "error"
        error = executing_words(found.error) if is_error else ""
        return ExecHeard(
            printed=found.printed[told[0] :], errors=found.errors[told[1] :], is_over=True, code=found.exit_code, error=error
        )  # fmt: skip
    row = next((row for row in world.tables.execs.values() if row.seq == seq), None)
    if row is None:
        return ExecHeard(is_over=True, error="this session is not known any more")
    instance = next(
        (item for item in world.tables.instances.get(row.pod, ()) if item.attempt == row.attempt and item.container == row.container), None
    )
    if instance is None or instance.process is None:
        return ExecHeard()
    pipes = instance.process.pipes
    is_apart = bool(row.state.output)
    printed = pipes.get(row.state.output or row.state.pipe, "")
    return ExecHeard(printed=printed[told[0] :], errors=pipes.get(row.state.errors, "")[told[1] :] if is_apart else "")


def refused_words(command: ExecInContainer, record: Record) -> str:
    """Why the run did not begin a command, as the API server tells it."""
    text = refusal_words(command, record).removeprefix("error: ")
    return f"Internal error occurred: {text}" if text.startswith("unable to upgrade") else text
