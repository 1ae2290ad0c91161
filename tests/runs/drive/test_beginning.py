"""The beginning of a run that is stored at once: the same as its first owner would have written."""

import pytest
from asgiref.sync import sync_to_async
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Milestone, Run, RunCommand
from simulator.runs.log import storage, timemachine
from simulator.runs.log.beginning import beginning_of
from simulator.runs.selectors.places import places_plan
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_control
from tests.factories import OWNER, make_content, make_run
from tests.runs.drive.stage import staged

pytestmark = pytest.mark.django_db(transaction=True)
AT_MS = 5_000
CONTENT = replace(make_content(), commands=(Stamped(at_ms=2_000, n=7, command=DeletePod(target="default/web")),), until_ms=AT_MS)
BEGINS = {"content": CONTENT, "at_ms": AT_MS, "paused": True}


def begun(**fields):
    return make_run(**BEGINS, beginning=beginning_of(CONTENT, at_ms=AT_MS), **fields)


def written(run):
    """Everything stored of a run's history and state."""
    run.refresh_from_db()
    row = [getattr(run, name) for name in ("head_seq", "head_ms", "head_digest", "base_ms", "is_paused", "controls", "idle_as_of", "state")]
    commands = RunCommand.objects.filter(run=run).values_list("n", "client_key", "at_ms", "applied_seq", "outcome", "body")
    milestones = Milestone.objects.filter(run=run).values_list("seq", "at_ms", "kind", "machine", "subject", "target")
    return row, [*commands], [*milestones], storage.read(run.id, after=0, limit=10**6)


async def test_beginning_is_what_an_owner_writes(wall):
    stage = await staged(wall, **BEGINS)
    await stage.turn()
    await stage.turn()
    run = await sync_to_async(begun)()
    assert await sync_to_async(written)(run) == await sync_to_async(written)(stage.run)


async def test_owner_goes_on_from_a_beginning(wall):
    run = await sync_to_async(begun)()
    stage = await staged(wall, **BEGINS, beginning=beginning_of(CONTENT, at_ms=AT_MS))
    assert stage.actor.course.world.digest() == bytes(run.head_digest)


@pytest.mark.parametrize("act", [lambda run: run_control(run=run, owner_key=OWNER, do="play"), lambda run: submit(run)])
def test_owner_is_wanted_once_somebody_acts_or_plays(act):
    run = begun()
    Run.objects.filter(id=run.id).update(idle_as_of=0)
    assert not wanted(run)
    act(run)
    assert wanted(run)


def submit(run):
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")


def wanted(run):
    return any(each.run_id == run.id for each in places_plan(runner="r", places=5).entitled)


def test_beginning_that_takes_long_is_left_to_owners(monkeypatch):
    monkeypatch.setattr("simulator.runs.log.beginning.WORK_MAX", 1)
    assert beginning_of(CONTENT, at_ms=AT_MS) is None


def test_runs_that_begin_alike_share_their_worlds(monkeypatch):
    timemachine._lines.clear()
    timemachine._beginnings.clear()
    runs = [begun() for _ in range(3)]
    played = []
    drive = timemachine.Course.drive

    def noted(course, until_ms, **more):
        played.append(until_ms)
        return drive(course, until_ms, **more)

    monkeypatch.setattr(timemachine.Course, "drive", noted)
    worlds = [timemachine.seek(run, ms=AT_MS) for run in runs]
    assert {world.digest() for world in worlds} == {bytes(runs[0].head_digest)}
    assert played == [AT_MS]
    assert timemachine.seek(runs[1], ms=1_000).now_ms == 1_000


def test_run_that_somebody_acted_in_does_not_share_what_it_became():
    timemachine._lines.clear()
    timemachine._beginnings.clear()
    first, second = begun(), begun()
    timemachine.seek(first, ms=AT_MS)
    submit(first)
    RunCommand.objects.filter(run=first, at_ms=None).update(at_ms=AT_MS)
    acted, untouched = (timemachine.seek(run, ms=AT_MS).digest() for run in (first, second))
    assert (acted == bytes(first.head_digest), untouched == bytes(second.head_digest)) == (False, True)
