import asyncio
import gc
from contextlib import asynccontextmanager
from datetime import timedelta
from types import SimpleNamespace
from weakref import ref

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers, get_channel_layer
from django.db import OperationalError
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course import replay
from simulator.engine.course.replay import Course
from simulator.engine.course.step import advance
from simulator.models import Run, Runner
from simulator.runs.drive import actor as actor_module
from simulator.runs.drive import lease
from simulator.runs.drive import pool as pool_module
from simulator.runs.drive.pool import MAKE_WAY_S, RunnerPool
from simulator.runs.log import storage
from simulator.runs.selectors.health import health
from simulator.runs.selectors.places import places_plan
from simulator.runs.services.commands import command_submit
from simulator.runs.services.shares import share_create, shared_run
from simulator.runs.turns.fair_turns import FairTurns
from simulator.runs.wire import announce
from tests.factories import OWNER, make_run, own

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh_layer():
    channel_layers.backends = {}


@asynccontextmanager
async def serving():
    pool = RunnerPool()
    task = asyncio.create_task(pool.serve())
    try:
        yield pool
    finally:
        pool.stop()
        await asyncio.wait_for(task, 10)


@asynccontextmanager
async def hearing(run):
    """A function that returns the next message of a type about the run."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(announce.run_group(run.id), channel)

    async def hear(kind, text=""):
        while True:
            message = await asyncio.wait_for(layer.receive(channel), 10)
            if message["type"] == kind and text in message.get("frame", ""):
                return message

    yield hear


async def row(run):
    return await sync_to_async(Run.objects.get)(id=run.id)


async def test_pool_takes_up_a_run_that_somebody_watches():
    run = await sync_to_async(make_run)()
    async with hearing(run) as hear, serving():
        assert (await hear("run.advanced"))["from"] == 0


async def test_pool_takes_up_a_run_that_is_announced_later():
    async with serving():
        run = await sync_to_async(make_run)()
        async with hearing(run) as hear:
            await hear("run.told", '"state":"live"')


async def test_pool_applies_a_command_without_waiting_for_the_next_look():
    run = await sync_to_async(make_run)(paused=True)
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
        await sync_to_async(command_submit)(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
        assert await hear("run.advanced", '"command"')


async def test_pool_gives_every_run_back_when_it_stops():
    run = await sync_to_async(make_run)()
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
    stored = await row(run)
    assert (stored.owner, stored.lease_until, stored.state) == ("", None, "live")


async def test_pool_lets_the_world_of_a_run_go_as_soon_as_it_gives_the_run_back(monkeypatch):
    courses = []

    class WatchedCourse(Course):
        __slots__ = ("__weakref__",)

        def __init__(self, *args):
            super().__init__(*args)
            courses.append(ref(self))

    monkeypatch.setattr(actor_module, "Course", WatchedCourse)
    run = await sync_to_async(make_run)()
    gc.disable()  # a runner rarely collects garbage
    try:
        async with hearing(run) as hear, serving() as pool:
            await hear("run.advanced")
            assert [course() is None for course in courses] == [False]
            pool._actors[run.id].free_place()
            await asyncio.wait(pool._tasks)
            assert [course() is None for course in courses] == [True]
    finally:
        gc.enable()


class IdlePool:
    """A pool that serves nobody, with a clock that tests set; it counts how often it has released memory."""

    def __init__(self, monkeypatch):
        self.now_s, self.given_back = 1000.0, 0
        monkeypatch.setattr(pool_module, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(pool_module, "give_back", self.count)
        self.pool = RunnerPool()

    def count(self):
        self.given_back += 1

    def pass_by(self, seconds):
        self.now_s += seconds
        self.pool._give_back_memory()
        return self.pool.is_spent, self.given_back


def test_pool_that_has_been_at_work_is_spent_once_it_has_had_nothing_to_do(monkeypatch):
    idle = IdlePool(monkeypatch)
    idle.pool._actors["run"] = SimpleNamespace()
    assert idle.pass_by(3600) == (False, 0)
    idle.pool._actors.clear()
    assert idle.pass_by(pool_module.SPENT_S) == (False, 0)
    assert idle.pass_by(1) == (True, 1)
    assert idle.pass_by(3600) == (True, 1)


def test_pool_that_has_never_been_at_work_is_as_good_as_a_fresh_one(monkeypatch):
    assert IdlePool(monkeypatch).pass_by(3600) == (False, 0)


def test_pool_that_works_on_a_job_is_not_spent(monkeypatch):
    idle = IdlePool(monkeypatch)
    idle.pool._works_on_jobs = lambda: True
    assert [idle.pass_by(3600), idle.pass_by(3600)] == [(False, 0), (False, 0)]
    idle.pool._works_on_jobs = lambda: False
    assert idle.pass_by(3600) == (True, 1)


def test_spent_pool_that_is_at_work_again_is_not_spent(monkeypatch):
    idle = IdlePool(monkeypatch)
    idle.pool._actors["run"] = SimpleNamespace()
    idle.pass_by(1)
    idle.pool._actors.clear()
    assert idle.pass_by(3600) == (True, 1)
    idle.pool._actors["run"] = SimpleNamespace()
    assert idle.pass_by(1) == (False, 1)


async def owner_after(run, monkeypatch, seconds, **fields):
    """The owner of a run that arrives this long after the pool has become spent."""
    now_s = [1000.0]
    monkeypatch.setattr(pool_module, "monotonic", lambda: now_s[0])
    pool = RunnerPool(**fields)
    pool._has_worked = True
    now_s[0] += 3600
    pool._give_back_memory()
    assert pool.is_spent
    now_s[0] += seconds
    await pool.claim()
    return (await sync_to_async(Run.objects.get)(id=run.id)).owner == pool.name


async def test_spent_pool_leaves_what_comes_to_the_fresh_one(monkeypatch):
    run = await sync_to_async(make_run)()
    assert not await owner_after(run, monkeypatch, 1, is_renewed=True)


async def test_spent_pool_goes_on_itself_where_no_fresh_one_comes(monkeypatch):
    run = await sync_to_async(make_run)()
    assert await owner_after(run, monkeypatch, pool_module.MAKE_WAY_S + 1, is_renewed=True)


async def test_spent_pool_that_nobody_renews_goes_on(monkeypatch):
    run = await sync_to_async(make_run)()
    assert await owner_after(run, monkeypatch, 1)


async def test_pool_ends_a_run_that_fails_and_keeps_the_others(monkeypatch, caplog):
    bad, good = [await sync_to_async(make_run)(title=title) for title in ("bad", "good")]

    def fail(world, **kwargs):
        if world.header.scenario == "bad":
            raise ZeroDivisionError
        return advance(world, **kwargs)

    await sync_to_async(mark_bad)(bad)
    monkeypatch.setattr(replay, "advance", fail)
    async with hearing(bad) as hear_bad, hearing(good) as hear_good, serving():
        await hear_bad("run.told", '"failed"')
        await hear_good("run.advanced")
    assert (await row(bad)).state == "failed"
    assert len([record for record in caplog.records if "failed after record" in record.message]) == 1


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(pool_module, "CLAIM_S", 0.01)
    monkeypatch.setattr(pool_module, "RETRY_S", 0.01)


def failing(function, error, times):
    """The function, after it has failed a number of times."""
    left = iter(range(times))

    def call(*args, **kwargs):
        if next(left, None) is not None:
            raise error
        return function(*args, **kwargs)

    return call


async def test_run_lives_on_when_the_database_was_locked(monkeypatch, quick):
    run = await sync_to_async(make_run)()
    monkeypatch.setattr(storage, "append", failing(storage.append, OperationalError("database is locked"), 1))
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
    assert (await row(run)).state == "live"


async def test_pool_waits_when_the_database_is_away(monkeypatch, quick):
    run = await sync_to_async(make_run)()
    async with hearing(run) as hear, serving():
        monkeypatch.setattr(pool_module, "places_plan", failing(places_plan, OperationalError("gone"), 3))
        await hear("run.advanced")


async def test_pool_that_starts_while_the_server_is_away_waits_for_it(monkeypatch, quick):
    run = await sync_to_async(make_run)()
    monkeypatch.setattr(pool_module, "connection", SimpleNamespace(vendor="postgresql"))
    monkeypatch.setattr(lease, "release_stale", failing(lease.release_stale, OperationalError("gone"), 3))
    async with hearing(run) as hear, serving():
        await hear("run.advanced")


async def test_pool_does_not_wait_for_a_file_that_it_cannot_use(monkeypatch):
    monkeypatch.setattr(lease, "release_stale", failing(lease.release_stale, OperationalError("readonly"), 1))
    with pytest.raises(OperationalError, match="readonly"):
        await RunnerPool().serve()


async def test_pool_goes_on_without_announcements_when_the_broker_is_away(monkeypatch, quick):
    run = await sync_to_async(make_run)()
    layer = get_channel_layer()
    async with hearing(run) as hear:
        monkeypatch.setattr(layer, "group_add", failing(layer.group_add, RedisConnectionError("refused"), 2))
        async with serving():
            assert await hear("run.advanced")


async def test_pool_that_could_not_join_leaves_the_group_it_half_joined(parted):
    with pytest.raises(ConnectionRefusedError):
        await RunnerPool()._hear()
    assert parted == [announce.RUNNERS]


async def test_pool_forgets_old_runs(settings):
    run = await sync_to_async(make_run)()
    await sync_to_async(Run.objects.filter(id=run.id).update)(viewers_seen_at=timezone.now() - timedelta(days=settings.SIM_KEEP_DAYS + 1))
    async with serving():
        while await sync_to_async(Run.objects.filter(id=run.id).exists)():
            await asyncio.sleep(0.01)


def mark_bad(run):
    header = run.header_body.replace(b'"scenario":""', b'"scenario":"bad"')
    Run.objects.filter(id=run.id).update(header_body=header)


async def test_pool_marks_a_run_whose_history_is_another():
    run = await sync_to_async(make_run)()
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
    await sync_to_async(Run.objects.filter(id=run.id).update)(head_digest=b"0" * 16, viewers_seen_at=timezone.now())
    async with hearing(run) as hear, serving():
        await hear("run.told", '"diverged"')


async def test_pool_leaves_a_run_readable_whose_history_another_revision_recorded():
    run = await sync_to_async(make_run)()
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
    other = {"revision": 2, "head_digest": b"0" * 16, "viewers_seen_at": timezone.now()}
    await sync_to_async(Run.objects.filter(id=run.id).update)(**other)
    async with hearing(run) as hear, serving():
        await hear("run.told", '"recorded"')
    assert (await row(run)).revision == 2


async def test_pool_takes_over_at_once_what_a_killed_process_of_this_host_owned():
    run = await sync_to_async(make_run)()
    pool = RunnerPool()
    host, pid, _ = pool.name.rsplit(":", 2)
    await sync_to_async(Run.objects.filter(id=run.id).update)(owner=f"{host}:{pid}:killed", lease_until=timezone.now() + timedelta(hours=1))
    async with hearing(run) as hear, serving():
        assert await hear("run.advanced")


async def test_site_is_healthy_only_while_a_pool_runs():
    run = await sync_to_async(make_run)()
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
        assert (await sync_to_async(health)())[0]
    ok, body = await sync_to_async(health)()
    assert (ok, body["database"], body["runner"]["ok"]) == (False, {"ok": True}, False)


@pytest.mark.parametrize(("age_s", "ok"), [(1, True), (60, False)])
def test_runner_is_dead_when_it_has_been_silent(age_s, ok):
    Runner.objects.create(name="r", beat_at=timezone.now() - timedelta(seconds=age_s))
    assert health()[0] is ok


def test_runner_is_not_alive_because_a_dead_one_spoke_in_the_future():
    Runner.objects.create(name="dead", beat_at=timezone.now() + timedelta(hours=1))
    assert health()[0] is False


def wanted():
    return [each.run_id for each in places_plan(places=10).entitled if not each.is_held]


def test_run_is_wanted_when_somebody_watches():
    run = make_run()
    assert wanted() == [run.id]


def test_run_is_not_wanted_when_nobody_watched_for_long():
    run = make_run()
    Run.objects.filter(id=run.id).update(viewers_seen_at=timezone.now() - timedelta(seconds=61))
    assert wanted() == []


def test_run_is_not_wanted_when_somebody_owns_it():
    own(make_run())
    assert wanted() == []


def test_run_is_not_wanted_when_it_has_ended():
    run = make_run()
    Run.objects.filter(id=run.id).update(state=Run.State.LIMIT)
    assert wanted() == []


def test_shared_run_is_wanted_only_until_it_is_complete():
    source = make_run(paused=True)
    own(source)
    run = shared_run(share=share_create(run=source))
    assert wanted() == [run.id]
    Run.objects.filter(id=run.id).update(head_seq=3)
    assert wanted() == []


async def test_failure_of_the_process_leaves_a_run_to_the_next_owner(monkeypatch, quick):
    run = await sync_to_async(make_run)()
    append, failures = storage.append, [RuntimeError("can't start new thread")]

    def fails_once(*args, **kwargs):
        if failures:
            raise failures.pop()
        append(*args, **kwargs)

    monkeypatch.setattr(storage, "append", fails_once)
    async with hearing(run) as hear, serving():
        await hear("run.advanced")
    assert ((await row(run)).state, failures) == ("live", [])


async def test_runs_take_turns_under_the_name_of_their_owner(wall, monkeypatch):
    owners, seat = [], FairTurns.seat
    monkeypatch.setattr(FairTurns, "seat", lambda self, *names: owners.append(names) or seat(self, *names))
    run = await sync_to_async(make_run)(address="192.0.2.7")
    async with serving():
        async with asyncio.timeout(10):
            while not owners:
                await asyncio.sleep(0.01)
    stored = await row(run)
    assert owners == [(stored.owner_hash, stored.address_hash)]


@pytest.mark.parametrize(
    ("is_renewed", "is_spent", "since_s", "is_replaced"),
    [
        (True, True, MAKE_WAY_S - 0.1, True),
        (True, True, MAKE_WAY_S, False),
        (True, False, 0.0, False),
        (False, True, 0.0, False),
    ],
)
def test_spent_pool_makes_way_for_just_so_long(monkeypatch, is_renewed, is_spent, since_s, is_replaced):
    monkeypatch.setattr(pool_module, "monotonic", lambda: 1000.0)
    pool = SimpleNamespace(_is_renewed=is_renewed, is_spent=is_spent, _spent_s=1000.0 - since_s)
    assert RunnerPool._is_being_replaced.fget(pool) is is_replaced
