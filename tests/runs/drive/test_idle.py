"""Runs with nothing left to do: paused, or with nothing more that happens by itself. They occupy no slot that others need."""

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.log.clock import idle
from simulator.runs.selectors.runs import run_clock, run_row
from simulator.runs.services.commands import command_submit, command_submit_at
from simulator.runs.services.runs import run_branch, run_control, run_move
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.runs.drive.stage import Stage, staged, successor
from tests.runs.drive.test_pool_places import held, make, settle, stop

pytestmark = pytest.mark.django_db(transaction=True)

QUIET = {"command": ("sleep", "infinity")}


async def is_idle(run):
    return await Run.objects.filter(idle(), id=run.id).aexists()


async def test_playing_run_is_not_idle(wall):
    stage = await staged(wall)
    await stage.turn(3000)
    assert not await is_idle(stage.run)


async def test_paused_run_is_idle(wall):
    stage = await staged(wall)
    await stage.ask(run_control, do="pause")
    await stage.turn()
    assert await is_idle(stage.run)


async def test_run_without_anything_to_come_is_idle(wall):
    stage = await staged(wall, content=make_content(pod_json(**QUIET)))
    await stage.turn(60_000)
    assert await is_idle(stage.run)


async def test_paused_run_that_is_behind_its_clock_is_not_idle(wall):
    stage = await staged(wall, paused=True)
    await stage.ask(run_control, do="run_to", to_ms=30_000)
    assert not await is_idle(stage.run)
    await stage.turn()
    assert await is_idle(stage.run)


@pytest.mark.parametrize("do", ["play", "step"])
async def test_idle_run_is_wanted_again_once_its_clock_is_moved(wall, do):
    stage = await staged(wall, paused=True)
    await stage.turn()
    assert await is_idle(stage.run)
    await stage.ask(run_control, do=do)
    assert not await is_idle(stage.run)


async def test_idle_run_is_wanted_again_while_an_act_waits(wall):
    stage = await staged(wall, paused=True)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    before = await is_idle(stage.run)
    await stage.turn()
    assert (before, await is_idle(stage.run)) == (False, True)


@pytest.fixture
def pool(settings):
    """A runner with two slots."""
    channel_layers.backends = {}
    settings.SIM_RUNS_PER_PROCESS = 2
    return RunnerPool()


async def settle_until_idle(pool, *runs):
    """Let the pool claim until these runs have been taken up and nothing is left to do for them."""
    async with asyncio.timeout(60):
        while not all([await is_idle(run) for run in runs]):
            await settle(pool)


async def clock(run):
    return await sync_to_async(lambda: run_clock(run_row(run.id)))()


async def test_idle_runs_keep_their_places_while_nobody_needs_them(pool):
    paused = await make(2, "a", paused=True)
    await settle(pool)
    found = await sync_to_async(held)(paused)
    await stop(pool)
    assert found == 2


async def test_idle_runs_give_their_places_to_those_who_play_and_say_only_that_they_are_paused(pool):
    paused = await make(2, "a", paused=True)
    await settle_until_idle(pool, *paused)
    playing = await make(2, "b")
    await settle(pool)
    found = [await sync_to_async(held)(runs) for runs in (paused, playing)]
    seen = [await clock(run) for run in paused]
    await stop(pool)
    assert found == [0, 2]
    assert [(each.state, each.paused, each.note, each.place) for each in seen] == [("paused", True, "", 0)] * 2


async def test_idle_run_without_an_owner_is_not_taken_up(pool):
    (run,) = await make(1, "a", paused=True)
    await settle_until_idle(pool, run)
    await stop(pool)
    other = RunnerPool()
    await settle(other)
    found = await sync_to_async(held)([run])
    await stop(other)
    assert found == 0


async def test_act_on_an_idle_run_without_an_owner_is_taken(pool):
    (run,) = await make(1, OWNER, paused=True)
    await settle_until_idle(pool, run)
    await stop(pool)
    await sync_to_async(command_submit)(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    other = RunnerPool()
    await settle(other)
    await stop(other)
    assert await run.commands.filter(outcome="accepted").acount() == 1


async def given_back(wall):
    """A run that stood still because nothing more happened, and whose owner has released it."""
    stage = await staged(wall, content=make_content(pod_json(**QUIET)))
    await stage.turn(60_000)
    stage.actor.open = stage.turn
    stage.actor.stop()
    await stage.actor.work()
    return stage


async def test_run_without_anything_to_come_says_so_when_its_owner_has_left(wall):
    stage = await given_back(wall)
    seen = await clock(stage.run)
    assert (seen.state, seen.paused, seen.note) == ("paused", True, "resting")


async def test_act_sets_a_run_going_that_stood_when_its_owner_left(wall):
    stage = await given_back(wall)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    assert not await is_idle(stage.run)
    row = await stage.row()
    assert not row.is_paused


async def test_run_of_an_earlier_revision_is_taken_up_although_it_is_idle(pool):
    run = await sync_to_async(make_run)(paused=True)
    await Run.objects.filter(id=run.id).aupdate(idle_as_of=0, revision=1)
    await settle(pool)
    found = await run_row_of(run)
    await stop(pool)
    assert found.owner or found.state == Run.State.RECORDED


async def run_row_of(run):
    return await sync_to_async(run_row)(run.id)


async def resting(wall, **fields):
    """A run that stands still because nothing more happens by itself, with its owner."""
    stage = await staged(wall, content=make_content(pod_json(**QUIET)), **fields)
    return await stage.turn(60_000)


async def passes_after_an_act(stage):
    """How much simulated time passes in the two seconds after an act at 1×."""
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn()
    before_ms = stage.actor.course.world.now_ms
    await stage.turn(2000)
    return (stage.actor.course.world.now_ms - before_ms) * 1000 // stage.actor.pacer.rate_permille


async def test_act_sets_a_resting_run_going(wall):
    assert await passes_after_an_act(await resting(wall)) == 2000


@pytest.mark.parametrize(
    "asked",
    [
        [{"do": "rate", "rate_permille": 2000}],
        [{"do": "rate", "rate_permille": 500}, {"do": "rate", "rate_permille": 1000}],
        [{"do": "run_to", "to_ms": 120_000}],
        [{"do": "run_to", "to_ms": 120_000}, {"do": "rate", "rate_permille": 2000}],
    ],
    ids=["speed", "two-speeds", "run-to", "run-to-and-speed"],
)
async def test_act_sets_a_resting_run_going_whatever_was_done_to_its_clock_before(wall, asked):
    stage = await resting(wall)
    for fields in asked:
        await stage.ask(run_control, **fields)
        await stage.turn(1000)
    assert await passes_after_an_act(stage) == 2000


async def test_act_sets_a_resting_run_going_that_gets_another_speed_with_it(wall):
    stage = await resting(wall)
    await stage.ask(run_control, do="rate", rate_permille=2000)
    assert await passes_after_an_act(stage) == 2000


@pytest.mark.parametrize("do", ["pause", "step"])
async def test_run_that_rested_and_was_stopped_by_its_owner_stays_where_it_is_after_an_act(wall, do):
    stage = await resting(wall)
    await stage.ask(run_control, do=do)
    await stage.turn(1000)
    assert await passes_after_an_act(stage) == 0
    assert (await clock(stage.run)).note == ""


async def test_resting_run_still_rests_at_another_speed(wall):
    stage = await resting(wall)
    stood_ms = (await clock(stage.run)).now_ms
    await stage.ask(run_control, do="rate", rate_permille=2000)
    before = await is_idle(stage.run)
    await stage.turn(20_000)
    seen = await clock(stage.run)
    assert (before, seen.now_ms, seen.rate, seen.paused, seen.note) == (True, stood_ms, 2000, True, "resting")


async def test_run_that_is_sent_ahead_while_it_rests_rests_there_again(wall):
    stage = await resting(wall)
    await stage.ask(run_control, do="run_to", to_ms=120_000)
    await stage.turn(1000)
    await stage.turn(30_000)
    seen = await clock(stage.run)
    assert (seen.note, 120_000 <= seen.now_ms < 122_000) == ("resting", True)


async def test_act_sets_a_run_going_whose_owner_was_lost_while_it_rested(wall):
    stage = await resting(wall)
    heir = await successor(stage)
    await heir.open()
    assert await passes_after_an_act(heir) == 2000


async def test_run_whose_owner_was_lost_while_it_rested_says_so(wall):
    stage = await resting(wall)
    await Run.objects.filter(id=stage.run.id).aupdate(lease_until=None, driven_at=None, owner="")
    seen = await clock(stage.run)
    assert (seen.state, seen.paused, seen.note) == ("paused", True, "resting")


async def test_resting_run_still_rests_after_its_process_was_frozen(wall):
    stage = await resting(wall)
    wall.now += 600_000
    await stage.turn()
    await stage.turn(1000)
    seen = await clock(stage.run)
    assert (seen.note, seen.now_ms < 62_000) == ("resting", True)
    assert await passes_after_an_act(stage) == 2000


async def test_branch_that_rests_still_goes_on_after_an_act_when_it_is_moved(wall):
    stage = await resting(wall)
    await stage.ask(run_control, do="pause")
    await stage.turn()
    branch = await sync_to_async(run_branch)(
        parent=await stage.row(), owner_key=OWNER, at_ms=1000, acts=[DeletePod(target="default/web")], stands_ms=60_000
    )
    other = await (await sync_to_async(Stage)(branch, wall)).open()
    await other.turn(60_000)
    assert (await clock(branch)).note == "resting"
    moved = await sync_to_async(run_move)(branch=await other.row(), owner_key=OWNER, at_ms=2000)
    assert not moved.is_paused


@pytest.mark.parametrize("is_quiet", [False, True], ids=["playing", "resting"])
async def test_run_goes_on_after_an_act_at_a_moment_to_come(wall, is_quiet):
    stage = await (resting(wall) if is_quiet else staged(wall))
    await stage.ask(command_submit_at, command=DeletePod(target="default/web"), client_key="k", run_to_ms=90_000)
    await stage.turn()
    await stage.turn(2000)
    given = await stage.run.commands.aget()
    assert (given.at_ms, stage.actor.course.world.now_ms) == (90_000, 92_000)


async def test_paused_run_stands_at_the_moment_to_come_of_an_act(wall):
    stage = await staged(wall, paused=True)
    await stage.ask(command_submit_at, command=DeletePod(target="default/web"), client_key="k", run_to_ms=90_000)
    await stage.turn(2000)
    assert (await stage.row()).head_ms == 90_000


BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "all", "namespace": "default"},
    "spec": {"minAvailable": 1, "selector": {}},
}


async def after_acts(wall, *commands, seconds, objects=()):
    """A run of a quiet pod and these objects, this many seconds after these acts."""
    stage = await staged(wall, content=make_content(pod_json(**QUIET), *objects))
    await stage.turn(5000)
    for number, command in enumerate(commands):
        await stage.ask(command_submit, command=command, client_key=f"k{number}")
        await stage.turn()
    return await stage.turn(seconds * 1000)


async def test_run_goes_on_while_a_drain_asks_again(wall):
    stage = await after_acts(wall, DrainNode(node="node1", force=True), seconds=120, objects=[json.dumps(BUDGET)])
    assert (await clock(stage.run)).note == ""
    assert [record.target for record in await stage.log() if record.machine == "drain"].count("retry") > 20


async def test_run_does_not_rest_before_a_grace_is_over_that_nobody_minds(wall):
    delete = DeletePod(target="default/web", grace_s=900)
    stage = await after_acts(wall, NodeControl(node="node1", kubelet="kill"), delete, seconds=1200)
    seen, deleted = await clock(stage.run), await stage.run.commands.aget(n=2)
    # The moment of an act depends on how far the world has got, which on a slow machine is less than requested.
    assert (seen.note, seen.now_ms >= deleted.at_ms + 900_000) == ("resting", True)
