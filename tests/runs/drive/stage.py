"""A run and its owner under test control: the wall clock moves only when advanced."""

from datetime import timedelta

from asgiref.sync import sync_to_async
from django.utils import timezone

from simulator.engine.course.replay import Course
from simulator.models import Run
from simulator.runs.drive import desk
from simulator.runs.drive.actor import RunActor
from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.log import storage
from simulator.runs.log.clock import SILENT_MS
from simulator.runs.log.history import commands_of
from tests.factories import OWNER, make_run, own

SIGN_MS = SILENT_MS - 1000
ROOMY = RunnerLimits(run_ms_max=86_400_000, records_max=200_000, pods_max=500)


class Clock:
    """A wall clock that moves only when advanced."""

    def __init__(self):
        self.now = 1_800_000_000_000

    def __call__(self):
        return self.now


class Stage:
    """A run and its owner, driven step by step."""

    def __init__(self, run, wall, *, limits=ROOMY, watched_s=10**9):
        self.run, self.wall = run, wall
        self.actor = RunActor(
            run_id=run.id, epoch=own(run), limits=limits, looks=desk.looks(lease_ms=60_000), watched_s=watched_s, wall=wall
        )

    async def open(self):
        await self.actor.open()
        await self.turn()
        return self

    async def turn(self, ms=0):
        """Let ``ms`` pass, with a look every few seconds as in a live process."""
        for _ in range(max(0, ms - 1) // SIGN_MS):
            await self._turn(SIGN_MS)
            ms -= SIGN_MS
            if self.actor.is_over:
                break
        return await self._turn(ms)

    async def _turn(self, ms):
        self.wall.now += ms
        self.actor.wake()
        is_there = False
        while not (is_there or self.actor.is_over):
            is_there = await self.actor.turn()
        await self.actor.flush()
        return self

    async def ask(self, service, **fields):
        await sync_to_async(service)(run=self.run, owner_key=OWNER, **fields)

    async def row(self):
        return await sync_to_async(Run.objects.get)(id=self.run.id)

    async def log(self):
        return await sync_to_async(storage.read)(self.run.id, after=0, limit=10**6)


async def staged(wall, *, limits=ROOMY, watched_s=10**9, **fields):
    run = await sync_to_async(make_run)(**fields)
    stage = await sync_to_async(Stage)(run, wall, limits=limits, watched_s=watched_s)
    return await stage.open()


async def successor(stage):
    """Another owner of the same run, as after a crash: whatever the first one had not written is gone."""
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(lease_until=timezone.now() - timedelta(seconds=5))
    return await sync_to_async(Stage)(stage.run, stage.wall)


def expected(run, until_ms):
    course = Course(run.header(), commands_of(run))
    return [*course.world.first_records, *course.drive(until_ms).records]


def in_small_turns(actor, monkeypatch, *, events_max=1):
    """From now on each turn of the actor is one piece with this few events."""
    monkeypatch.setattr("simulator.runs.drive.actor.WORK_MAX", events_max)
    monkeypatch.setattr("simulator.runs.drive.actor.SLICE_S", 0.0)
    actor._work = 1
