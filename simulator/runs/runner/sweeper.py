"""Working sweeps off: claim those that wait, have their cells worked out by processes, write down what is there every second.

It belongs to a runner, beside the runs, and computes nothing itself. A process that dies leaves its sweeps to others when their lease
ends; cells that are there stay.
"""

import asyncio
import logging
from datetime import timedelta

import msgspec
from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_noop
from msgspec import Struct

from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepCell, SweepPlan
from simulator.headless.sweeps.workers import CellLimits, Crew, work_through
from simulator.models import StoredSweep
from simulator.runs.content import Unreadable
from simulator.runs.db import AWAY, in_db

LOOK_S = 0.5
WRITE_S = 1.0
IDLE_S = 30.0
"""Processes that have nothing to do for so long are let go."""
LEASE = timedelta(seconds=30)
ATTEMPTS_MAX = 3
TOO_LONG = gettext_noop("It took longer than a sweep may. What is there is shown; ask for fewer values or seeds, or less time.")
LOST = gettext_noop("Three processes were lost over it, so it is left alone. Ask for fewer values or seeds, or less time.")
UNPLAYABLE = gettext_noop("This sweep cannot be worked out by the present engine.")

State = StoredSweep.State
log = logging.getLogger(__name__)


class Claimed(Struct):
    """A sweep that this process works on, and its cells so far."""

    id: str
    sweep: Sweep
    cells: list[SweepCell | None]

    def left(self) -> int:
        """How many cells are still to come."""
        return sum(cell is None for cell in self.cells)


def claim(owner: str, *, room: int) -> list[Claimed]:
    """Take at most ``room`` sweeps that nobody works on: whoever has fewest under way comes first, then the oldest."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
    rows = list(StoredSweep.objects.filter(free, state__in=(State.QUEUED, State.RUNNING)).order_by("created_at").values("id", "owner_hash"))
    if not rows or room < 1:
        return []
    running = StoredSweep.objects.filter(state=State.RUNNING, lease_until__gt=Now()).values_list("owner_hash", flat=True)
    busy = list(running)
    rows.sort(key=lambda row: busy.count(row["owner_hash"]))
    return [taken for row in rows[:room] if (taken := _take(row["id"], owner)) is not None]


def _take(sweep_id: str, owner: str) -> Claimed | None:
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
    rows = StoredSweep.objects.filter(free, id=sweep_id, state__in=(State.QUEUED, State.RUNNING))
    if not rows.update(state=State.RUNNING, owner=owner, lease_until=Now() + LEASE, attempts=F("attempts") + 1):
        return None
    row = StoredSweep.objects.get(id=sweep_id)
    if row.attempts > ATTEMPTS_MAX:
        _end(sweep_id, owner, State.FAILED, LOST)
        return None
    try:
        return Claimed(sweep_id, row.sweep(), row.cells())
    except Unreadable:
        _end(sweep_id, owner, State.FAILED, UNPLAYABLE)
        return None


def write(claimed: Claimed, owner: str) -> bool:
    """Write the cells that are there and keep the sweep; False where somebody stopped it or has it now."""
    rows = StoredSweep.objects.filter(id=claimed.id, owner=owner, state=State.RUNNING)
    body = msgspec.json.encode(claimed.cells).decode()
    return rows.update(cells_body=body, done=len(claimed.cells) - claimed.left(), lease_until=Now() + LEASE) == 1


def _end(sweep_id: str, owner: str, state: str, note: str = "") -> None:
    rows = StoredSweep.objects.filter(id=sweep_id, owner=owner, state=State.RUNNING)
    rows.update(state=state, state_note=note, owner="", lease_until=None)


def release(owner: str) -> None:
    """Give every sweep of this process back to the queue, in order: it counts for nothing."""
    rows = StoredSweep.objects.filter(owner=owner, state=State.RUNNING)
    rows.update(state=State.QUEUED, owner="", lease_until=None, attempts=F("attempts") - 1)


class Sweeper:
    """Works on as many sweeps at once as it has processes; their cells take turns. ``serve`` runs until it is cancelled."""

    def __init__(self, *, owner: str, crew: Crew | None = None) -> None:
        limits = CellLimits(seconds=settings.SIM_SWEEP_CELL_S_MAX, memory_mib=settings.SIM_SWEEP_CELL_MB_MAX)
        self._owner = owner
        self._crew = crew or Crew(settings.SIM_SWEEP_WORKERS, limits)
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Claim and work until cancelled; then the sweeps go back to the queue and the processes are gone.

        A database that is away is waited for.
        """
        idle_since = asyncio.get_running_loop().time()
        try:
            while True:
                try:
                    await self.look()
                except AWAY as error:
                    log.warning("The database does not answer, sweeps wait: %s", error)
                now_s = asyncio.get_running_loop().time()
                if self._tasks:
                    idle_since = now_s
                elif now_s - idle_since > IDLE_S and not self._crew.is_resting:
                    await self._crew.rest()
                await asyncio.sleep(LOOK_S)
        finally:
            await self._give_back()

    async def look(self) -> None:
        """Take sweeps that wait, as far as there is room."""
        room = self._crew.size - len(self._tasks)
        if room < 1:
            return
        for claimed in await in_db(claim, self._owner, room=room):
            task = asyncio.create_task(self._work(claimed), name=f"sweep {claimed.id}")
            self._tasks.add(task)
            task.add_done_callback(self._forget)

    def _forget(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)

    async def finish(self) -> None:
        """Wait until every sweep that this process works on has ended."""
        await asyncio.gather(*self._tasks)

    async def _give_back(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._crew.rest()
        try:
            await in_db(release, self._owner)
        except AWAY as error:  # the lease ends by itself
            log.warning("Sweeps could not be given back: %s", error)

    async def _work(self, claimed: Claimed) -> None:
        """See a sweep to its end. A failure ends that sweep and leaves the others alone."""
        try:
            await self._played(claimed)
        except AWAY as error:
            log.warning("Sweep %s is left, the database does not answer: %s", claimed.id, error)
        except BadSweep as error:
            await in_db(_end, claimed.id, self._owner, State.FAILED, UNPLAYABLE)
            log.error("Sweep %s cannot be worked out: %s", claimed.id, error)
        except Exception:
            log.exception("Sweep %s failed", claimed.id)

    async def _played(self, claimed: Claimed) -> None:
        plan = SweepPlan(claimed.sweep)
        done = frozenset(number for number, cell in enumerate(claimed.cells) if cell is not None)
        playing = asyncio.create_task(work_through(plan, self._crew, claimed.cells.__setitem__, done=done))
        deadline_s = asyncio.get_running_loop().time() + settings.SIM_SWEEP_S_MAX
        try:
            while not playing.done():
                await asyncio.wait([playing], timeout=WRITE_S)
                if not await in_db(write, claimed, self._owner):
                    return
                if not playing.done() and asyncio.get_running_loop().time() > deadline_s:
                    await in_db(_end, claimed.id, self._owner, State.STOPPED, TOO_LONG)
                    return
            playing.result()
            await in_db(_end, claimed.id, self._owner, State.DONE)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
