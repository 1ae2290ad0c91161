"""What a session in a container needs from the run, computed in page workers: whether it may begin, and its output."""

from simulator.door.connections import StreamBegun, output_in, port_in, printed_in, stream_in
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.executing import ExecOutput, refusal_text
from simulator.door.logs import LogCursor
from simulator.door.portforward import PodPort
from simulator.door.statuses import status_reply
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.units import Seq
from simulator.runs.log import elsewhere, timemachine
from simulator.runs.turns.allowance import granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.door.moments import AskedOf, playable, scene_of


def stream_begun(of: AskedOf, asked: DoorRequest) -> StreamBegun | DoorReply:
    """What to do for a connection; a reply if it is refused."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        try:
            return stream_in(asked, scene)
        except ApiError as error:
            return status_reply(error)


def exec_told(of: AskedOf, asked: DoorRequest, seq: Seq, sent: tuple[int, int]) -> ExecOutput:
    """The output of the command with that record (0: the main process) after the characters already sent."""
    elsewhere.plays()
    with granted(WORK_MAX):
        return output_in(asked, scene_of(of, asked), seq, sent)


def exec_refused(of: AskedOf, command: ExecInContainer, seq: Seq) -> str:
    """Why the run refused the command with that record; empty if it started it."""
    elsewhere.plays()
    with granted(WORK_MAX):
        record = timemachine.record_at(playable(of.run_id), seq)
        return refusal_text(command, record) if record is not None and record.target == "refused" else ""


def attach_told(of: AskedOf, asked: DoorRequest, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
    """What the container has printed since then, and whether that is all."""
    elsewhere.plays()
    with granted(WORK_MAX):
        return printed_in(asked, scene_of(of, asked), cursor)


def port_told(of: AskedOf, asked: DoorRequest, port: int, request: bytes) -> PodPort:
    """The pod's answer to a request at that port."""
    elsewhere.plays()
    with granted(WORK_MAX):
        return port_in(asked, scene_of(of, asked), port, request)
