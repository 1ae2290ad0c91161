"""One owner after the other: leases, owners that were killed, and runs that nobody watches."""

import pytest
from asgiref.sync import sync_to_async

from simulator import storage
from simulator.engine.commands import DeletePod
from simulator.models import Run
from simulator.runner import actor as actor_module
from simulator.runner import lease
from simulator.runner.actor import Diverged
from simulator.services.commands import command_submit
from tests.runner.stage import expected, staged, successor

pytestmark = pytest.mark.django_db(transaction=True)


async def test_lease_is_kept_while_a_long_history_is_computed(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(120_000)
    heir = await successor(stage)
    monkeypatch.setattr(actor_module, "LOOK_S", 0)
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 1)
    heir.actor._events = 1
    renewed, renew = [], lease.renew
    monkeypatch.setattr(lease, "renew", lambda *args, **kwargs: renewed.append(1) or renew(*args, **kwargs))
    await heir.actor.open()
    assert renewed


async def test_run_is_given_back_when_it_is_stopped_while_it_opens(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(120_000)
    heir = await successor(stage)
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 1)
    heir.actor._events = 1
    heir.actor.stop()
    await heir.actor.work()
    row = await heir.row()
    assert (row.lease_until, row.head_ms) == (None, 120_000)


async def test_successor_goes_on_without_a_gap_when_the_owner_was_killed(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(1000)
    stage.actor._drive(15_000)  # computed and never written
    heir = await (await successor(stage)).open()
    await heir.turn(9000)
    assert await heir.log() == await sync_to_async(expected)(stage.run, 15_000)


async def test_killed_owner_cannot_write_when_it_wakes_up(wall):
    stage = await staged(wall)
    await successor(stage)
    with pytest.raises(storage.LostLease):
        await stage.turn(5000)


async def test_successor_applies_a_command_the_owner_had_not_taken(wall):
    stage = await staged(wall)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    heir = await (await successor(stage)).open()
    await heir.turn(10)
    assert (await sync_to_async(stage.run.commands.get)(n=1)).applied_seq is not None


async def test_successor_stops_when_the_stored_history_is_another(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(head_digest=b"0" * 16)
    with pytest.raises(Diverged):
        await (await successor(stage)).open()


async def test_successor_stops_when_the_run_is_of_another_revision(wall):
    stage = await staged(wall)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(revision=9999)
    with pytest.raises(Diverged):
        await (await successor(stage)).open()


async def test_released_run_catches_up_by_the_wall_clock(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    wall.now += 55_000
    heir = await (await successor(stage)).open()
    assert (await heir.row()).head_ms == 60_000


async def test_run_is_left_when_nobody_watches(wall):
    stage = await staged(wall)
    stage.actor._watched_ms = 0
    await stage.turn(10_000_000_000)
    assert stage.actor.is_over
