"""Writes to a run's objects: tried on a fork at the head of the log, given to the run as a command, and answered from the result."""

from msgspec.structs import replace

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.judging import judged, outcome_reply
from simulator.door.scene import DoorScene
from simulator.door.writing import Writing
from simulator.engine.acts.all_acts import AnyCommand
from simulator.models import Run, RunCommand
from simulator.runs.log import elsewhere, timemachine
from simulator.runs.log.wall import wall_ms
from simulator.runs.services.commands import command_submit_by_key
from simulator.runs.services.errors import Refused
from simulator.runs.turns.allowance import granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.base.levels import refused_of
from simulator.web.door.moments import AskedOf, playable, scene_of
from simulator.web.door.typed import typed_line


def write_tried(of: AskedOf, asked: DoorRequest) -> Writing | DoorReply:
    """The write if it may be given; a reply if it is refused, a review, or a dry run."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        found = judged(asked, scene)
        if isinstance(found, DoorReply):
            return found
        return replace(found.writing, typed=typed_line(found.request, found.place, found.writing.command, scene.world))


def write_answered(of: AskedOf, asked: DoorRequest, writing: Writing, seq: int) -> DoorReply:
    """The reply after the command's record."""
    elsewhere.plays()
    with granted(WORK_MAX):
        run = playable(of.run_id)
        world = timemachine.seek(run, seq=seq)
        scene = DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms())
        return outcome_reply(asked, scene, writing, timemachine.record_at(run, seq))


def given(of: AskedOf, command: AnyCommand, client_key: str, typed: str = "", given_by: str = "") -> int:
    """Give the command, with the typed line and who gave it; return the row's id.

    Raises ServiceError, also if the run's level does not allow it.
    """
    run = Run.objects.get(id=of.run_id)
    if refused := refused_of(run, [command]):
        raise Refused("not_this_way", refused)
    row = command_submit_by_key(run=run, command=command, client_key=client_key, may_write=of.may_write, typed=typed, given_by=given_by)
    return row.pk


def applied_seq(row_id: int) -> int | None:
    """The record of the command, None while it is pending."""
    return RunCommand.objects.filter(id=row_id).exclude(outcome=RunCommand.Outcome.PENDING).values_list("applied_seq", flat=True).first()
