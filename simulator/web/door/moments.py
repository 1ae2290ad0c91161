"""Answer requests to a run's API at a moment, in a page worker that seeks the world.

The present is the state in the log, with ages by the clock: anything played ahead of the log may still turn out differently.
"""

from uuid import UUID

from msgspec import Struct

from simulator.door.answering import answer
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.reading import continued
from simulator.door.scene import DoorScene
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.units import Ms
from simulator.models import Run
from simulator.runs.log import elsewhere, timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.history import is_kept
from simulator.runs.log.wall import wall_ms
from simulator.runs.selectors.runs import run_get
from simulator.runs.turns.allowance import granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.door.clocks import OWN_CLOCK, DoorClock


class RecordedOtherwise(Exception):
    """The run was recorded under other rules than today's, so its objects are not known."""


class AskedOf(Struct, frozen=True, kw_only=True):
    """The run, moment and clock that a request is about, and its key. ``makes_branch``: a write creates a branch at the moment.

    ``label`` is the name of the key.
    """

    run_id: UUID
    at_ms: Ms | None
    may_write: bool
    clock: DoorClock = OWN_CLOCK
    key_id: int = 0
    label: str = ""
    makes_branch: bool = False


def answered(of: AskedOf, asked: DoorRequest) -> DoorReply:
    """The reply to a request. Raises RecordedOtherwise, StillComputing and whatever the time machine raises."""
    elsewhere.plays()
    with granted(WORK_MAX):
        return answer(asked, scene_of(of, asked))


def scene_of(of: AskedOf, asked: DoorRequest) -> DoorScene:
    """The run at the requested moment; a continued list stays at the moment of its first chunk."""
    run = playable(of.run_id)
    at_ms = of.at_ms
    if at_ms is None and asked.value("continue"):
        try:
            at_ms = continued(asked.value("continue")).at_ms
        except ApiError:
            at_ms = None  # the reply will say so
    now_ms = moment_of(run)
    if at_ms is None:
        world = timemachine.seek_shown(run, seq=run.head_seq, ms=now_ms)
    else:
        now_ms = min(at_ms, now_ms)
        world = timemachine.seek(run, ms=now_ms)
    return DoorScene(world=world, now_ms=max(now_ms, world.now_ms), wall_ms=wall_ms(), is_past=of.at_ms is not None, may_write=of.may_write)


def playable(run_id: UUID) -> Run:
    """The run. Raises RecordedOtherwise if today's rules do not reproduce it, and Run.DoesNotExist."""
    run = run_get(run_id)
    if run is None:
        raise Run.DoesNotExist(str(run_id))
    if is_kept(run):
        raise RecordedOtherwise
    return run
