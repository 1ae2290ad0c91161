"""What a session in a container asks of the run, worked out in page workers: whether it may begin, and what was said."""

from msgspec import Struct

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.executing import (
    ExecHeard,
    attach_command,
    attach_heard,
    exec_command,
    exec_heard,
    refused_words,
    stream_source,
    streamed,
)
from simulator.door.logs import LogCursor, log_begun, log_gone_on
from simulator.door.portforward import PodPort, pod_answer, pod_port
from simulator.door.statuses import status_reply, unknown_resource
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.units import Seq
from simulator.kubectl.logs import LogWanted
from simulator.runs.log import elsewhere, timemachine
from simulator.runs.turns.allowance import granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.door.moments import AskedOf, playable, scene_of

_LOG = LogWanted(previous=False, timestamps=False, prefix=False, tail=0, from_ms=None, limit_bytes=0, query="")


class StreamBegun(Struct, frozen=True, kw_only=True):
    """What a connection is for: a ``command`` to give (``is_attached``: one that runs already), or a container's log from ``cursor`` on.

    Neither is port-forward.
    """

    command: ExecInContainer | None = None
    is_attached: bool = False
    cursor: LogCursor | None = None


def stream_begun(of: AskedOf, asked: DoorRequest) -> StreamBegun | DoorReply:
    """What is to be done for a connection; a reply where it is refused."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        place = streamed(asked)
        try:
            if place is None:
                raise unknown_resource()
            if place.subresource == "exec":
                return StreamBegun(command=exec_command(asked, place, scene))
            if place.subresource == "portforward":
                pod_port(place, scene, 0)
                return StreamBegun()
            typing = attach_command(asked, place, scene)
            if typing is not None:
                return StreamBegun(command=typing, is_attached=True)
            row, container = stream_source(asked, place, scene)
            return StreamBegun(cursor=log_begun(row, container, _LOG, scene)[1])
        except ApiError as error:
            return status_reply(error)


def exec_told(of: AskedOf, asked: DoorRequest, seq: Seq, told: tuple[int, int]) -> ExecHeard:
    """What the command with that record (0: the main process) has said after so many characters."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene, place = scene_of(of, asked), streamed(asked)
        if seq or place is None:
            return exec_heard(scene.world, seq, told)
        try:
            row, container = stream_source(asked, place, scene)
        except ApiError:  # the pod is gone
            return ExecHeard(is_over=True)
        return attach_heard(row, container, scene.world, told[0])


def exec_refused(of: AskedOf, command: ExecInContainer, seq: Seq) -> str:
    """Why the run refused the command with that record; empty where it began it."""
    elsewhere.plays()
    with granted(WORK_MAX):
        record = timemachine.record_at(playable(of.run_id), seq)
        return refused_words(command, record) if record is not None and record.target == "refused" else ""


def attach_told(of: AskedOf, asked: DoorRequest, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
    """What the container has printed since, and whether that is all."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene, place = scene_of(of, asked), streamed(asked)
        assert place is not None, "no pod is asked for"
        try:
            row, container = stream_source(asked, place, scene)
            return log_gone_on(row, container, _LOG, scene, cursor)
        except ApiError:  # the pod is gone
            return "", cursor, True


def port_told(of: AskedOf, asked: DoorRequest, port: int, request: bytes) -> PodPort:
    """What the pod answers at that port to a request."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene, place = scene_of(of, asked), streamed(asked)
        assert place is not None, "no pod is asked for"
        try:
            return pod_answer(place, scene, port, request)
        except ApiError as error:
            return PodPort(error=error.answer.message)
