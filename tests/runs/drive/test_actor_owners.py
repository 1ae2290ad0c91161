"""Successive owners: leases, owners that were killed, and runs that nobody watches."""

import json

import pytest
from asgiref.sync import sync_to_async

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course import replay
from simulator.engine.course.header import REVISION
from simulator.models import Run
from simulator.runs.drive import actor as actor_module
from simulator.runs.drive import lease
from simulator.runs.drive.actor import Diverged, OtherRules
from simulator.runs.log import storage
from simulator.runs.log.clock import SILENT_MS
from simulator.runs.log.wall import from_wall_ms
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_control
from simulator.runs.wire import announce
from tests.factories import make_run
from tests.runs.drive.stage import Stage, expected, in_small_turns, staged, successor

pytestmark = pytest.mark.django_db(transaction=True)


async def test_lease_is_kept_while_a_long_history_is_computed(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(120_000)
    heir = await successor(stage)
    monkeypatch.setattr(actor_module, "LOOK_S", 1e-9)
    in_small_turns(heir.actor, monkeypatch)
    renewed, renew = [], lease.renew
    monkeypatch.setattr(lease, "renew", lambda *args, **kwargs: renewed.append(1) or renew(*args, **kwargs))
    await heir.actor.open()
    assert renewed


async def test_run_is_given_back_when_it_is_stopped_while_it_opens(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(120_000)
    heir = await successor(stage)
    in_small_turns(heir.actor, monkeypatch)
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


async def test_successor_goes_on_with_a_run_of_another_revision_that_today_gives_as_well(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(revision=2)
    heir = await (await successor(stage)).open()
    await heir.turn(60_000)
    run = await stage.row()
    assert (run.revision, run.header().revision, run.head_ms) == (REVISION, REVISION, 65_000)


async def test_successor_leaves_what_another_revision_recorded_and_today_would_not(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(revision=2, head_digest=b"0" * 16)
    with pytest.raises(OtherRules):
        await (await successor(stage)).open()
    assert (await stage.row()).revision == 2


async def test_successor_leaves_what_another_revision_recorded_and_today_cannot_even_play(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(5000)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(revision=2)
    monkeypatch.setattr(replay, "advance", None)
    with pytest.raises(OtherRules):
        await (await successor(stage)).open()


async def test_run_is_left_when_nobody_watches(wall):
    stage = await staged(wall)
    stage.actor._watched_ms = 0
    await stage.turn(10_000_000_000)
    assert stage.actor.is_over


async def let_go(stage):
    """The owner releases the run as it does when nobody watches."""
    stage.actor._watched_ms = 0
    await stage.turn(1000)
    await stage.actor.work()


async def test_run_let_go_unwatched_goes_on_from_where_it_was_left(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(5000)
    monkeypatch.setattr(stage.actor, "open", stage.turn)
    await let_go(stage)
    wall.now += 2_700_000
    heir = await (await successor(stage)).open()
    assert (await heir.row()).head_ms == 6000


@pytest.fixture
def able(monkeypatch):
    """A machine that is never too slow for a run's rate, whatever else it does."""
    monkeypatch.setattr(actor_module, "SLICE_S", 60)


@pytest.mark.parametrize("rate", [1000, 600_000])
async def test_run_goes_on_from_the_last_sign_of_life_when_its_owner_was_killed(wall, able, rate):
    stage = await staged(wall, rate_permille=rate)
    await stage.turn(3000)
    wall.now += 150_000
    heir = await (await successor(stage)).open()
    opened_ms = (await heir.row()).head_ms
    await heir.turn(2000)
    row = await heir.row()
    assert (opened_ms, row.head_ms, row.state) == (3 * rate, 5 * rate, "live")


async def test_run_waits_at_its_start_for_its_first_owner(wall):
    run = await sync_to_async(make_run)()
    wall.now += 150_000
    stage = await (await sync_to_async(Stage)(run, wall)).open()
    await stage.turn(2000)
    assert (await stage.row()).head_ms == 2000


async def test_act_given_during_an_outage_takes_its_place_at_the_moment_that_was_shown(wall, able):
    stage = await staged(wall, rate_permille=600_000)
    await stage.turn(3000)
    wall.now += 150_000
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    heir = await (await successor(stage)).open()
    await heir.turn(1000)
    assert (await sync_to_async(stage.run.commands.get)(n=1)).at_ms == 3 * 600_000


async def test_clock_moved_during_an_outage_goes_on_from_where_it_was_put(wall):
    stage = await staged(wall)
    await stage.turn(3000)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(driven_at=None)
    wall.now += 150_000
    await stage.ask(run_control, do="run_to", to_ms=60_000)
    wall.now += 150_000
    heir = await (await successor(stage)).open()
    await heir.turn(2000)
    assert (await heir.row()).head_ms == 62_000


async def test_run_goes_on_from_what_was_shown_when_its_process_was_frozen(wall, able):
    stage = await staged(wall, rate_permille=600_000)
    await stage.turn(3000)
    wall.now += 150_000
    await stage.turn()
    await stage.turn(1000)
    row = await stage.row()
    assert (row.head_ms, row.state) == (4 * 600_000, "live")


@pytest.mark.parametrize(("silent_ms", "is_frozen"), [(SILENT_MS, False), (SILENT_MS + 1, True)])
async def test_process_was_frozen_when_it_has_been_silent_for_longer_than_an_owner_may(wall, able, silent_ms, is_frozen):
    stage = await staged(wall)
    await stage.turn(3000)
    wall.now = stage.actor._signed_wall + silent_ms
    became = []
    stage.actor._become = became.append
    stage.actor._notice_freeze()
    assert became == (["silent"] if is_frozen else [])


async def test_act_given_while_the_process_was_frozen_takes_its_place_at_the_moment_that_was_shown(wall, able):
    stage = await staged(wall, rate_permille=600_000)
    await stage.turn(3000)
    wall.now += 150_000
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn()
    assert (await sync_to_async(stage.run.commands.get)(n=1)).at_ms == 3 * 600_000


async def test_run_is_not_left_as_unwatched_when_its_process_was_frozen(wall):
    stage = await staged(wall)
    stage.actor._watched_ms = 60_000
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(viewers_seen_at=from_wall_ms(wall.now))
    await stage.turn(3000)
    wall.now += 150_000
    await stage.turn()
    assert not stage.actor.is_over


async def test_run_given_back_by_a_process_that_stops_stands_until_the_next_one_takes_it_up(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(5000)
    monkeypatch.setattr(stage.actor, "open", stage.turn)
    stage.actor.stop()
    await stage.actor.work()
    wall.now += 150_000
    heir = await (await sync_to_async(Stage)(stage.run, wall)).open()
    await heir.turn(1000)
    assert (await heir.row()).head_ms == 6000


async def test_clock_says_that_nobody_drives_the_run_while_it_is_being_opened(wall, monkeypatch):
    told = []

    async def note(run_id, *, frame):
        told.append(json.loads(frame))

    stage = await staged(wall)
    await stage.turn(5000)
    heir = await successor(stage)
    monkeypatch.setattr(announce, "notified", note)
    await heir.open()
    assert [(frame["state"], frame["now_ms"]) for frame in told] == [("released", 5000), ("live", 5000)]
