"""Runners when more runs are wanted than they have slots: they decide consistently, from the database rows."""

import asyncio
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from simulator.models import Run, Runner
from simulator.runs.drive import lease
from simulator.runs.drive import pool as pool_module
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.selectors.runs import run_clock, run_row
from simulator.runs.turns.constants import LEFT_S
from simulator.runs.wire import announce
from tests.factories import drive, make_run, own

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _few_places(settings):
    channel_layers.backends = {}
    settings.SIM_RUNS_PER_PROCESS = 4


def opened(count, who, **fields):
    return [make_run(owner_key=who, address=f"address of {who}", **fields) for _ in range(count)]


async def make(count, who, **fields):
    return await sync_to_async(opened)(count, who, **fields)


async def settle(*pools):
    """Let pools claim until nothing changes any more."""
    for _ in range(20):
        for pool in pools:
            await pool._beat()
            await pool.claim()
        await asyncio.sleep(0.02)


def held(runs):
    """How many of these runs have an owner."""
    return Run.objects.filter(id__in=[run.id for run in runs], lease_until__gt=Now()).count()


async def counts(*groups):
    return [await sync_to_async(held)(group) for group in groups]


async def stop(*pools):
    for pool in pools:
        await pool.drain()


async def test_newcomer_gets_a_place_where_one_visitor_has_opened_sixty_runs(settings):
    settings.SIM_RUNS_PER_PROCESS = 50
    many, pool = await make(60, "hog"), RunnerPool()
    await settle(pool)
    (newcomer,) = await make(1, "newcomer")
    await settle(pool)
    found = await counts(many, [newcomer])
    await stop(pool)
    assert found == [settings.SIM_RUNS_PER_OWNER_MAX, 1]


async def test_newcomer_gets_the_place_of_the_biggest_holder_where_all_are_taken(settings):
    settings.SIM_RUNS_PER_OWNER_MAX = settings.SIM_RUNS_PER_ADDRESS_MAX = 0
    many, pool = await make(6, "hog"), RunnerPool()
    await settle(pool)
    (newcomer,) = await make(1, "newcomer")
    await settle(pool)
    found = await counts(many, [newcomer])
    await stop(pool)
    assert found == [3, 1]


async def test_run_that_is_not_watched_gives_its_place_to_one_that_waits():
    early, pool = await make(4, "a"), RunnerPool()
    await settle(pool)
    late = await make(1, "b")
    await sync_to_async(Run.objects.filter(id=early[2].id).update)(viewers_seen_at=Now() - timedelta(seconds=30))
    await settle(pool)
    found = await counts([early[0], early[1], early[3]], [early[2]], late)
    await stop(pool)
    assert found == [3, 0, 1]


async def test_run_that_is_not_watched_keeps_its_place_while_nobody_waits():
    runs, pool = await make(4, "a"), RunnerPool()
    await settle(pool)
    await sync_to_async(Run.objects.filter(id=runs[2].id).update)(viewers_seen_at=Now() - timedelta(seconds=30))
    await settle(pool)
    found = await counts(runs)
    await stop(pool)
    assert found == [4]


async def test_two_runners_share_the_quota_and_the_places(settings):
    settings.SIM_RUNS_PER_OWNER_MAX = 5
    many, others, pools = await make(9, "hog"), await make(3, "other"), (RunnerPool(), RunnerPool())
    await settle(*pools)
    found = await counts(many, others)
    loads = sorted(len(pool._actors) for pool in pools)
    await stop(*pools)
    assert (found, loads) == ([5, 3], [4, 4])


async def test_run_that_gave_way_gets_a_place_again_when_one_is_free():
    runs, pool = await make(4, "a"), RunnerPool()
    await settle(pool)
    late = await make(1, "b")
    await settle(pool)
    await sync_to_async(Run.objects.filter(id=late[0].id).update)(viewers_seen_at=Now() - timedelta(seconds=61))
    await asyncio.sleep(0)
    for actor in [*pool._actors.values()]:
        actor.wake()
    await settle(pool)
    found = await counts(runs)
    await stop(pool)
    assert found == [4]


async def test_page_of_a_run_that_gives_way_is_told_at_once(monkeypatch):
    told = []

    async def note(run_id, *, frame):
        told.append((run_id, frame))

    runs, pool = await make(4, "a"), RunnerPool()
    await settle(pool)
    monkeypatch.setattr(announce, "notified", note)
    await make(1, "b")
    await settle(pool)
    await stop(pool)
    gone = [run_id for run_id, frame in told if '"state":"waiting"' in frame and '"note":"queue"' in frame]
    assert len(gone) == 1 and gone[0] in {run.id for run in runs}


async def queries_of_claim(pool, monkeypatch):
    """How many queries one round of claiming takes."""
    counts, in_db = [], pool_module.in_db

    def counted(function, args, fields):
        with CaptureQueriesContext(connection) as captured:
            result = function(*args, **fields)
        counts.append(len(captured))
        return result

    monkeypatch.setattr(pool_module, "in_db", lambda function, *args, **fields: in_db(counted, function, args, fields))
    await pool.claim()
    monkeypatch.undo()
    return sum(counts)


async def test_claim_takes_a_bounded_number_of_queries_however_many_runs_wait(settings, monkeypatch):
    settings.SIM_RUNS_PER_PROCESS, settings.SIM_RUNS_PER_OWNER_MAX = 100, 0
    pool = RunnerPool()
    idle = await queries_of_claim(pool, monkeypatch)
    await make(60, "a")
    busy = await queries_of_claim(pool, monkeypatch)
    await stop(pool)
    assert (idle, busy) == (2, 2 + 2 * pool_module.CLAIMS_AT_ONCE)


def clock(run):
    return run_clock(run_row(run.id))


def runner(places):
    Runner.objects.create(name="host:1:r", beat_at=Now(), places=places)


def test_clock_says_the_place_in_the_queue():
    runner(1)
    first, *others = [*opened(1, "a"), *opened(1, "b"), *opened(1, "c")]
    drive(first)
    assert [(clock(run).state, clock(run).note, clock(run).place) for run in others] == [("waiting", "queue", 1), ("waiting", "queue", 2)]


def test_clock_says_that_the_visitor_has_as_many_runs_as_one_may(settings):
    settings.SIM_RUNS_PER_OWNER_MAX = 1
    runner(9)
    first, second = opened(2, "a")
    drive(first)
    assert (clock(second).state, clock(second).note) == ("waiting", "owner")


def test_clock_says_that_there_is_no_runner():
    (run,) = opened(1, "a")
    assert (clock(run).state, clock(run).note) == ("waiting", "runner")


def test_clock_says_that_the_run_is_being_taken_up():
    runner(1)
    (run,) = opened(1, "a")
    own(run)
    assert (clock(run).state, clock(run).note) == ("released", "opening")


def test_silent_runner_has_no_places(settings):
    Runner.objects.create(name="host:1:r", beat_at=Now() - timedelta(seconds=settings.SIM_RUNNER_SILENT_S + 1), places=5)
    (run,) = opened(1, "a")
    assert clock(run).note == "runner"


def test_places_of_a_process_of_this_host_that_died_are_forgotten_at_the_start_of_the_next():
    Runner.objects.create(name="host:999999999:r", beat_at=Now(), places=5)
    lease.release_stale(owner="host:1:me")
    assert not Runner.objects.exists()


async def test_runner_that_drives_more_leaves_new_runs_to_the_other(settings):
    settings.SIM_RUNS_PER_OWNER_MAX = 0
    busy, idle = RunnerPool(), RunnerPool()
    early = await make(3, "a")
    await settle(busy)
    await idle._beat()
    late = await make(1, "b")
    await busy.claim()
    left = await counts(early, late)
    await idle.claim()
    taken = await counts(late)
    loads = [len(pool._actors) for pool in (busy, idle)]
    await stop(busy, idle)
    assert (left, taken, loads) == ([3, 0], [1], [3, 1])


async def test_run_that_was_left_to_a_runner_which_does_not_come_is_taken_soon(settings, monkeypatch):
    settings.SIM_RUNS_PER_OWNER_MAX = 0
    now_s = 0.0
    monkeypatch.setattr(pool_module, "monotonic", lambda: now_s)
    busy, frozen = RunnerPool(), RunnerPool()
    await make(3, "a")
    await settle(busy)
    await frozen._beat()
    late = await make(1, "b")
    await busy.claim()
    now_s += LEFT_S
    await busy.claim()
    found = await counts(late)
    await stop(busy, frozen)
    assert found == [1]
