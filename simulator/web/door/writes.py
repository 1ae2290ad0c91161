"""Writes of a run's objects: tried on a fork at the head of the log, given as a command of the run, answered from what it made."""

from msgspec.structs import replace

from simulator.door.answering import review_in, written_to
from simulator.door.dry_runs import unstored
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.protobuf import in_json
from simulator.door.scene import DoorScene
from simulator.door.statuses import answer_reply, status_reply
from simulator.door.validation import field_warnings, with_warnings
from simulator.door.writing import Writing, dry_run, refused_as, tried, written_reply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.apiserver.answer import ApiError
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
    """The write, where it may be given; the answer where it is refused, a review, or a dry run."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        try:
            asked = in_json(asked)
            if (review := review_in(asked, scene)) is not None:
                return review
            place, resource = written_to(asked, scene)
            warnings = field_warnings(asked, place, resource, scene)
            writing, world = tried(asked, place, resource, scene)
            writing = replace(writing, warnings=warnings)
            if not dry_run(asked):
                return replace(writing, typed=typed_line(asked, place, writing.command, scene.world))
            after = DoorScene(world=world, now_ms=scene.now_ms, wall_ms=scene.wall_ms)
            return with_warnings(unstored(written_reply(asked, place, resource, after, writing), writing), writing.warnings)
        except ApiError as error:
            return status_reply(error)


def write_answered(of: AskedOf, asked: DoorRequest, writing: Writing, seq: int) -> DoorReply:
    """The answer after the record of the command."""
    elsewhere.plays()
    with granted(WORK_MAX):
        run = playable(of.run_id)
        world = timemachine.seek(run, seq=seq)
        scene = DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms())
        try:
            place, resource = written_to(asked, scene)
        except ApiError as error:
            return status_reply(error)
        own = timemachine.record_at(run, seq)
        if own is not None and own.target == "refused":
            return answer_reply(refused_as(own, resource, place.name))
        return with_warnings(written_reply(asked, place, resource, scene, writing), writing.warnings)


def given(of: AskedOf, command: AnyCommand, client_key: str, typed: str = "", given_by: str = "") -> int:
    """Give the command with the line that was typed and who gave it; the row's id.

    Raises ServiceError, also where the run's level does not allow it.
    """
    run = Run.objects.get(id=of.run_id)
    if refused := refused_of(run, [command]):
        raise Refused("not_this_way", refused)
    row = command_submit_by_key(run=run, command=command, client_key=client_key, may_write=of.may_write, typed=typed, given_by=given_by)
    return row.pk


def applied_seq(row_id: int) -> int | None:
    """The record of the command, None as long as it waits."""
    return RunCommand.objects.filter(id=row_id).exclude(outcome=RunCommand.Outcome.PENDING).values_list("applied_seq", flat=True).first()
