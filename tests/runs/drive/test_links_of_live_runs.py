"""A link shows only what stays true of its run: no act is recorded before the moment at which a link ends."""

import pytest
from asgiref.sync import sync_to_async

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import replay
from simulator.models import Run
from simulator.runs.drive import desk, owner
from simulator.runs.log import storage
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_branch, run_control
from simulator.runs.services.shares import share_create
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.runs.drive.stage import Clock, Stage, staged, successor

pytestmark = pytest.mark.django_db(transaction=True)
QUIET = {"command": ("sleep", "infinity")}
DELETE = DeletePod(target="default/web")


def link_of(run):
    return share_create(run=Run.objects.get(id=run.id))


def act(run, key="a"):
    return command_submit(run=run, owner_key=OWNER, command=DELETE, client_key=key)


def place_of(run, key="a"):
    return run.commands.get(client_key=key).at_ms


def is_past_of(share, run):
    """Whether a link's content gives exactly its run's log up to its end, except for later acts and their effects."""
    content, made = share.content(), []
    replay(content.header, content.commands, until_ms=content.until_ms, into=made)
    return storage.read(run.id, after=0, limit=len(made)) == made


async def test_act_comes_after_the_end_of_a_link_though_its_owners_clock_is_late(wall):
    late = Clock()
    late.now = wall.now - 3000
    run = await sync_to_async(make_run)(content=make_content(pod_json(command=("sleep", "10"))))
    stage = await (await sync_to_async(Stage)(run, late)).open()
    wall.now += 10_000
    await stage.turn(10_000)
    share = await sync_to_async(link_of)(run)
    await sync_to_async(act)(run)
    await stage.turn()
    assert share.content().until_ms == 13_000 <= await sync_to_async(place_of)(run)
    assert await sync_to_async(is_past_of)(share, run)


async def test_act_comes_after_the_beginning_of_a_branch_though_its_owners_clock_is_late(wall):
    late = Clock()
    late.now = wall.now - 3000
    run = await sync_to_async(make_run)()
    stage = await (await sync_to_async(Stage)(run, late)).open()
    wall.now += 10_000
    await stage.turn(10_000)
    branch = await sync_to_async(lambda: run_branch(parent=Run.objects.get(id=run.id), owner_key=OWNER, at_ms=12_500))()
    await sync_to_async(act)(run)
    await stage.turn()
    assert branch.parent_ms == 12_500 <= await sync_to_async(place_of)(run)


async def test_act_comes_after_the_end_of_a_link_though_its_owner_is_lost(wall):
    stage = await staged(wall)
    await stage.turn(10_000)
    wall.now += 900
    share = await sync_to_async(link_of)(stage.run)
    await sync_to_async(act)(stage.run)
    await (await successor(stage)).open()
    assert share.content().until_ms == 10_900 <= await sync_to_async(place_of)(stage.run)


async def test_link_ends_where_the_log_does_while_an_act_is_on_its_way(wall, monkeypatch):
    stage, links = await staged(wall), []
    await stage.turn(10_000)
    append = storage.append

    def appended(run_id, *, epoch, batch):
        if batch.applied:  # the act is in its place, and the log does not have it yet
            wall.now += 100
            links.append(link_of(stage.run))
        append(run_id, epoch=epoch, batch=batch)

    monkeypatch.setattr(storage, "append", appended)
    await sync_to_async(act)(stage.run)
    await stage.turn()
    assert links[0].content().until_ms <= await sync_to_async(place_of)(stage.run)
    assert await sync_to_async(is_past_of)(links[0], stage.run)


async def test_link_does_not_change_what_the_clock_shows(wall):
    stage = await staged(wall)
    await stage.turn(10_000)
    wall.now += 500
    await sync_to_async(link_of)(stage.run)
    await stage.turn(500)
    row = await stage.row()
    assert (stage.actor.pacer.now_ms(wall()), row.is_paused, row.rate_permille) == (11_000, False, 1000)


async def test_link_of_a_run_that_stands_leaves_its_clock_alone(wall):
    stage = await staged(wall, paused=True, at_ms=30_000)
    before = (await stage.row()).controls
    share = await sync_to_async(link_of)(stage.run)
    assert (share.content().until_ms, (await stage.row()).controls) == (30_000, before)


async def test_act_waits_for_a_clock_that_is_moved_while_a_resting_run_wakes(wall, monkeypatch):
    stage, settle, moved = await staged(wall, content=make_content(pod_json(**QUIET))), desk.settle, []
    await stage.turn(60_000)
    assert stage.actor._state is owner.RESTING

    def settled(run_id, **fields):
        if not moved:
            moved.append(run_control(run=stage.run, owner_key=OWNER, do="run_to", to_ms=90_000))
            act(stage.run, "later")
        return settle(run_id, **fields)

    await sync_to_async(act)(stage.run)
    monkeypatch.setattr(desk, "settle", settled)
    await stage.turn()
    await stage.turn()
    assert await sync_to_async(place_of)(stage.run, "later") >= 90_000
